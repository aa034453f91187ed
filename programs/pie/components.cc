/// The trees of a fragment: the connected components of its lists.

#include "programs/pie/components.h"

#include "base/check.h"
#include "base/disjoint_sets.h"

namespace leeway::pie {

std::vector<std::uint32_t> PieComponents::join_all(const Fragment& fragment) {
  // Copies have lists only if the fragment has reversed lists for copies.
  LEEWAY_CHECK((fragment.outer_count() == 0 || fragment.back() == Back::Copies));
  DisjointSets sets(fragment.vertex_count());
  join_sampled<std::uint32_t>(sets,
                              {.count = fragment.listed_count(),
                               .offsets = fragment.offsets(),
                               .targets = fragment.targets()},
                              {.first = fragment.inner_count(),
                               .count = fragment.outer_count(),
                               .offsets = fragment.back_offsets(),
                               .targets = fragment.sources()});
  sets.flatten();
  return sets.take();
}

}  // namespace leeway::pie
