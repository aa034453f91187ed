// The job's secret and what is made of it: proofs that the other end of a connection knows it, and marks on data and
// encryption (Aead). Only secret.cc includes OpenSSL.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "leeway/result.h"
#include "transport/mpi_wire.h"

namespace leeway {

using Digest = std::array<std::byte, 32>;
/// What shows that data was made by whoever has the key: 128 bits.
using Mark = std::array<std::byte, 16>;

/// A key of 256 bits. Thread-safe.
class Secret {
 public:
  /// 256 bits from the system.
  static Secret random();
  /// As `to_text` gives it.
  static Result<Secret> from_text(std::string_view text);
  [[nodiscard]] std::string to_text() const;

  /// Proves knowledge of the secret over `label` and `data`; nobody without it can make one.
  [[nodiscard]] Digest sign(std::string_view label, std::span<const std::byte> data) const;
  /// Another secret, for one use only.
  [[nodiscard]] Secret derive(std::string_view label, std::span<const std::byte> data = {}) const;
  /// 64 bits that only those with this secret can name.
  [[nodiscard]] std::uint64_t number() const;

 private:
  friend class Aead;
  friend class KeyPair;
  std::array<std::byte, 32> bytes_{};
};

/// Authenticated encryption with associated data, ChaCha20-Poly1305 (RFC 8439), for one direction of one connection.
/// The nonce is a number that the caller gives: two messages with one number under one key break it, so derive a key
/// for each direction of each connection, and count. Holds the cipher's state, so that a message costs no allocation.
/// Movable; one thread at a time.
///
/// Microseconds a message, measured with OpenSSL 3.0 on an AMD EPYC with AVX-512 (16 KiB, 64 KiB, 100 bytes): marks
/// alone 1.6, 5.3, 0.4; AES-GCM's (GMAC) 2.0, 7.7, 0.2; with encryption 4.3, 15.9, 0.8; AES-256-GCM 3.7, 14.3, 0.2.
/// ChaCha20-Poly1305 is as fast where the processor has no instructions for AES, and its nonce may be a count.
class Aead {
 public:
  Aead();
  explicit Aead(const Secret& key);
  ~Aead();
  Aead(Aead&&) noexcept;
  Aead& operator=(Aead&&) noexcept;

  /// Covers every byte of `open` and of `payload`. `payload` becomes unreadable without the key if `encrypt`.
  [[nodiscard]] Mark seal(std::uint64_t number, std::span<const std::byte> open,
                          std::span<std::byte> payload, bool encrypt);
  /// Whether `mark` is what `seal` gave for these bytes. If so, `payload` is readable again; if not, and it was
  /// encrypted, its content is lost.
  [[nodiscard]] bool unseal(std::uint64_t number, std::span<const std::byte> open,
                            std::span<std::byte> payload, bool encrypted, const Mark& mark);

 private:
  class Cipher;
  Secret key_;
  std::unique_ptr<Cipher> sealing_;  // made at the first use
  std::unique_ptr<Cipher> unsealing_;
};

/// A pair of keys for secrets that must cross a network anybody can read: whoever has the public half can wrap
/// a secret that only the holder of the private half can take out. The wrapping uses a fresh X25519 pair, and the
/// secret that the two pairs share as an Aead's key. It keeps out those who listen, not those who can put their own
/// public half in the place of another's.
class KeyPair {
 public:
  static constexpr std::size_t kWrappedBytes = 32 + 32 + 16;
  using PublicHalf = std::array<std::byte, 32>;
  using Wrapped = std::array<std::byte, kWrappedBytes>;

  KeyPair();
  [[nodiscard]] const PublicHalf& public_half() const { return public_; }
  static Result<Wrapped> wrap(const Secret& secret, const PublicHalf& receiver);
  Result<Secret> take_out(const Wrapped& wrapped) const;

 private:
  [[nodiscard]] Result<Secret> shared_with(const PublicHalf& other) const;

  PublicHalf public_{};
  std::array<std::byte, 32> private_{};
};

/// Fresh random bytes.
[[nodiscard]] Digest fresh_nonce();
/// In a time that does not tell where they differ.
[[nodiscard]] bool same(std::span<const std::byte> a, std::span<const std::byte> b);

// How the ranks of an MPI job come to share a secret: rank 0's, wrapped for each of them, for MPI's networks can be
// listened to. Private to the transport folder.

/// Collective. `own`: of rank 0 it becomes everybody's; `keys`: this rank's; `halves`: all ranks' public halves.
Result<Secret> share_secret(MpiWire& wire, const Secret& own, const KeyPair& keys,
                            std::span<const KeyPair::PublicHalf> halves);

}  // namespace leeway
