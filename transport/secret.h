// The job's secret and what is made of it: proofs that the other end of a connection knows it, and short
// marks on data. The only file that speaks libsodium is secret.cc. Thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "leeway/base/result.h"

namespace leeway {

using Digest = std::array<std::byte, 32>;

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
  /// A mark of 64 bits, cheap enough for every message.
  [[nodiscard]] std::uint64_t mark(std::span<const std::byte> data) const;

 private:
  std::array<std::byte, 32> bytes_{};
};

/// Fresh random bytes.
[[nodiscard]] Digest fresh_nonce();
/// In a time that does not tell where they differ.
[[nodiscard]] bool same(std::span<const std::byte> a, std::span<const std::byte> b);

}  // namespace leeway
