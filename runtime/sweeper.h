// One thread's stretch of a sweep over local vertices: runs updates, stores what changed, and hands over
// what it gathered after every batch, so that the other nodes hear of it and time is accounted for. Made
// anew for each stretch.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "leeway/runtime/engine_options.h"
#include "leeway/runtime/residual.h"
#include "leeway/runtime/snapshot_taker.h"
#include "leeway/runtime/vertex_program.h"

namespace leeway {

/// What all stretches of a node share.
template <class P>
struct SweepContext {
  Node& node;
  const Shard& shard;
  Dsm<typename P::Value>& dsm;
  const P& program;
  const EngineOptions& options;
  std::uint32_t look_ahead =
      0;  ///< vertices whose misses are asked for together, before the first is run
  /// What `look_ahead` is to be in a bounded cache. If only some vertices run, each asks for itself: what those between
  /// them read would take the places of what is needed.
  [[nodiscard]] std::uint32_t bounded_look_ahead(bool all_run) const {
    return all_run ? options.lookahead : std::min(1U, options.lookahead);
  }
  SnapshotTaker* snapshots = nullptr;  ///< for an engine that is not paced
  bool measures = true;                ///< residuals, of programs that have them
};

template <class P>
class Sweeper {
  using Value = typename P::Value;

 public:
  explicit Sweeper(const SweepContext<P>& context)
      : context_(context),
        view_(context.dsm),
        vertex_(context.shard, view_),
        alone_(context.node.node_count() == 1 && view_.plain()),
        batch_(batch_size(context)),
        most_ahead_(most_ahead(context)) {}

  /// Runs the update of `local` and stores its value if it changed; returns whether it did.
  bool run(std::uint32_t local) {
    if (context_.look_ahead > 0) look_ahead(local);
    vertex_.move_to(local);
    units_ += effort_of(context_.program, vertex_);
    const Value old = vertex_.value();
    const Value now = updated(context_.program, vertex_);
    measure(local, old, now);
    const bool changed = has_changed(context_.program, context_.shard.vertices()[local], old, now);
    if (changed) store(local, now);
    account(changed);
    return changed;
  }
  /// Only computes: for schedulers that store later.
  [[nodiscard]] Value compute(std::uint32_t local) {
    if (context_.look_ahead > 0) look_ahead(local);
    vertex_.move_to(local);
    units_ += effort_of(context_.program, vertex_);
    const Value now = updated(context_.program, vertex_);
    account(false);
    return now;
  }
  void store(std::uint32_t local, const Value& value) {
    if (alone_ || (view_.plain() && !context_.shard.read_afar(local))) {
      view_.store_local(Handle(local), value);
    } else {
      view_.store(Handle(local), value);
    }
  }
  [[nodiscard]] Value value(std::uint32_t local) { return view_.fetch(Handle(local)); }
  [[nodiscard]] View<Value>& view() { return view_; }
  [[nodiscard]] const Vertex<Value>& at(std::uint32_t local) {
    vertex_.move_to(local);
    return vertex_;
  }
  [[nodiscard]] std::uint64_t visited() const { return visited_; }
  /// Counts what `compute` gave for it.
  void measure(std::uint32_t local, const Value& old, const Value& now) {
    if constexpr (measures_moves<P>()) {
      if (!context_.measures) return;
      const LocalVertex vertex{context_.shard.vertices()[local], local};
      residuals_[local % kStrands].add(context_.program.moved(vertex, old, now));
    }
  }
  /// Of all that this stretch has run or measured; of a program that has one.
  [[nodiscard]] std::optional<Residual> residual() const {
    if (!measures_moves<P>() || !context_.measures) return std::nullopt;
    Residual whole;
    for (const Residual& strand : residuals_) whole.add(strand);
    return whole;
  }

  /// Asks for what these vertices will miss, in one message a home, before anything blocks.
  void fetch_ahead(std::span<const std::uint32_t> vertices) {
    if (context_.node.node_count() == 1) return;
    missing_.clear();
    for (const std::uint32_t v : vertices) find_missing(v);
    ask_for_missing();
  }

  /// Hands over what has gathered and accounts for the time it took. Between batches by itself.
  void publish() {
    view_.publish();
    const Work work{.fetches = units_ - vertices_,
                    .stores = stores_,
                    .edges = units_ - vertices_,
                    .vertices = vertices_};
    units_ = vertices_ = stores_ = 0;
    context_.node.transport().charge(work);
    if (!alone_) context_.node.progress();
  }

 private:
  /// In inputs and vertices, so that counting costs one addition.
  static std::uint64_t batch_size(const SweepContext<P>& context) {
    if (context.node.node_count() == 1) return std::uint64_t{1} << 20U;
    const std::uint64_t price = context.options.cost.fetch_ps + context.options.cost.edge_ps;
    return std::max<std::uint64_t>(1, context.options.batch_ps / std::max<std::uint64_t>(1, price));
  }

  /// Objects that are asked for together: a small cache would evict the first before they are read.
  static std::size_t most_ahead(const SweepContext<P>& context) {
    const std::size_t capacity = context.dsm.space().cache_capacity();
    if (capacity == 0) return SIZE_MAX;
    return std::max<std::size_t>(1, capacity / (2 * std::size_t{context.options.threads}));
  }

  void account(bool stored) {
    units_ += vertex_.degree() + 1;
    ++vertices_;
    ++visited_;
    stores_ += stored ? 1 : 0;
    if (units_ >= batch_) publish();
  }

  /// Before the next vertices in a row are run, unless it has been done for this one.
  void look_ahead(std::uint32_t local) {
    if (local >= looked_from_ && local < looked_until_) return;
    const std::uint32_t end = std::min(local + context_.look_ahead, context_.shard.local_count());
    missing_.clear();
    looked_from_ = looked_until_ = local;
    while (looked_until_ < end && missing_.size() < most_ahead_) find_missing(looked_until_++);
    ask_for_missing();
  }
  /// Copies that the vertex reads and that cannot be used as they are.
  void find_missing(std::uint32_t local) {
    const Shard& shard = context_.shard;
    const std::uint64_t* offsets = shard.input_offsets();
    const std::uint64_t first =
        offsets[local] + (shard.local_inputs() == nullptr ? 0 : shard.local_inputs()[local]);
    for (std::uint64_t i = first; i < offsets[local + std::size_t{1}]; ++i) {
      const std::uint32_t handle = shard.inputs()[i];
      if (handle < shard.local_count()) continue;
      const MetIndex met(handle - context_.dsm.space().local_handles());
      if (context_.dsm.space().age(met) == Space::kUnusable) missing_.emplace_back(handle);
    }
  }
  void ask_for_missing() {
    if (missing_.empty()) return;
    view_.publish();
    context_.dsm.prefetch(std::span<const Handle>(missing_));
  }

  const SweepContext<P>& context_;
  View<Value> view_;
  Vertex<Value> vertex_;
  const bool alone_;
  const std::uint64_t batch_;
  const std::size_t most_ahead_;
  std::uint64_t units_ = 0;
  std::uint64_t vertices_ = 0;
  std::uint64_t stores_ = 0;
  std::uint64_t visited_ = 0;
  /// Side by side, so that no vertex' sum waits for the one before it.
  static constexpr std::size_t kStrands = 4;
  std::array<Residual, kStrands> residuals_;
  std::uint32_t looked_from_ = 0;
  std::uint32_t looked_until_ = 0;
  std::vector<Handle> missing_;
};

}  // namespace leeway
