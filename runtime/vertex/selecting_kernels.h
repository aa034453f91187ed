// The loops of a selecting program: offers along arcs, for the worklist (ListKernelOf), and the best values of joined sets
// (JoinKernelOf).
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bucket_queue.h"
#include "dsm/dsm.h"
#include "leeway/vertex.h"
#include "runtime/graph/local_graph.h"
#include "runtime/vertex/kernel.h"

namespace leeway {

/// Calls `use(handle, value)` for the copies `handle_at(0)` to `handle_at(count - 1)`, which may be missing. Missing
/// copies are requested together: all of them, or what fits into half of a bounded cache.
template <class Value, class HandleAt, class Use>
void read_copies(Space& space, View<Value>& view, std::size_t count, const HandleAt& handle_at,
                 const Use& use) {
  const std::size_t at_once =
      space.bounded() ? std::max<std::size_t>(1, space.cache_capacity() / 2) : count;
  std::vector<Handle> missing;
  for (std::size_t begin = 0; begin < count; begin += at_once) {
    const std::size_t end = std::min(begin + at_once, count);
    missing.clear();
    for (std::size_t i = begin; i < end; ++i) {
      const Handle handle = handle_at(i);
      if (space.age(MetIndex(handle.value() - space.local_handles())) == Space::kUnusable)
        missing.push_back(handle);
    }
    if (!missing.empty()) space.prefetch(missing);
    for (std::size_t i = begin; i < end; ++i) use(handle_at(i), view.fetch(handle_at(i)));
  }
}

/// The same for all remote objects that this node reads.
template <class Value, class Use>
void read_all_copies(Space& space, View<Value>& view, const LocalGraph& graph, const Use& use) {
  const auto handle_at = [first = graph.local_count()](std::size_t slot) {
    return Handle(first + static_cast<std::uint32_t>(slot));
  };
  read_copies(space, view, graph.copy_count(), handle_at, use);
}

/// Bucket width of the worklist's priority queue: the program's `width()`, or 1.
template <class P>
[[nodiscard]] double bucket_width_of(const P& program) {
  if constexpr (requires { program.width(); }) {
    return program.width();
  } else {
    return 1;
  }
}

template <SelectingProgram P>
class ListKernelOf final : public ListKernel {
  using Value = typename P::Value;

 public:
  ListKernelOf(const SweepContext& context, Dsm<Value>& dsm, const P& program)
      : context_(context), graph_(context.graph), program_(program), view_(dsm) {}

  [[nodiscard]] double bucket_width() const override { return bucket_width_of(program_); }
  [[nodiscard]] bool shares() const override { return kShares && view_.plain(); }
  [[nodiscard]] bool by_levels() const override { return leeway::by_levels<P>(); }

  void touch(Handle copy) override { (void)view_.fetch(copy); }
  void publish() override { view_.publish(); }

  void begin(BucketQueue& list, OfferCounts& counts) override {
    const auto offers = [&](const Value& value) {
      if constexpr (requires { program_.offers(value); }) {
        if (!program_.offers(value)) return false;
      }
      return std::isfinite(program_.rank(value));
    };
    // mutant: a-worklist-begins-empty-after-a-restart
    for (std::uint32_t v = 0; v < graph_.local_count(); ++v) {
      const Value value = view_.fetch(Handle(v));
      if (offers(value)) list.add(v, program_.rank(value));
    }
    const auto use = [&](Handle handle, const Value& value) {
      if (offers(value)) offer(handle.value(), value, list, counts);
    };
    read_all_copies(context_.space, view_, graph_, use);
  }
  void add(std::span<const std::uint32_t> vertices, BucketQueue& list) override {
    for (const std::uint32_t v : vertices) list.add(v, program_.rank(view_.fetch(Handle(v))));
  }
  void offer(std::span<const Handle> copies, BucketQueue& list, OfferCounts& counts) override {
    read_copies(
        context_.space, view_, copies.size(), [&](std::size_t i) { return copies[i]; },
        [&](Handle handle, const Value& value) { offer(handle.value(), value, list, counts); });
  }
  std::size_t process(std::span<const std::uint32_t> work, std::size_t bucket, std::uint64_t most,
                      BucketQueue& list, OfferCounts& counts) override {
    for (std::size_t i = 0; i < work.size(); ++i) {
      const Value value = view_.fetch(Handle(work[i]));
      if (list.bucket_of(program_.rank(value)) < bucket) continue;  // processed with that one
      offer(work[i], value, list, counts);
      if (counts.units() >= most) return i + 1;
    }
    return work.size();
  }
  void publish_values(std::span<const std::uint32_t> vertices) override {
    for (const std::uint32_t v : vertices) view_.store(Handle(v), view_.fetch(Handle(v)));
    view_.publish();
  }

  void process_shared(std::span<const std::uint32_t> work, std::size_t bucket, BucketQueue& list,
                      OfferCounts& counts) override {
    const auto better = [&](const Value& a, const Value& b) { return program_.better(a, b); };
    for (const std::uint32_t v : work) {
      const Value value = view_.fetch_local(Handle(v));
      if (list.bucket_of(program_.rank(value)) < bucket) continue;
      counts.arcs += each_offer(v, value, [&](std::uint32_t to, const Value& offered) {
        if constexpr (kShares) {
          if (!view_.improve_local(Handle(to), offered, better)) return;
        }
        ++counts.changed;
        if (graph_.read_remotely(to)) counts.unpublished.push_back(to);
        list.add(to, program_.rank(offered));
      });
      ++counts.visited;
    }
  }

  bool begin_level(std::span<const std::uint32_t> work, std::size_t bucket, const BucketQueue& list,
                   VertexBits& level) override {
    bool any = false;
    for (const std::uint32_t v : work) {
      const Value value = view_.fetch_local(Handle(v));
      if (list.bucket_of(program_.rank(value)) < bucket) continue;
      offered_ = program_.along(value, 1.0);
      level[v / kVertexWordBits] |= std::uint64_t{1} << (v % kVertexWordBits);
      any = true;
    }
    return any;
  }
  void pull(LocalRange range, const VertexBits& level, VertexBits& reached,
            OfferCounts& counts) override {
    if constexpr (kShares && leeway::by_levels<P>()) {
      OfferCounts part;
      const Value offered = offered_;
      const std::uint64_t* const frontier = level.data();
      std::byte* const memory = view_.memory();
      for (std::uint32_t v = range.begin; v < range.end; ++v) {
        if (!program_.better(offered, View<Value>::load_in(memory, v))) continue;
        ++part.visited;
        const std::span<const std::uint32_t> read = graph_.readers(v).vertices;
        std::size_t at = 0;
        while (at < read.size() &&
               (frontier[read[at] / kVertexWordBits] >> (read[at] % kVertexWordBits) & 1) == 0)
          ++at;
        part.arcs += at;
        if (at == read.size()) continue;
        View<Value>::store_in(memory, v, offered);
        ++part.changed;
        if (graph_.read_remotely(v)) part.unpublished.push_back(v);
        reached[v / kVertexWordBits] |= std::uint64_t{1} << (v % kVertexWordBits);
      }
      counts.add(part);
    }
  }
  [[nodiscard]] double rank_of_next_level() const override { return program_.rank(offered_); }
  void go_to_next_level() override { offered_ = program_.along(offered_, 1.0); }

 private:
  /// Calls `take(to, offered)` for every local vertex that reads the object; returns their number.
  template <class Take>
  std::uint64_t each_offer(std::uint32_t handle, const Value& value, const Take& take) {
    const auto [readers, weights] = graph_.readers(handle);
    const P& program = program_;
    for (std::size_t i = 0; i < readers.size(); ++i)
      take(readers[i], program.along(value, weights == nullptr ? 1.0 : weights[i]));
    return readers.size();
  }

  /// Offers the object's value to the local vertices that read it.
  void offer(std::uint32_t handle, const Value& value, BucketQueue& list, OfferCounts& counts) {
    const P& program = program_;
    std::uint64_t changed = 0;
    if (kShares && view_.plain()) {
      std::byte* const memory = view_.memory();
      counts.arcs += each_offer(handle, value, [&](std::uint32_t to, const Value& offered) {
        if (!program.better(offered, View<Value>::load_in(memory, to))) return;
        View<Value>::store_in(memory, to, offered);
        ++changed;
        list.add(to, program.rank(offered));
        if (graph_.read_remotely(to)) counts.unpublished.push_back(to);
      });
    } else {
      counts.arcs += each_offer(handle, value, [&](std::uint32_t to, const Value& offered) {
        if (!program.better(offered, view_.fetch(Handle(to)))) return;
        store(to, offered, counts);
        ++changed;
        list.add(to, program.rank(offered));
      });
    }
    ++counts.visited;
    counts.changed += changed;
  }

  void store(std::uint32_t local, const Value& value, OfferCounts& counts) {
    if (!view_.plain()) return view_.store(Handle(local), value);
    view_.store_local(Handle(local), value);
    if (graph_.read_remotely(local)) counts.unpublished.push_back(local);
  }

  // Values that one instruction can replace.
  static constexpr bool kShares = sizeof(Value) <= 8;

  const SweepContext& context_;
  const LocalGraph& graph_;
  const P& program_;
  View<Value> view_;
  Value offered_{};  // by a level
};

/// A selecting program whose arcs pass values on unchanged.
template <class P>
concept ContractingProgram = SelectingProgram<P> && P::kContracts;

template <ContractingProgram P>
class JoinKernelOf final : public JoinKernel {
  using Value = typename P::Value;

 public:
  JoinKernelOf(const SweepContext& context, Dsm<Value>& dsm, const P& program)
      : graph_(context.graph), space_(context.space), program_(program), view_(dsm) {}

  [[nodiscard]] bool shares() const override { return kShares && view_.plain(); }
  void touch(Handle copy) override { (void)view_.fetch(copy); }
  void publish() override { view_.publish(); }

  void begin(std::span<const std::uint32_t> set_of) override {
    set_of_ = set_of;
    best_.resize(set_of.size());
  }
  void read_values(LocalRange range) override {
    if (shares()) {
      for (std::uint32_t v = range.begin; v < range.end; ++v)
        best_[v] = view_.fetch_local(Handle(v));
    } else {
      for (std::uint32_t v = range.begin; v < range.end; ++v) best_[v] = view_.fetch(Handle(v));
    }
  }
  void read_copies() override {
    read_all_copies(space_, view_, graph_,
                    [&](Handle handle, const Value& value) { best_[handle.index()] = value; });
  }
  void improve_by_values(LocalRange range) override {
    for (std::uint32_t v = range.begin; v < range.end; ++v) improve_shared(v);
  }
  void improve_by_copies() override {
    for (std::uint32_t copy = graph_.local_count(); copy < set_of_.size(); ++copy)
      improve(copy, best_[copy]);
  }

  void improve(std::span<const Handle> copies, std::vector<std::uint32_t>& improved) override {
    leeway::read_copies(
        space_, view_, copies.size(), [&](std::size_t i) { return copies[i]; },
        [&](Handle handle, const Value& value) {
          if (improve(handle.value(), value)) improved.push_back(set_of_[handle.value()]);
        });
  }
  std::uint64_t store_better(std::span<const std::uint32_t> vertices) override {
    std::uint64_t stored = 0;
    for (const std::uint32_t v : vertices) {
      const Value& best = best_[set_of_[v]];
      if (!program_.better(best, view_.fetch(Handle(v)))) continue;
      view_.store(Handle(v), best);
      ++stored;
    }
    return stored;
  }
  void settle(LocalRange range, bool unread) override {
    for (std::uint32_t v = range.begin; v < range.end; ++v) {
      if (unread && graph_.read_remotely(v)) continue;
      view_.store_local(Handle(v), best_[set_of_[v]]);
    }
  }

 private:
  bool improve(std::uint32_t handle, const Value& value) {
    Value& best = best_[set_of_[handle]];
    if (!program_.better(value, best)) return false;
    best = value;
    return true;
  }
  /// Like improve with the vertex's own value, while other threads do the same.
  void improve_shared(std::uint32_t local) {
    if constexpr (!kShares) {
      improve(local, best_[local]);
    } else {
      const std::uint32_t set = set_of_[local];
      if (set == local) return;
      const Value value = std::atomic_ref(best_[local]).load(std::memory_order_relaxed);
      std::atomic_ref best(best_[set]);
      Value held = best.load(std::memory_order_relaxed);
      while (program_.better(value, held) &&
             !best.compare_exchange_weak(held, value, std::memory_order_relaxed)) {
      }
    }
  }

  // Values that one instruction can exchange atomically.
  static constexpr bool kShares = sizeof(Value) == 4 || sizeof(Value) == 8;

  const LocalGraph& graph_;
  Space& space_;
  const P& program_;
  View<Value> view_;
  std::span<const std::uint32_t> set_of_;  // by handle
  std::vector<Value> best_;                // by set
};

}  // namespace leeway
