// Serialization: writing and reading bytes (varints, raw data), a hash function and the checksum of Leeway's
// files.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace leeway {

/// Appends values to a byte buffer. Varints are little-endian groups of seven bits.
class ByteWriter {
 public:
  void byte(std::uint8_t value) { bytes_.push_back(static_cast<std::byte>(value)); }
  void varint(std::uint64_t value) {
    while (value >= 0x80) {
      byte(static_cast<std::uint8_t>(value | 0x80));
      value >>= 7;
    }
    byte(static_cast<std::uint8_t>(value));
  }
  void raw(std::span<const std::byte> run) { bytes_.insert(bytes_.end(), run.begin(), run.end()); }
  /// The length, then the characters.
  void text(std::string_view text) {
    varint(text.size());
    raw(std::as_bytes(std::span(text)));
  }
  /// In memory representation.
  void real(double value) { std::memcpy(extend(sizeof value), &value, sizeof value); }
  /// Appends `count` bytes, which the caller must fill before the next write.
  [[nodiscard]] std::byte* extend(std::size_t count) {
    const std::size_t before = bytes_.size();
    bytes_.resize(before + count);
    return bytes_.data() + before;
  }

  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  [[nodiscard]] std::span<const std::byte> span() const { return bytes_; }
  [[nodiscard]] std::vector<std::byte> take() { return std::exchange(bytes_, {}); }
  void clear() { bytes_.clear(); }
  void reserve(std::size_t size) { bytes_.reserve(size); }

  [[nodiscard]] static constexpr std::size_t varint_size(std::uint64_t value) {
    std::size_t size = 1;
    while (value >= 0x80) {
      value >>= 7;
      ++size;
    }
    return size;
  }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads values from bytes and never reads past their end. The first invalid read sets `failed` permanently, so a decoder
/// needs to check only once, after its last read.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] std::uint8_t byte() {
    if (at_ == bytes_.size()) return fail_with_zero();
    return static_cast<std::uint8_t>(bytes_[at_++]);
  }
  [[nodiscard]] std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t next = byte();
      if (shift == 63 && next > 1) break;  // more than 64 bits
      value |= std::uint64_t{next & 0x7Fu} << shift;
      if ((next & 0x80u) == 0) return value;
    }
    return fail_with_zero();
  }
  /// A varint that must not exceed `limit`; fails otherwise.
  [[nodiscard]] std::uint64_t varint_up_to(std::uint64_t limit) {
    const std::uint64_t value = varint();
    return value <= limit ? value : fail_with_zero();
  }
  [[nodiscard]] std::span<const std::byte> raw(std::uint64_t count) {
    if (count > left()) {
      fail_with_zero();
      return {};
    }
    const auto run = bytes_.subspan(at_, static_cast<std::size_t>(count));
    at_ += static_cast<std::size_t>(count);
    return run;
  }

  [[nodiscard]] std::string text() {
    const auto run = raw(varint());
    return {reinterpret_cast<const char*>(run.data()), run.size()};
  }
  [[nodiscard]] double real() {
    double value = 0;
    const auto run = raw(sizeof value);
    if (!run.empty()) std::memcpy(&value, run.data(), sizeof value);
    return value;
  }

  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }
  [[nodiscard]] bool at_end() const { return left() == 0; }
  void fail() { fail_with_zero(); }

 private:
  std::uint8_t fail_with_zero() {
    failed_ = true;
    at_ = bytes_.size();
    return 0;
  }

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

/// A 64-bit mixing function (a bijection) for hashing and for deriving seeds.
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// The checksum used in all of Leeway's file formats: XXH64 with seed 0.
[[nodiscard]] std::uint64_t checksum(std::span<const std::byte> bytes);

}  // namespace leeway
