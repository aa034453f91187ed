// Connected components (AAP §2, Figures 2 and 3). PEval joins the vertices that a fragment's arcs connect into trees;
// a root carries the smallest vertex id of its tree, the cid. Border vertices are linked to their roots. IncEval
// lowers the cids of roots named in messages, and so those of the linked border vertices. It touches nothing else, so
// it is bounded.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/check.h"
#include "base/disjoint_sets.h"
#include "leeway/pie_program.h"

namespace leeway::pie {

class PieComponents {
 public:
  using Value = std::uint32_t;  // a cid: a vertex id
  using Result = std::uint32_t;
  static constexpr bool kAlwaysRests = true;  // a cid only decreases

  struct Partial {
    std::vector<std::uint32_t> root;  // by place
    std::vector<std::uint32_t> cid;   // by root
    std::vector<std::uint32_t> head;  // by root: first linked border vertex; empty: no border
    std::vector<std::uint32_t> next;  // by place: next linked border vertex
  };

  [[nodiscard]] static FragmentNeeds needs() { return {.lists = Reads::Both}; }
  [[nodiscard]] Candidates candidates() const { return Candidates::Outer; }
  static void aggregate(Value& kept, const Value& come) { kept = std::min(kept, come); }

  Work peval(const Fragment& fragment, Partial& partial, Changes& changes) const {
    Work work{.edges = fragment.arc_count(), .vertices = fragment.vertex_count()};
    partial.root = join_all(fragment);
    partial.cid.resize(fragment.vertex_count());
    // A root is the smallest place of its tree, hence the smallest inner vertex.
    for (Place p = 0; p < fragment.inner_count(); ++p) partial.cid[p] = fragment.vertex(p).value();
    for (Place p = fragment.inner_count(); p < fragment.vertex_count(); ++p) {
      const std::uint32_t id = fragment.vertex(p).value();
      partial.cid[p] = id;
      std::uint32_t& cid = partial.cid[partial.root[p]];
      cid = std::min(cid, id);
    }
    link(fragment, partial, changes);
    return work;
  }

  /// A saved cid is a vertex of the component, so the minimum is found from any saved state.
  Work peval_from(const Fragment& fragment, Partial& partial, std::span<const Result> found,
                  Changes& changes) const {
    const Work work = peval(fragment, partial, changes);
    for (Place p = 0; p < fragment.inner_count(); ++p) {
      std::uint32_t& cid = partial.cid[partial.root[p]];
      cid = std::min(cid, found[p]);
    }
    return work;
  }

  Work inceval(const Fragment&, Partial& partial, std::span<Update<Value>> updates,
               Changes& changes) const {
    Work work;
    for (const auto& update : updates) {
      const std::uint32_t root = partial.root[update.place];
      ++work.vertices;
      if (update.value >= partial.cid[root]) continue;
      const bool lowered_before = lowered(partial, root, changes);
      partial.cid[root] = update.value;
      if (lowered_before || partial.head.empty()) continue;
      for (std::uint32_t p = partial.head[root]; p != kNone; p = partial.next[p]) {
        changes.mark(p);
        ++work.vertices;
      }
    }
    return work;
  }

  [[nodiscard]] bool matters(const Partial& partial, const Update<Value>& update) const {
    return update.value < partial.cid[partial.root[update.place]];
  }

  [[nodiscard]] Value parameter(const Fragment&, Partial& partial, Place place) const {
    return partial.cid[partial.root[place]];
  }
  [[nodiscard]] Result result(const Fragment&, const Partial& partial, Place inner) const {
    return partial.cid[partial.root[inner]];
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  /// True if the root's border vertices have been marked in this round.
  [[nodiscard]] static bool lowered(const Partial& partial, std::uint32_t root,
                                    const Changes& changes) {
    return !partial.head.empty() && partial.head[root] != kNone &&
           changes.marked(partial.head[root]);
  }

  static void link(const Fragment& fragment, Partial& partial, Changes& changes) {
    const Place from = changes.border() ? 0 : fragment.inner_count();
    if (from == fragment.vertex_count()) return;
    partial.head.assign(fragment.vertex_count(), kNone);
    partial.next.assign(fragment.vertex_count(), kNone);
    for (Place p = from; p < fragment.vertex_count(); ++p) {
      if (!changes.travels(p)) continue;
      const std::uint32_t root = partial.root[p];
      partial.next[p] = partial.head[root];
      partial.head[root] = p;
      changes.mark(p);
    }
  }

  static std::vector<std::uint32_t> join_all(const Fragment& fragment);
};

inline std::vector<std::uint32_t> PieComponents::join_all(const Fragment& fragment) {
  DisjointSets sets(fragment.vertex_count());
  join_sampled<std::uint32_t>(sets,
                              {.count = fragment.listed_count(),
                               .offsets = fragment.offsets(),
                               .targets = fragment.targets()},
                              {.first = fragment.listed_count(),
                               .count = fragment.vertex_count() - fragment.listed_count()});
  sets.flatten();
  return sets.take();
}

}  // namespace leeway::pie
