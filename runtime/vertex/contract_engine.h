// Connected components within a node (JoinForest), and the engine that runs contracting programs on them
// (ContractEngine).
#pragma once

#include <atomic>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/disjoint_sets.h"
#include "runtime/cluster/compute_threads.h"
#include "runtime/cluster/record.h"
#include "runtime/graph/local_graph.h"
#include "runtime/vertex/pace.h"
#include "runtime/vertex/sweeper.h"

namespace leeway {

/// The connected sets of a node's local vertices and of the copies that it reads, by handle. Immutable once made.
class JoinForest {
 public:
  /// Runs on all threads. Requires a graph with inputs; every arc must have
  /// its reverse.
  JoinForest(const LocalGraph& graph, ComputeThreads& threads) {
    DisjointSets sets(graph.local_count() + graph.copy_count());
    const Copies copies{graph.local_count(), graph.copy_count()};
    const NeighbourLists<std::uint32_t> lists{.count = graph.local_count(),
                                              .offsets = graph.input_offsets(),
                                              .targets = graph.inputs(),
                                              .own = graph.local_inputs()};
    if (threads.count() == 1) {
      join_sampled(sets, lists, copies);
      sets.flatten();
    } else {
      const AllThreads loop{threads};
      join_sampled(sets, lists, copies, loop);
      sets.flatten(loop);
    }
    root_ = sets.take();
  }

  /// The representative of the handle's set: its smallest handle.
  [[nodiscard]] std::uint32_t of(std::uint32_t handle) const { return root_[handle]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(root_.size()); }

 private:
  struct AllThreads {
    static constexpr bool kShared = true;
    ComputeThreads& threads;
    template <class Body>
    void operator()(std::uint32_t count, const Body& body) const {
      threads.for_chunks(count, threads.grain(count), [&](std::size_t begin, std::size_t end) {
        body(static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end));
      });
    }
  };

  std::vector<std::uint32_t> root_;
};

// Runs a selecting program whose arcs pass values on unchanged: all connected vertices end with the best value among
// them. Each node first joins its connected vertices, so that a set has one value. Then nodes send each other better
// values until all agree. The work is that of a union-find, and the number of rounds depends on the sets instead of
// the vertices. All threads of a node join; one thread exchanges values.
template <class P>
concept ContractingProgram = SelectingProgram<P> && P::kContracts;

template <ContractingProgram P>
class ContractEngine {
  using Value = typename P::Value;

 public:
  ContractEngine(const SweepContext<P>& context, Pace& pace, NodeRecord& record)
      : context_(context),
        graph_(context.graph),
        record_(record),
        pace_(pace),
        arrivals_(context.dsm),
        view_(context.dsm),
        threads_(kShares && view_.plain() ? context.options.threads : 1) {}

  void run() {
    run_paced(*this, context_.node, pace_, record_);
    settle_all_values();
  }

  IterationSample run_round() {
    if (!forest_) {
      forest_.emplace(graph_, threads_);
      begin();
    }
    take_arrivals();
    publish();
    return std::exchange(sample_, {});
  }
  [[nodiscard]] bool has_work() const { return !forest_; }
  [[nodiscard]] bool has_arrivals() { return arrivals_.any(); }
  /// For a snapshot. Vertices that other nodes read already have their set's best value.
  void settle_values() {
    if (!forest_) return;
    each_local([&](std::uint32_t v) {
      if (!graph_.read_remotely(v)) put(v, best_[forest_->of(v)]);
    });
  }

 private:
  /// Finds every set's best value, and which of its vertices other nodes read.
  void begin() {
    best_.resize(forest_->size());
    if (threads_.count() > 1) {
      each_local([&](std::uint32_t v) { best_[v] = view_.fetch_local(Handle(v)); });
    } else {
      for (std::uint32_t v = 0; v < graph_.local_count(); ++v) best_[v] = view_.fetch(Handle(v));
    }
    read_all_copies(context_.dsm.space(), view_, graph_,
                    [&](Handle handle, const Value& value) { best_[handle.index()] = value; });
    each_local([&](std::uint32_t v) { improve_shared(v); });
    for (std::uint32_t copy = graph_.local_count(); copy < forest_->size(); ++copy)
      improve(copy, best_[copy]);
    if (context_.node.node_count() > 1) list_boundary();
    for (std::uint32_t v = 0; v < graph_.local_count(); ++v) {
      if (!graph_.read_remotely(v)) continue;
      const Value& best = best_[forest_->of(v)];
      if (context_.program.better(best, view_.fetch(Handle(v)))) store(v, best);
    }
    sample_.visited = graph_.local_count();
    context_.node.transport().charge({.fetches = graph_.input_count() / 4,
                                      .edges = graph_.input_count() / 4,
                                      .vertices = graph_.local_count()});
  }

  bool improve(std::uint32_t handle, const Value& value) {
    Value& best = best_[forest_->of(handle)];
    if (!context_.program.better(value, best)) return false;
    best = value;
    return true;
  }

  /// Like improve with the vertex's own value, while other threads do the same.
  void improve_shared(std::uint32_t local) {
    if constexpr (!kShares) {
      improve(local, best_[local]);
    } else {
      const std::uint32_t set = forest_->of(local);
      if (set == local) return;
      const Value value = std::atomic_ref(best_[local]).load(std::memory_order_relaxed);
      const std::atomic_ref best(best_[set]);
      Value held = best.load(std::memory_order_relaxed);
      while (context_.program.better(value, held) &&
             !best.compare_exchange_weak(held, value, std::memory_order_relaxed)) {
      }
    }
  }

  /// Calls body(v) for every local vertex, on all threads.
  template <class Body>
  void each_local(const Body& body) {
    const auto chunk = [&](std::size_t begin, std::size_t end) {
      for (auto v = static_cast<std::uint32_t>(begin); v < end; ++v) body(v);
    };
    const std::uint32_t count = graph_.local_count();
    if (threads_.count() == 1) return chunk(0, count);
    threads_.for_chunks(count, threads_.grain(count), chunk);
  }

  void list_boundary() {
    first_.assign(forest_->size() + std::size_t{1}, 0);
    for (std::uint32_t v = 0; v < graph_.local_count(); ++v)
      first_[forest_->of(v) + std::size_t{1}] += graph_.read_remotely(v) ? 1 : 0;
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    boundary_.resize(first_.back());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (std::uint32_t v = 0; v < graph_.local_count(); ++v) {
      if (graph_.read_remotely(v)) boundary_[next[forest_->of(v)]++] = v;
    }
  }

  void take_arrivals() {
    if (context_.node.node_count() == 1) return;
    std::vector<std::uint32_t> improved;
    std::uint64_t taken = 0;
    arrivals_.read(view_, [&](Handle handle, const Value& value) {
      ++taken;
      if (improve(handle.value(), value)) improved.push_back(forest_->of(handle.value()));
    });
    std::uint64_t stored = 0;
    for (const std::uint32_t set : improved) {
      for (std::uint32_t i = first_[set]; i < first_[set + std::size_t{1}]; ++i) {
        if (!context_.program.better(best_[set], view_.fetch(Handle(boundary_[i])))) continue;
        store(boundary_[i], best_[set]);
        ++stored;
      }
    }
    sample_.visited += improved.size();
    context_.node.transport().charge({.fetches = taken, .stores = stored, .vertices = taken});
  }

  void store(std::uint32_t local, const Value& value) {
    ++sample_.changed;
    view_.store(Handle(local), value);
  }
  /// After the run: every vertex gets its set's best value. A run that was stopped before its first round has no
  /// sets, and its vertices keep their initial values.
  void settle_all_values() {
    if (!forest_) return;
    each_local([&](std::uint32_t v) { put(v, best_[forest_->of(v)]); });
  }
  /// Stores a final value, which no other node reads, without announcing it.
  void put(std::uint32_t local, const Value& value) { view_.store_local(Handle(local), value); }

  void publish() {
    view_.publish();
    if (context_.node.node_count() > 1) context_.node.progress();
  }

  // Values that one instruction can exchange atomically.
  static constexpr bool kShares = sizeof(Value) == 4 || sizeof(Value) == 8;

  SweepContext<P> context_;
  const LocalGraph& graph_;
  NodeRecord& record_;
  Pace& pace_;
  Arrivals<Value> arrivals_;
  View<Value> view_;
  ComputeThreads threads_;
  std::optional<JoinForest> forest_;
  std::vector<Value> best_;              // by set
  std::vector<std::uint32_t> first_;     // index into boundary_, by set
  std::vector<std::uint32_t> boundary_;  // vertices that other nodes read, ordered by set
  IterationSample sample_;
};

}  // namespace leeway
