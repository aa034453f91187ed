// A fragment's trees, by union-find that looks at two neighbours each first and then leaves out the tree
// that is by then the largest (Sutton, Ben-Nun & Barak, IPDPS 2018); sound because lists go both ways.
#include "leeway/programs/pie/components.h"

#include <algorithm>
#include <unordered_map>

#include "leeway/base/check.h"
#include "leeway/base/random.h"

namespace leeway::pie {

namespace {

constexpr std::uint64_t kFirst = 2;  // arcs of each list looked at before

class Trees {
 public:
  explicit Trees(std::uint32_t count) : parent_(count) {
    for (std::uint32_t v = 0; v < count; ++v) parent_[v] = v;
  }

  void join(std::uint32_t a, std::uint32_t b) {
    if (parent_[a] == parent_[b]) return;  // as with most arcs
    a = root(a);
    b = root(b);
    if (a < b) parent_[b] = a;
    if (b < a) parent_[a] = b;
  }

  void flatten() {
    for (std::uint32_t& parent : parent_) parent = parent_[parent];
  }

  /// The tree that most of some vertices drawn at random from the first `count` are of.
  [[nodiscard]] std::uint32_t likely_largest(std::uint32_t count) const {
    constexpr int kSamples = 1024;
    Random random(1, 0);
    std::unordered_map<std::uint32_t, int> seen;
    std::uint32_t best = 0;
    int most = 0;
    for (int i = 0; i < kSamples; ++i) {
      const std::uint32_t tree = parent_[static_cast<std::size_t>(random.below(count))];
      if (++seen[tree] <= most) continue;
      most = seen[tree];
      best = tree;
    }
    return best;
  }

  /// Requires trees flattened; 1 for each vertex of the tree.
  [[nodiscard]] std::vector<std::uint8_t> members(std::uint32_t tree) const {
    std::vector<std::uint8_t> found(parent_.size());
    for (std::size_t v = 0; v < found.size(); ++v) found[v] = parent_[v] == tree ? 1 : 0;
    return found;
  }
  std::vector<std::uint32_t> take() { return std::move(parent_); }

 private:
  std::uint32_t root(std::uint32_t v) {
    while (parent_[v] != v) {
      parent_[v] = parent_[parent_[v]];
      v = parent_[v];
    }
    return v;
  }

  std::vector<std::uint32_t> parent_;
};

/// The first `kFirst` arcs of each list.
void join_first(const Fragment& fragment, Trees& trees) {
  const std::uint64_t* const offsets = fragment.offsets();
  for (Place v = 0; v < fragment.listed_count(); ++v) {
    const std::uint64_t end = std::min(offsets[v] + kFirst, offsets[v + std::size_t{1}]);
    for (std::uint64_t arc = offsets[v]; arc < end; ++arc) trees.join(v, fragment.targets()[arc]);
  }
  trees.flatten();
}

/// The other arcs of whoever is not of the largest tree. Arcs go both ways, so one between it and a vertex of
/// another tree is seen from there.
void join_rest(const Fragment& fragment, const std::vector<std::uint8_t>& of_largest,
               Trees& trees) {
  const std::uint64_t* const offsets = fragment.offsets();
  for (Place v = 0; v < fragment.listed_count(); ++v) {
    if (of_largest[v] != 0) continue;
    const std::uint64_t end = offsets[v + std::size_t{1}];
    for (std::uint64_t arc = offsets[v] + kFirst; arc < end; ++arc)
      trees.join(v, fragment.targets()[arc]);
  }
}

/// A copy that has an arc to the largest tree is of it; its other arcs are seen from their other ends.
void join_copies(const Fragment& fragment, const std::vector<std::uint8_t>& of_largest,
                 Trees& trees) {
  if (fragment.outer_count() == 0) return;
  const std::uint64_t* const offsets = fragment.back_offsets();
  const std::uint32_t* const sources = fragment.sources();
  for (std::uint32_t copy = 0; copy < fragment.outer_count(); ++copy) {
    const Place place = fragment.inner_count() + copy;
    if (of_largest[place] != 0) continue;
    const std::uint32_t* const last = sources + offsets[copy + std::size_t{1}];
    const auto* const found =
        std::find_if(sources + offsets[copy], last,
                     [&](std::uint32_t source) { return of_largest[source] != 0; });
    if (found != last) trees.join(place, *found);
  }
}

}  // namespace

std::vector<std::uint32_t> Components::join_all(const Fragment& fragment) {
  Trees trees(fragment.vertex_count());
  if (fragment.inner_count() == 0) return trees.take();
  // Copies have a list where it was turned round for them.
  LEEWAY_CHECK((fragment.outer_count() == 0 || fragment.back() == Back::Copies));
  join_first(fragment, trees);
  // As they are now: who is joined to it later has arcs that nobody else looks at.
  const auto of_largest = trees.members(trees.likely_largest(fragment.inner_count()));
  join_copies(fragment, of_largest, trees);
  join_rest(fragment, of_largest, trees);
  trees.flatten();
  return trees.take();
}

}  // namespace leeway::pie
