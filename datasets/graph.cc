#include "datasets/graph.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "base/check.h"

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
        [&](VertexId vertex, std::string_view key) { return this->name(vertex) < key; });
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

namespace {

template <class T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

bool same_names(const VertexNames& a, const VertexNames& b) {
  return a.kind() == b.kind() && a.count() == b.count() && a.first() == b.first() &&
         same_bits(a.ids().span(), b.ids().span()) && same_bits(a.text().span(), b.text().span());
}

}  // namespace

Graph::Graph(GraphArrays parts) : parts_(std::move(parts)) {
  LEEWAY_CHECK(!parts_.offsets.empty());
  vertex_count_ = static_cast<std::uint32_t>(parts_.offsets.size() - 1);
  LEEWAY_CHECK(parts_.offsets[0] == 0u);
  LEEWAY_CHECK(parts_.offsets[vertex_count_] == parts_.targets.size());
  LEEWAY_CHECK(parts_.weights.size() == (weighted() ? arc_count() : 0u));
  LEEWAY_CHECK(parts_.names.count() == vertex_count_);
  LEEWAY_CHECK(parts_.left_count <= vertex_count_);
}

std::uint64_t Graph::self_loop_count() const {
  std::uint64_t loops = 0;
  for (std::uint32_t v = 0; v < vertex_count_; ++v) {
    const auto list = neighbors(VertexId(v));
    const auto [first, last] = std::equal_range(list.begin(), list.end(), VertexId(v));
    loops += static_cast<std::uint64_t>(last - first);
  }
  return loops;
}

std::uint64_t Graph::edge_count() const {
  return directed() ? arc_count() : (arc_count() + self_loop_count()) / 2;
}

std::size_t Graph::bytes() const {
  return parts_.offsets.bytes() + parts_.targets.bytes() + parts_.weights.bytes() +
         parts_.names.bytes();
}

bool Graph::operator==(const Graph& other) const {
  return directed() == other.directed() && weight_kind() == other.weight_kind() &&
         left_count() == other.left_count() && same_bits(offsets(), other.offsets()) &&
         same_bits(targets(), other.targets()) && same_bits(weights(), other.weights()) &&
         same_names(names(), other.names());
}

}  // namespace leeway
