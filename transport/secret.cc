#include "leeway/transport/secret.h"

#include <sodium.h>
#include <cstring>

#include "leeway/base/check.h"

namespace leeway {

namespace {

const unsigned char* raw(const std::byte* bytes) {
  return reinterpret_cast<const unsigned char*>(bytes);
}
unsigned char* raw(std::byte* bytes) { return reinterpret_cast<unsigned char*>(bytes); }

using Nonce = std::array<unsigned char, crypto_aead_chacha20poly1305_ietf_NPUBBYTES>;
Nonce nonce_of(std::uint64_t number) {
  Nonce nonce{};
  std::memcpy(nonce.data(), &number, sizeof(number));
  return nonce;
}

/// Two spans that lie one behind the other, as one.
std::span<const std::byte> joined(std::span<const std::byte> first,
                                  std::span<const std::byte> second) {
  const bool adjacent = second.empty() || first.data() + first.size() == second.data();
  LEEWAY_CHECK(adjacent);
  return {first.data(), first.size() + second.size()};
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

std::uint64_t Secret::number() const {
  const Digest digest = sign("number", {});
  std::uint64_t number = 0;
  std::memcpy(&number, digest.data(), sizeof(number));
  return number;
}

Mark Secret::seal(std::uint64_t number, std::span<const std::byte> open,
                  std::span<std::byte> hidden, bool encrypt) const {
  const Nonce nonce = nonce_of(number);
  Mark mark;
  if (encrypt) {
    crypto_aead_chacha20poly1305_ietf_encrypt_detached(
        raw(hidden.data()), raw(mark.data()), nullptr, raw(hidden.data()), hidden.size(),
        raw(open.data()), open.size(), nullptr, nonce.data(), raw(bytes_.data()));
  } else {
    const std::span<const std::byte> all = joined(open, hidden);
    unsigned char nothing = 0;
    crypto_aead_chacha20poly1305_ietf_encrypt_detached(&nothing, raw(mark.data()), nullptr, nullptr,
                                                       0, raw(all.data()), all.size(), nullptr,
                                                       nonce.data(), raw(bytes_.data()));
  }
  return mark;
}

bool Secret::verify(std::uint64_t number, std::span<const std::byte> open,
                    std::span<const std::byte> hidden, bool encrypted, const Mark& mark) const {
  const Nonce nonce = nonce_of(number);
  const std::span<const std::byte> plain = encrypted ? open : joined(open, hidden);
  const std::size_t secret_bytes = encrypted ? hidden.size() : 0;
  return crypto_aead_chacha20poly1305_ietf_decrypt_detached(
             nullptr, nullptr, raw(hidden.data()), secret_bytes, raw(mark.data()),
             raw(plain.data()), plain.size(), nonce.data(), raw(bytes_.data())) == 0;
}

bool Secret::unseal(std::uint64_t number, std::span<const std::byte> open,
                    std::span<std::byte> hidden, bool encrypted, const Mark& mark) const {
  if (!encrypted) return verify(number, open, hidden, false, mark);
  const Nonce nonce = nonce_of(number);
  return crypto_aead_chacha20poly1305_ietf_decrypt_detached(
             raw(hidden.data()), nullptr, raw(hidden.data()), hidden.size(), raw(mark.data()),
             raw(open.data()), open.size(), nonce.data(), raw(bytes_.data())) == 0;
}

namespace {

Error forged(const char* what) {
  return {ErrorKind::Peer, "the job's secret", what,
          "something between the nodes changes what they say; look at the network"};
}

}  // namespace

KeyPair::KeyPair() {
  static_assert(crypto_box_PUBLICKEYBYTES == sizeof(PublicHalf));
  static_assert(crypto_box_SECRETKEYBYTES == sizeof(private_));
  static_assert(crypto_box_SEALBYTES + sizeof(Secret) == kWrappedBytes);
  prepare();
  crypto_box_keypair(raw(public_.data()), raw(private_.data()));
}

Result<KeyPair::Wrapped> KeyPair::wrap(const Secret& secret, const PublicHalf& receiver) {
  prepare();
  Wrapped wrapped;
  if (crypto_box_seal(raw(wrapped.data()), raw(secret.bytes_.data()), secret.bytes_.size(),
                      raw(receiver.data())) != 0) {
    return fail(forged("a process's public key cannot be one"));
  }
  return wrapped;
}

Result<Secret> KeyPair::take_out(const Wrapped& wrapped) const {
  Secret secret;
  if (crypto_box_seal_open(raw(secret.bytes_.data()), raw(wrapped.data()), wrapped.size(),
                           raw(public_.data()), raw(private_.data())) != 0) {
    return fail(forged("it was not wrapped for this process"));
  }
  return secret;
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
