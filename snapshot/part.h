// One process's part of a snapshot, in memory as it is on the disk. Plain data; one thread's at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/snapshot/format.h"

namespace leeway::snapshot {

/// What vertices' states were, in some order of vertices.
struct States {
  std::vector<std::byte> bytes;  ///< of one size each
  std::vector<bool> known;       ///< empty: all; else those of others mean nothing
};

class Part {
 public:
  /// Lays it out anew, keeping its memory; what the spans below show is then to be filled.
  void shape(const PartHeader& header);

  [[nodiscard]] const PartHeader& header() const { return header_; }
  [[nodiscard]] std::span<std::uint32_t> vertices();
  [[nodiscard]] std::span<const std::uint32_t> vertices() const;
  [[nodiscard]] std::span<std::byte> states() { return stretch(states_at_, states_bytes()); }
  [[nodiscard]] std::span<const std::byte> states() const {
    return stretch(states_at_, states_bytes());
  }
  [[nodiscard]] std::span<std::byte> results() { return stretch(results_at_, results_bytes()); }
  /// What each vertex's result is: its state where no results are kept apart.
  [[nodiscard]] std::span<const std::byte> results() const {
    return header_.result_bytes == 0 ? states() : stretch(results_at_, results_bytes());
  }
  /// Of one entry of `results() const`.
  [[nodiscard]] std::size_t result_size() const {
    return header_.result_bytes == 0 ? header_.state_bytes : header_.result_bytes;
  }
  [[nodiscard]] std::span<std::byte> own() { return stretch(own_at_, header_.own_bytes); }
  [[nodiscard]] std::span<const std::byte> own() const {
    return stretch(own_at_, header_.own_bytes);
  }

  /// Puts the checksum behind it; then it is what a file holds.
  std::span<const std::byte> sealed();
  /// The checksum of a sealed or parsed part.
  [[nodiscard]] std::uint64_t sum() const;

  /// Takes a file's content; an Input error that names `path` for what is no whole, undamaged part of this version.
  static Result<Part> parse(std::vector<std::byte> content, const std::string& path);

 private:
  [[nodiscard]] std::size_t states_bytes() const { return header_.entries * header_.state_bytes; }
  [[nodiscard]] std::size_t results_bytes() const { return header_.entries * header_.result_bytes; }
  [[nodiscard]] std::span<std::byte> stretch(std::size_t at, std::size_t size) {
    return std::span(bytes_).subspan(at, size);
  }
  [[nodiscard]] std::span<const std::byte> stretch(std::size_t at, std::size_t size) const {
    return std::span(bytes_).subspan(at, size);
  }
  /// Where everything lies, and how long it is in all.
  std::size_t place();

  PartHeader header_;
  std::vector<std::byte> bytes_;
  std::size_t states_at_ = 0;
  std::size_t results_at_ = 0;
  std::size_t own_at_ = 0;
};

/// What is wrong with a snapshot, and what helps.
[[nodiscard]] Error damaged(const std::string& path, std::string what);

}  // namespace leeway::snapshot
