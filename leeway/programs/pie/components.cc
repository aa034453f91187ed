// A fragment's trees, by union-find that looks at two neighbours each first and then leaves out the tree
// that is by then the largest (Sutton, Ben-Nun & Barak, IPDPS 2018); sound because lists go both ways.
#include "leeway/programs/pie/components.h"

#include <unordered_map>

#include "leeway/base/check.h"
#include "leeway/base/random.h"

namespace leeway::pie {

namespace {

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

  /// The tree that most of some vertices drawn at random are of.
  [[nodiscard]] std::uint32_t likely_largest() const {
    constexpr int kSamples = 1024;
    Random random(1, 0);
    std::unordered_map<std::uint32_t, int> seen;
    std::uint32_t best = 0;
    int most = 0;
    for (int i = 0; i < kSamples; ++i) {
      const std::uint32_t tree = parent_[static_cast<std::size_t>(random.below(parent_.size()))];
      if (++seen[tree] <= most) continue;
      most = seen[tree];
      best = tree;
    }
    return best;
  }

  [[nodiscard]] std::uint32_t operator[](std::uint32_t v) const { return parent_[v]; }
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

}  // namespace

std::vector<std::uint32_t> Components::join_all(const Fragment& fragment) {
  constexpr std::uint64_t kFirst = 2;  // neighbours looked at before
  Trees trees(fragment.vertex_count());
  if (fragment.vertex_count() == 0) return trees.take();
  // Copies have a list where it was turned round for them, so that each arc between two vertices that are
  // of the largest tree by then need not be looked at from either end.
  LEEWAY_CHECK((fragment.outer_count() == 0 || fragment.back() == Back::Copies));
  const auto each_list = [&](auto&& take) {
    take(Place{0}, fragment.listed_count(), fragment.offsets(), fragment.targets());
    if (fragment.outer_count() > 0) {
      take(fragment.inner_count(), fragment.vertex_count(),
           fragment.back_offsets() - fragment.inner_count(), fragment.sources());
    }
  };
  for (std::uint64_t i = 0; i < kFirst; ++i) {
    each_list([&](Place from, Place to, const std::uint64_t* offsets, const std::uint32_t* ends) {
      for (Place v = from; v < to; ++v) {
        if (offsets[v] + i < offsets[v + std::size_t{1}]) trees.join(v, ends[offsets[v] + i]);
      }
    });
    trees.flatten();
  }
  const std::uint32_t largest = trees.likely_largest();
  each_list([&](Place from, Place to, const std::uint64_t* offsets, const std::uint32_t* ends) {
    for (Place v = from; v < to; ++v) {
      if (trees[v] == largest) continue;
      const std::uint64_t end = offsets[v + std::size_t{1}];
      for (std::uint64_t arc = offsets[v] + kFirst; arc < end; ++arc) trees.join(v, ends[arc]);
    }
  });
  trees.flatten();
  return trees.take();
}

}  // namespace leeway::pie
