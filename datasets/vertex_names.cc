#include "leeway/datasets/vertex_names.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "leeway/base/check.h"

namespace leeway {

namespace {

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

VertexId vertex_at(std::size_t index) { return VertexId(static_cast<std::uint32_t>(index)); }

}  // namespace

VertexNames VertexNames::sequence(std::uint64_t first, std::uint32_t count) {
  VertexNames names;
  names.first_ = first;
  names.count_ = count;
  return names;
}

VertexNames VertexNames::numbers(Array<std::uint64_t> ids) {
  LEEWAY_CHECK(std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>{}) == ids.end());
  VertexNames names;
  names.kind_ = NameKind::Numbers;
  names.count_ = static_cast<std::uint32_t>(ids.size());
  names.numbers_ = std::move(ids);
  return names;
}

VertexNames VertexNames::strings(Array<std::uint64_t> offsets, Array<char> bytes,
                                 Array<VertexId> sorted) {
  LEEWAY_CHECK(offsets.size() == sorted.size() + 1);
  VertexNames names;
  names.kind_ = NameKind::Strings;
  names.count_ = static_cast<std::uint32_t>(sorted.size());
  names.numbers_ = std::move(offsets);
  names.text_ = std::move(bytes);
  names.sorted_ = std::move(sorted);
  return names;
}

std::string VertexNames::name(VertexId vertex) const {
  LEEWAY_CHECK(vertex.value() < count_);
  if (kind_ == NameKind::Sequence) return std::to_string(first_ + vertex.value());
  if (kind_ == NameKind::Numbers) return std::to_string(numbers_[vertex.index()]);
  const std::uint64_t begin = numbers_[vertex.index()];
  return {text_.data() + begin, static_cast<std::size_t>(numbers_[vertex.index() + 1] - begin)};
}

std::optional<VertexId> VertexNames::find(std::string_view name) const {
  if (kind_ == NameKind::Strings) {
    const auto found = std::lower_bound(
        sorted_.begin(), sorted_.end(), name,
        [&](VertexId vertex, std::string_view wanted) { return this->name(vertex) < wanted; });
    if (found == sorted_.end() || this->name(*found) != name) return std::nullopt;
    return *found;
  }
  const auto number = parse_number(name);
  if (!number) return std::nullopt;
  if (kind_ == NameKind::Sequence) {
    if (*number < first_ || *number - first_ >= count_) return std::nullopt;
    return vertex_at(*number - first_);
  }
  const auto found = std::lower_bound(numbers_.begin(), numbers_.end(), *number);
  if (found == numbers_.end() || *found != *number) return std::nullopt;
  return vertex_at(static_cast<std::size_t>(found - numbers_.begin()));
}

std::size_t VertexNames::bytes() const {
  return numbers_.bytes() + text_.bytes() + sorted_.bytes();
}

}  // namespace leeway
