// What a graph's vertices were called where they came from. Inside, vertices are 0 … n-1; outputs give
// these names back.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "leeway/base/array.h"
#include "leeway/base/ids.h"

namespace leeway {

enum class NameKind : std::uint32_t {
  Sequence = 0,  ///< vertex i is called first + i; nothing is stored
  Numbers = 1,   ///< sparse 64-bit ids, ascending: vertex order is numeric order
  Strings = 2,   ///< text, in order of first appearance in the input
};

/// Immutable once made. Thread-safe to read. Move-only.
class VertexNames {
 public:
  /// Vertex i is called first + i.
  static VertexNames sequence(std::uint64_t first, std::uint32_t count);
  /// Requires `ids` strictly ascending (checked).
  static VertexNames numbers(Array<std::uint64_t> ids);
  /// Name i is bytes[offsets[i] .. offsets[i+1]). Requires distinct names and offsets.size() = n + 1.
  /// `sorted` lists the vertices in byte order of their names, for `find`.
  static VertexNames strings(Array<std::uint64_t> offsets, Array<char> bytes,
                             Array<VertexId> sorted);

  VertexNames() = default;

  [[nodiscard]] NameKind kind() const { return kind_; }
  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] std::uint64_t first() const { return first_; }
  [[nodiscard]] std::string name(VertexId vertex) const;
  /// The vertex of this name, if there is one. Numbers must be written as decimal digits.
  [[nodiscard]] std::optional<VertexId> find(std::string_view name) const;

  [[nodiscard]] const Array<std::uint64_t>& ids() const { return numbers_; }  ///< or string offsets
  [[nodiscard]] const Array<char>& text() const { return text_; }
  [[nodiscard]] const Array<VertexId>& sorted() const { return sorted_; }
  [[nodiscard]] std::size_t bytes() const;

 private:
  NameKind kind_ = NameKind::Sequence;
  std::uint32_t count_ = 0;
  std::uint64_t first_ = 0;
  Array<std::uint64_t> numbers_;  // ids of Numbers, offsets of Strings
  Array<char> text_;
  Array<VertexId> sorted_;
};

}  // namespace leeway
