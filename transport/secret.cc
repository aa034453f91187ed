#include "transport/secret.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "base/check.h"

namespace leeway {

namespace {

const unsigned char* raw(const std::byte* bytes) {
  return reinterpret_cast<const unsigned char*>(bytes);
}
unsigned char* raw(std::byte* bytes) { return reinterpret_cast<unsigned char*>(bytes); }

/// For calls of OpenSSL that fail only without memory or with a damaged library.
void must(int outcome) { LEEWAY_CHECK(outcome > 0); }

struct Freer {
  void operator()(EVP_CIPHER_CTX* state) const { EVP_CIPHER_CTX_free(state); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_PKEY_CTX* use) const { EVP_PKEY_CTX_free(use); }
};
template <class T>
using OpenSslOwned = std::unique_ptr<T, Freer>;

/// A library context of our own, never freed: `exit` destroys OpenSSL's default one while the
/// threads of a job may still seal, and the default one depends on the machine's configuration
/// file.
OSSL_LIB_CTX* openssl() {
  static OSSL_LIB_CTX* const own = [] {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT | OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
    return OSSL_LIB_CTX_new();
  }();
  LEEWAY_CHECK(own != nullptr);
  return own;
}

const EVP_CIPHER* chacha20_poly1305() {
  static const EVP_CIPHER* const cipher = EVP_CIPHER_fetch(openssl(), "ChaCha20-Poly1305", nullptr);
  LEEWAY_CHECK(cipher != nullptr);
  return cipher;
}

void fill_randomly(std::span<std::byte> bytes) {
  LEEWAY_CHECK(::getentropy(bytes.data(), bytes.size()) == 0);
}

int hex_digit(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  return -1;
}

Error invalid_secret() {
  return input_error("LEEWAYJOB_SECRET", "is not a job's secret",
                     "let `leeway launch` start the processes");
}

}  // namespace

Secret Secret::random() {
  Secret secret;
  fill_randomly(secret.bytes_);
  return secret;
}

Result<Secret> Secret::from_text(std::string_view text) {
  Secret secret;
  if (text.size() != 2 * secret.bytes_.size()) return fail(invalid_secret());
  for (std::size_t i = 0; i < secret.bytes_.size(); ++i) {
    const int high = hex_digit(text[2 * i]);
    const int low = hex_digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return fail(invalid_secret());
    secret.bytes_[i] = static_cast<std::byte>(high * 16 + low);
  }
  return secret;
}

std::string Secret::to_text() const {
  std::string text;
  for (const std::byte byte : bytes_) {
    for (const unsigned digit :
         {std::to_integer<unsigned>(byte) >> 4U, std::to_integer<unsigned>(byte) & 15U})
      text += "0123456789abcdef"[digit];
  }
  return text;
}

/// The first half of HMAC-SHA-512.
Digest Secret::sign(std::string_view label, std::span<const std::byte> data) const {
  const std::uint64_t length = label.size();
  std::vector<unsigned char> text(sizeof(length) + label.size() + data.size());
  std::memcpy(text.data(), &length, sizeof(length));
  std::memcpy(text.data() + sizeof(length), label.data(), label.size());
  if (!data.empty())
    std::memcpy(text.data() + sizeof(length) + label.size(), data.data(), data.size());
  std::array<unsigned char, 64> whole{};
  std::size_t bytes = 0;
  LEEWAY_CHECK(EVP_Q_mac(openssl(), "HMAC", nullptr, "SHA512", nullptr, bytes_.data(),
                         bytes_.size(), text.data(), text.size(), whole.data(), whole.size(),
                         &bytes) != nullptr);
  LEEWAY_CHECK(bytes == whole.size());
  Digest digest;
  std::memcpy(digest.data(), whole.data(), digest.size());
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

/// State of the cipher with its key, either for sealing or for unsealing.
class Aead::Cipher {
 public:
  Cipher(const Secret& key, bool seals) : state_(EVP_CIPHER_CTX_new()) {
    LEEWAY_CHECK(state_ != nullptr);
    must(EVP_CipherInit_ex2(state_.get(), chacha20_poly1305(), raw(key.bytes_.data()), nullptr,
                            seals ? 1 : 0, nullptr));
  }

  void start(std::uint64_t number) {
    std::array<unsigned char, 12> nonce{};
    std::memcpy(nonce.data(), &number, sizeof(number));
    must(EVP_CipherInit_ex2(state_.get(), nullptr, nullptr, nonce.data(), -1, nullptr));
  }
  void cover(std::span<const std::byte> bytes) { update(nullptr, bytes); }
  void transform(std::span<std::byte> bytes) { update(raw(bytes.data()), bytes); }
  [[nodiscard]] Mark mark() {
    finish();
    Mark mark;
    must(EVP_CIPHER_CTX_ctrl(state_.get(), EVP_CTRL_AEAD_GET_TAG, mark.size(), mark.data()));
    return mark;
  }
  [[nodiscard]] bool has_mark(Mark mark) {
    must(EVP_CIPHER_CTX_ctrl(state_.get(), EVP_CTRL_AEAD_SET_TAG, mark.size(), mark.data()));
    return finish() > 0;
  }

 private:
  int finish() {
    std::array<unsigned char, 16> nothing{};
    int bytes = 0;
    return EVP_CipherFinal_ex(state_.get(), nothing.data(), &bytes);
  }
  /// In pieces, because OpenSSL's lengths are int.
  void update(unsigned char* to, std::span<const std::byte> bytes) {
    constexpr std::size_t kMost = std::size_t{1} << 30U;
    while (!bytes.empty()) {
      const std::size_t now = std::min(bytes.size(), kMost);
      int done = 0;
      must(EVP_CipherUpdate(state_.get(), to, &done, raw(bytes.data()), static_cast<int>(now)));
      bytes = bytes.subspan(now);
      if (to != nullptr) to += now;
    }
  }

  OpenSslOwned<EVP_CIPHER_CTX> state_;
};

Aead::Aead() = default;
Aead::Aead(const Secret& key) : key_(key) {}
Aead::~Aead() = default;
Aead::Aead(Aead&&) noexcept = default;
Aead& Aead::operator=(Aead&&) noexcept = default;

Mark Aead::seal(std::uint64_t number, std::span<const std::byte> open, std::span<std::byte> payload,
                bool encrypt) {
  if (!sealing_) sealing_ = std::make_unique<Cipher>(key_, true);
  sealing_->start(number);
  sealing_->cover(open);
  encrypt ? sealing_->transform(payload) : sealing_->cover(payload);
  return sealing_->mark();
}

bool Aead::unseal(std::uint64_t number, std::span<const std::byte> open,
                  std::span<std::byte> payload, bool encrypted, const Mark& mark) {
  if (!unsealing_) unsealing_ = std::make_unique<Cipher>(key_, false);
  unsealing_->start(number);
  unsealing_->cover(open);
  encrypted ? unsealing_->transform(payload) : unsealing_->cover(payload);
  return unsealing_->has_mark(mark);
}

namespace {

Error forged(const char* what) {
  return {ErrorKind::Peer, "the job's secret", what,
          "a device between the nodes changes their messages; check the network"};
}

}  // namespace

KeyPair::KeyPair() {
  const OpenSslOwned<EVP_PKEY> key(EVP_PKEY_Q_keygen(openssl(), nullptr, "X25519"));
  LEEWAY_CHECK(key != nullptr);
  std::size_t bytes = private_.size();
  must(EVP_PKEY_get_raw_private_key(key.get(), raw(private_.data()), &bytes));
  bytes = public_.size();
  must(EVP_PKEY_get_raw_public_key(key.get(), raw(public_.data()), &bytes));
}

/// The Diffie-Hellman secret of this pair and the other: computable only with one of the private
/// halves.
Result<Secret> KeyPair::shared_with(const PublicHalf& other) const {
  const OpenSslOwned<EVP_PKEY> mine(EVP_PKEY_new_raw_private_key_ex(
      openssl(), "X25519", nullptr, raw(private_.data()), private_.size()));
  const OpenSslOwned<EVP_PKEY> theirs(EVP_PKEY_new_raw_public_key_ex(
      openssl(), "X25519", nullptr, raw(other.data()), other.size()));
  LEEWAY_CHECK(mine != nullptr);
  LEEWAY_CHECK(theirs != nullptr);
  const OpenSslOwned<EVP_PKEY_CTX> use(EVP_PKEY_CTX_new_from_pkey(openssl(), mine.get(), nullptr));
  LEEWAY_CHECK(use != nullptr);
  Secret shared;
  std::size_t bytes = shared.bytes_.size();
  must(EVP_PKEY_derive_init(use.get()));
  // Fails if the other half is a point of small order.
  const bool good = EVP_PKEY_derive_set_peer(use.get(), theirs.get()) > 0 &&
                    EVP_PKEY_derive(use.get(), raw(shared.bytes_.data()), &bytes) > 0;
  if (!good || bytes != shared.bytes_.size())
    return fail(forged("the public key of a process is invalid"));
  return shared;
}

namespace {

/// The wrapping key, derived from the shared secret and both public halves.
Secret wrapping_key(const Secret& shared, const KeyPair::PublicHalf& fresh,
                    const KeyPair::PublicHalf& receiver) {
  std::array<KeyPair::PublicHalf, 2> halves = {fresh, receiver};
  return shared.derive("wrapped secret", std::as_bytes(std::span(halves)));
}

}  // namespace

Result<KeyPair::Wrapped> KeyPair::wrap(const Secret& secret, const PublicHalf& receiver) {
  const KeyPair fresh;
  LEEWAY_ASSIGN(const Secret shared, fresh.shared_with(receiver));
  Secret hidden = secret;
  const Mark mark =
      Aead(wrapping_key(shared, fresh.public_, receiver)).seal(0, {}, hidden.bytes_, true);
  static_assert(kWrappedBytes == sizeof(PublicHalf) + sizeof(Secret) + sizeof(Mark));
  Wrapped wrapped;
  std::memcpy(wrapped.data(), fresh.public_.data(), sizeof(PublicHalf));
  std::memcpy(wrapped.data() + sizeof(PublicHalf), hidden.bytes_.data(), sizeof(Secret));
  std::memcpy(wrapped.data() + sizeof(PublicHalf) + sizeof(Secret), mark.data(), mark.size());
  return wrapped;
}

Result<Secret> KeyPair::unwrap(const Wrapped& wrapped) const {
  PublicHalf fresh;
  Secret secret;
  Mark mark;
  std::memcpy(fresh.data(), wrapped.data(), sizeof(PublicHalf));
  std::memcpy(secret.bytes_.data(), wrapped.data() + sizeof(PublicHalf), sizeof(Secret));
  std::memcpy(mark.data(), wrapped.data() + sizeof(PublicHalf) + sizeof(Secret), mark.size());
  LEEWAY_ASSIGN(const Secret shared, shared_with(fresh));
  if (!Aead(wrapping_key(shared, fresh, public_)).unseal(0, {}, secret.bytes_, true, mark))
    return fail(forged("the secret was not wrapped for this process"));
  return secret;
}

Digest fresh_nonce() {
  Digest nonce;
  fill_randomly(nonce);
  return nonce;
}

bool same(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

Result<Secret> share_secret(MpiWire& wire, const Secret& own, const KeyPair& keys,
                            std::span<const KeyPair::PublicHalf> halves) {
  std::vector<KeyPair::Wrapped> wrapped(halves.size());
  if (wire.self() == NodeId(0)) {
    for (std::size_t i = 0; i < halves.size(); ++i) {
      LEEWAY_ASSIGN(wrapped[i], KeyPair::wrap(own, halves[i]));
    }
  }
  LEEWAY_TRY(wire.broadcast(std::as_writable_bytes(std::span(wrapped))));
  return keys.unwrap(wrapped[wire.self().index()]);
}

}  // namespace leeway
