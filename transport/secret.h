// The job's secret and the cryptography built on it: proofs of knowledge (Secret::sign),
// authenticated encryption (Aead), and wrapping for transport over MPI (KeyPair, share_secret).
// Only secret.cc uses OpenSSL.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "transport/mpi_wire.h"

namespace leeway {

using Digest = std::array<std::byte, 32>;
/// Authentication tag of 128 bits: only an owner of the key can compute it.
using Mark = std::array<std::byte, 16>;

/// A key of 256 bits. Thread-safe.
class Secret {
 public:
  /// 256 random bits from the operating system.
  static Secret random();
  /// Parses what `to_text` returned.
  static Result<Secret> from_text(std::string_view text);
  [[nodiscard]] std::string to_text() const;

  /// A MAC of `label` and `data`, which proves knowledge of the secret.
  [[nodiscard]] Digest sign(std::string_view label, std::span<const std::byte> data) const;
  /// A secret derived for one purpose.
  [[nodiscard]] Secret derive(std::string_view label, std::span<const std::byte> data = {}) const;
  /// 64 bits that can be computed only with this secret.
  [[nodiscard]] std::uint64_t number() const;

 private:
  friend class Aead;
  friend class KeyPair;
  std::array<std::byte, 32> bytes_{};
};

/// Authenticated encryption with associated data, ChaCha20-Poly1305 (RFC 8439), for one direction
/// of one connection. The nonce is a number that the caller supplies. Two messages with the same
/// number under one key break the encryption, so derive a key for each direction of each
/// connection, and count the messages. Keeps the cipher's state, so that a message needs no
/// allocation. Movable; one thread at a time.
///
/// Microseconds per message with OpenSSL 3.0 on an AMD EPYC with AVX-512 (16 KiB, 64 KiB, 100
/// bytes): mark only 1.6, 5.3, 0.4 (AES-GCM's GMAC: 2.0, 7.7, 0.2); with encryption 4.3, 15.9, 0.8
/// (AES-256-GCM: 3.7, 14.3, 0.2). ChaCha20-Poly1305 is as fast on processors without AES
/// instructions, and its nonce may be a counter.
class Aead {
 public:
  Aead();
  explicit Aead(const Secret& key);
  ~Aead();
  Aead(Aead&&) noexcept;
  Aead& operator=(Aead&&) noexcept;

  /// Returns a mark over every byte of `open` and `payload`. Encrypts `payload` in place if
  /// `encrypt`.
  [[nodiscard]] Mark seal(std::uint64_t number, std::span<const std::byte> open,
                          std::span<std::byte> payload, bool encrypt);
  /// Whether `mark` is what `seal` returned for these bytes. Decrypts `payload` in place if
  /// `encrypted`; if the mark is wrong, its content is then lost.
  [[nodiscard]] bool unseal(std::uint64_t number, std::span<const std::byte> open,
                            std::span<std::byte> payload, bool encrypted, const Mark& mark);

 private:
  class Cipher;
  Secret key_;
  std::unique_ptr<Cipher> sealing_;  // created at first use
  std::unique_ptr<Cipher> unsealing_;
};

/// A key pair for sending secrets over a network that others can read. With the public half, a
/// secret can be wrapped so that only the holder of the private half can unwrap it. Wrapping uses a
/// fresh X25519 pair; the Diffie-Hellman secret of the two pairs is the key of an Aead. Protects
/// against listeners, but not against an attacker who can replace a public half.
class KeyPair {
 public:
  static constexpr std::size_t kWrappedBytes = 32 + 32 + 16;
  using PublicHalf = std::array<std::byte, 32>;
  using Wrapped = std::array<std::byte, kWrappedBytes>;

  KeyPair();
  [[nodiscard]] const PublicHalf& public_half() const { return public_; }
  static Result<Wrapped> wrap(const Secret& secret, const PublicHalf& receiver);
  Result<Secret> unwrap(const Wrapped& wrapped) const;

 private:
  [[nodiscard]] Result<Secret> shared_with(const PublicHalf& other) const;

  PublicHalf public_{};
  std::array<std::byte, 32> private_{};
};

[[nodiscard]] Digest fresh_nonce();
/// Whether a and b are equal, in constant time.
[[nodiscard]] bool same(std::span<const std::byte> a, std::span<const std::byte> b);

/// Shares rank 0's secret with all ranks of an MPI job, wrapped for each rank because MPI's
/// networks can be read by others. Collective. `own`: rank 0's becomes the shared secret; `keys`:
/// this rank's; `halves`: all ranks' public halves.
Result<Secret> share_secret(MpiWire& wire, const Secret& own, const KeyPair& keys,
                            std::span<const KeyPair::PublicHalf> halves);

}  // namespace leeway
