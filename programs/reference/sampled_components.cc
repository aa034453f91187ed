#include <unordered_map>

#include "leeway/base/random.h"
#include "leeway/programs/reference/kernels.h"

namespace leeway::reference {
namespace {

/// Trees whose roots are their smallest vertex.
class Forest {
 public:
  explicit Forest(std::uint32_t count) : parent_(count) {
    for (std::uint32_t v = 0; v < count; ++v) parent_[v] = v;
  }

  std::uint32_t root(std::uint32_t v) {
    while (parent_[v] != v) {
      parent_[v] = parent_[parent_[v]];
      v = parent_[v];
    }
    return v;
  }

  void join(std::uint32_t a, std::uint32_t b) {
    // Most arcs join what is joined already, and one step shows it.
    if (parent_[a] == parent_[b]) return;
    a = root(a);
    b = root(b);
    if (a < b) parent_[b] = a;
    if (b < a) parent_[a] = b;
  }

  void flatten() {
    for (std::uint32_t v = 0; v < parent_.size(); ++v) parent_[v] = parent_[parent_[v]];
  }

  std::vector<std::uint32_t> take() { return std::move(parent_); }
  std::uint32_t operator[](std::uint32_t v) const { return parent_[v]; }

 private:
  std::vector<std::uint32_t> parent_;
};

std::uint32_t likely_largest(const Forest& forest, std::uint32_t count) {
  constexpr int kSamples = 1024;
  Random random(1, 0);
  std::unordered_map<std::uint32_t, int> seen;
  std::uint32_t best = 0;
  int most = 0;
  for (int i = 0; i < kSamples; ++i) {
    const std::uint32_t root = forest[static_cast<std::uint32_t>(random.below(count))];
    if (++seen[root] > most) {
      most = seen[root];
      best = root;
    }
  }
  return best;
}

}  // namespace

std::vector<std::uint32_t> sampled_components(const Graph& graph) {
  constexpr std::uint64_t kRounds = 2;
  const std::uint32_t count = graph.vertex_count();
  const std::uint64_t* offsets = graph.offsets().data();
  const VertexId* targets = graph.targets().data();
  Forest forest(count);
  if (count == 0) return forest.take();
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    for (std::uint32_t v = 0; v < count; ++v) {
      if (offsets[v] + round < offsets[v + 1]) forest.join(v, targets[offsets[v] + round].value());
    }
    forest.flatten();
  }
  // In a directed graph an arc into the large component may leave from outside and be listed there only.
  const std::uint32_t large =
      graph.directed() ? std::numeric_limits<std::uint32_t>::max() : likely_largest(forest, count);
  for (std::uint32_t v = 0; v < count; ++v) {
    if (forest[v] == large) continue;
    for (std::uint64_t arc = offsets[v] + kRounds; arc < offsets[v + 1]; ++arc) {
      forest.join(v, targets[arc].value());
    }
  }
  forest.flatten();
  return forest.take();
}

}  // namespace leeway::reference
