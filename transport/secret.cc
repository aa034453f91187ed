#include "leeway/transport/secret.h"

#include <sodium.h>
#include <cstring>

#include "leeway/base/check.h"

namespace leeway {

namespace {

const unsigned char* raw(const std::byte* bytes) {
  return reinterpret_cast<const unsigned char*>(bytes);
}

void prepare() {
  static const int ready = sodium_init();
  LEEWAY_CHECK(ready >= 0);
}

}  // namespace

Secret Secret::random() {
  prepare();
  Secret secret;
  randombytes_buf(secret.bytes_.data(), secret.bytes_.size());
  return secret;
}

Result<Secret> Secret::from_text(std::string_view text) {
  prepare();
  Secret secret;
  std::size_t length = 0;
  const int outcome =
      sodium_hex2bin(reinterpret_cast<unsigned char*>(secret.bytes_.data()), secret.bytes_.size(),
                     text.data(), text.size(), nullptr, &length, nullptr);
  if (outcome != 0 || length != secret.bytes_.size() || text.size() != 2 * length) {
    return fail(input_error("LEEWAYJOB_SECRET", "is not a job's secret",
                            "let `leeway launch` start the processes"));
  }
  return secret;
}

std::string Secret::to_text() const {
  std::string text(2 * bytes_.size() + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), raw(bytes_.data()), bytes_.size());
  text.pop_back();
  return text;
}

Digest Secret::sign(std::string_view label, std::span<const std::byte> data) const {
  static_assert(crypto_auth_hmacsha512256_BYTES == sizeof(Digest));
  crypto_auth_hmacsha512256_state state;
  crypto_auth_hmacsha512256_init(&state, raw(bytes_.data()), bytes_.size());
  const std::uint64_t length = label.size();
  crypto_auth_hmacsha512256_update(&state, reinterpret_cast<const unsigned char*>(&length),
                                   sizeof(length));
  crypto_auth_hmacsha512256_update(&state, reinterpret_cast<const unsigned char*>(label.data()),
                                   label.size());
  crypto_auth_hmacsha512256_update(&state, raw(data.data()), data.size());
  Digest digest;
  crypto_auth_hmacsha512256_final(&state, reinterpret_cast<unsigned char*>(digest.data()));
  return digest;
}

Secret Secret::derive(std::string_view label, std::span<const std::byte> data) const {
  Secret derived;
  derived.bytes_ = sign(label, data);
  return derived;
}

std::uint64_t Secret::mark(std::span<const std::byte> data) const {
  static_assert(crypto_shorthash_KEYBYTES <= sizeof(bytes_));
  std::uint64_t mark = 0;
  static_assert(crypto_shorthash_BYTES == sizeof(mark));
  crypto_shorthash(reinterpret_cast<unsigned char*>(&mark), raw(data.data()), data.size(),
                   raw(bytes_.data()));
  return mark;
}

Digest fresh_nonce() {
  prepare();
  Digest nonce;
  randombytes_buf(nonce.data(), nonce.size());
  return nonce;
}

bool same(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace leeway
