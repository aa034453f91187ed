#include "leeway/runtime/pie/fragment.h"

#include <algorithm>

#include "leeway/base/check.h"

namespace leeway::pie {

Fragment::Fragment(FragmentParts parts)
    : parts_(std::move(parts)), inner_count_(static_cast<std::uint32_t>(parts_.inner.size())) {
  LEEWAY_CHECK(parts_.outer_homes.size() == parts_.outer.size());
  LEEWAY_CHECK(parts_.listed >= inner_count_);
  LEEWAY_CHECK(parts_.listed <= vertex_count());
  LEEWAY_CHECK(parts_.offsets.size() == parts_.listed + std::size_t{1});
  LEEWAY_CHECK((parts_.weights.empty() || parts_.weights.size() == parts_.targets.size()));
}

std::optional<Place> Fragment::find(VertexId vertex) const {
  const auto inner = std::lower_bound(parts_.inner.begin(), parts_.inner.end(), vertex);
  if (inner != parts_.inner.end() && *inner == vertex)
    return static_cast<Place>(inner - parts_.inner.begin());
  const auto outer = std::find(parts_.outer.begin(), parts_.outer.end(), vertex);
  if (outer == parts_.outer.end()) return std::nullopt;
  return inner_count_ + static_cast<Place>(outer - parts_.outer.begin());
}

std::vector<Place> Fragment::out_copies() const {
  std::vector<bool> entered(outer_count(), false);
  for (std::uint64_t arc = 0; arc < parts_.offsets[inner_count_]; ++arc) {
    if (const Place target = parts_.targets[arc]; !is_inner(target))
      entered[target - inner_count_] = true;
  }
  std::vector<Place> places;
  for (std::uint32_t o = 0; o < outer_count(); ++o) {
    if (entered[o]) places.push_back(inner_count_ + o);
  }
  return places;
}

std::vector<Place> Fragment::out_border() const {
  std::vector<Place> places;
  for (Place v = 0; v < inner_count_; ++v) {
    const std::uint32_t* const begin = parts_.targets.data() + parts_.offsets[v];
    const std::uint32_t* const end = parts_.targets.data() + parts_.offsets[v + std::size_t{1}];
    if (std::any_of(begin, end, [&](Place target) { return !is_inner(target); }))
      places.push_back(v);
  }
  return places;
}

std::size_t Fragment::bytes() const {
  return parts_.inner.bytes() + parts_.offsets.bytes() + parts_.targets.bytes() +
         parts_.weights.bytes() + parts_.outer.size() * (sizeof(VertexId) + sizeof(Elsewhere)) +
         parts_.degrees.size() * sizeof(std::uint32_t) + parts_.back_offsets.bytes() +
         parts_.sources.bytes();
}

}  // namespace leeway::pie
