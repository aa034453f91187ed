// The loops of a vertex program over its vertices: a sweep over a range (Sweeper), and what the engines call
// (SweepKernelOf).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "dsm/dsm.h"
#include "leeway/vertex.h"
#include "runtime/graph/load_ahead.h"
#include "runtime/graph/local_graph.h"
#include "runtime/vertex/active_set.h"
#include "runtime/vertex/kernel.h"
#include "runtime/vertex/read_ahead.h"

namespace leeway {

/// One thread's sweep over a range of local vertices: runs updates, stores changed values, and after each batch
/// publishes them and accounts for the computing time. Constructed for each range.
template <class P>
class Sweeper {
  using Value = typename P::Value;

 public:
  Sweeper(const SweepContext& context, Dsm<Value>& dsm, const P& program)
      : context_(context),
        program_(program),
        view_(dsm),
        vertex_(context.graph, view_),
        alone_(context.alone() && view_.plain()),
        stores_unchanged_(!alone_ && context.stores_unchanged),
        batch_(context.alone() ? kBatchAlone : context.batch_size()),
        ahead_(context) {}

  /// Runs the update of `local` and stores its value if it changed; returns whether it did.
  bool run(std::uint32_t local) {
    if (context_.look_ahead > 0) look_ahead(local);
    vertex_.move_to(local);
    units_ += effort_of(program_, vertex_);
    const Value old = vertex_.value();
    const Value now = updated(program_, vertex_);
    measure(local, old, now);
    const bool changed = has_changed(program_, {context_.graph.vertices()[local], local}, old, now);
    if (changed) regather(local, old, now);
    const bool stores = changed || stores_unchanged_;
    if (stores) store(local, now);
    account(stores);
    return changed;
  }
  /// `run` for all of [begin, end); returns how many values changed.
  std::uint64_t run_all(std::uint32_t begin, std::uint32_t end) {
    std::byte* const memory = view_.memory();
    const bool unchanged_too = stores_unchanged_;
    return each_update(begin, end,
                       [&](auto alone, std::uint32_t v, const Value& now, bool changed) {
                         if (!changed && (alone || !unchanged_too)) return false;
                         if constexpr (alone && View<Value>::kInWords) {
                           View<Value>::store_in(memory, v, now);
                         } else {
                           store(v, now);
                         }
                         return true;
                       });
  }
  /// The same without stores: calls take(local, now, changed) instead.
  template <class Take>
  std::uint64_t compute_all(std::uint32_t begin, std::uint32_t end, const Take& take) {
    return each_update(begin, end, [&](auto, std::uint32_t v, const Value& now, bool changed) {
      take(v, now, changed);
      return false;
    });
  }
  /// Only computes, for schedulers that store later.
  [[nodiscard]] Value compute(std::uint32_t local) {
    if (context_.look_ahead > 0) look_ahead(local);
    vertex_.move_to(local);
    units_ += effort_of(program_, vertex_);
    const Value now = updated(program_, vertex_);
    account(false);
    return now;
  }
  void store(std::uint32_t local, const Value& value) {
    if (alone_ || (view_.plain() && !context_.graph.read_remotely(local))) {
      view_.store_local(Handle(local), value);
    } else {
      view_.store(Handle(local), value);
    }
  }
  [[nodiscard]] Value value(std::uint32_t local) { return view_.fetch(Handle(local)); }
  [[nodiscard]] View<Value>& view() { return view_; }
  void touch(Handle copy) { (void)view_.fetch(copy); }
  [[nodiscard]] std::uint64_t visited() const { return visited_; }
  /// Adds the change from `old` to `now` to the residual.
  void measure(std::uint32_t local, const Value& old, const Value& now) {
    if constexpr (measures_moves<P>()) {
      if (!context_.measures) return;
      const LocalVertex vertex{context_.graph.vertices()[local], local};
      residual_.add(program_.moved(vertex, old, now));
    }
  }
  /// Corrects the sum by the change from `old` to `now`.
  void regather(std::uint32_t local, const Value& old, const Value& now) {
    if constexpr (GatheringProgram<P>) {
      if (!context_.gathers) return;
      const LocalVertex vertex{context_.graph.vertices()[local], local};
      gathered_ += program_.gather(vertex, now) - program_.gather(vertex, old);
    }
  }
  /// The sum over the values after run_all or compute_all; after `run` and `regather`: its change.
  [[nodiscard]] std::uint64_t gathered() const { return gathered_; }
  /// The residual of everything run or measured by this object; absent if the program has none.
  [[nodiscard]] std::optional<Residual> residual() const {
    if (!measures_moves<P>() || !context_.measures) return std::nullopt;
    return residual_;
  }

  /// Requests the misses of these vertices, in one message to each home, before anything blocks.
  void fetch_ahead(std::span<const std::uint32_t> vertices) {
    if (!context_.alone()) request(ahead_.missing_of(vertices));
  }

  /// Publishes stored values and accounts for the computing time. Also called after each batch.
  [[gnu::noinline]] void publish() {
    view_.publish();
    context_.charge(vertices_, units_ - vertices_, stores_);
    units_ = vertices_ = stores_ = 0;
    if (!alone_) context_.progress();
  }

  /// Publishes if computing since the last time took as long as about one message takes to send.
  void publish_if_worth_it() {
    constexpr std::uint64_t kMessages = 8;  // worth of a batch
    if (units_ >= batch_ / kMessages) publish();
  }

 private:
  template <class Take>
  std::uint64_t each_update(std::uint32_t begin, std::uint32_t end, const Take& take) {
    const std::uint32_t until = std::clamp(prefetches_until(), begin, end);
    if (!alone_ || !vertex_.reads_memory()) {
      return each_in_range<false, kInputsAhead>(begin, until, take) +
             each_in_range<false, 0>(until, end, take);
    }
    return each_in_range<true, kInputsAhead>(begin, until, take) +
           each_in_range<true, 0>(until, end, take);
  }

  /// The vertices below this one load inputs ahead.
  [[nodiscard]] std::uint32_t prefetches_until() const {
    const LocalGraph& graph = context_.graph;
    if (!View<Value>::kInWords || !view_.plain()) return 0;
    const std::size_t values = std::size_t{graph.local_count()} + graph.copy_count();
    return loads_ahead_until(graph.input_offsets(), graph.local_count(), values * sizeof(Value));
  }

  /// Calls take(alone, local, now, changed) for each vertex of the range, which returns whether it stored the value. One
  /// loop without calls, whose variables are not read again after each store: with few arcs for a vertex, that would
  /// cost more than the arcs.
  template <bool kAlone, std::uint32_t kAhead, class Take>
  [[gnu::flatten]] std::uint64_t each_in_range(std::uint32_t begin, std::uint32_t end,
                                               const Take& take) {
    const P& program = program_;
    const VertexId* const ids = context_.graph.vertices().data();
    Vertex<Value> vertex(context_.graph, view_, kAhead);
    if (kAlone && !vertex.reads_memory()) __builtin_unreachable();
    const bool requests = !kAlone && context_.look_ahead > 0;
    const bool measures = measures_moves<P>() && context_.measures;
    const bool gathers = GatheringProgram<P> && context_.gathers;
    Residual residual;
    std::uint64_t gathered = 0;
    std::uint64_t changed = 0;
    std::uint64_t stored = 0;
    std::uint64_t units = units_;
    std::uint32_t accounted = begin;
    for (std::uint32_t v = begin; v < end; ++v) {
      if (requests) look_ahead(v);
      vertex.move_to(v);
      units += effort_of(program, vertex) + vertex.degree() + 1;
      const Value old = vertex.value();
      const Value now = updated(program, vertex);
      if constexpr (measures_moves<P>()) {
        if (measures) residual.add(program.moved(LocalVertex{ids[v], v}, old, now));
      }
      const bool moved = has_changed(program, {ids[v], v}, old, now);
      stored += take(std::bool_constant<kAlone>(), v, now, moved) ? 1 : 0;
      changed += moved ? 1 : 0;
      if constexpr (GatheringProgram<P>) {
        if (gathers) gathered += program.gather({ids[v], v}, moved ? now : old);
      }
      if (units >= batch_) {
        account_all(v + 1 - accounted, units, std::exchange(stored, 0));
        accounted = v + 1;
        publish();
        units = units_;
      }
    }
    account_all(end - accounted, units, stored);
    residual_.add(residual);
    gathered_ += gathered;
    return changed;
  }
  void account_all(std::uint32_t vertices, std::uint64_t units, std::uint64_t stores) {
    units_ = units;
    vertices_ += vertices;
    visited_ += vertices;
    stores_ += stores;
  }

  void account(bool stored) {
    units_ += vertex_.degree() + 1;
    ++vertices_;
    ++visited_;
    stores_ += stored ? 1 : 0;
    if (units_ >= batch_) publish();
  }

  /// Requests the misses of the next vertices, unless they were requested with an earlier vertex.
  [[gnu::noinline]] void look_ahead(std::uint32_t local) { request(ahead_.before(local)); }
  void request(std::span<const Handle> copies) {
    if (copies.empty()) return;
    view_.publish();
    context_.space.prefetch(copies);
  }

  static constexpr std::uint64_t kBatchAlone = std::uint64_t{1} << 20U;

  const SweepContext& context_;
  const P& program_;
  View<Value> view_;
  Vertex<Value> vertex_;
  const bool alone_;
  const bool stores_unchanged_;
  const std::uint64_t batch_;
  std::uint64_t units_ = 0;
  std::uint64_t vertices_ = 0;
  std::uint64_t stores_ = 0;
  std::uint64_t visited_ = 0;
  std::uint64_t gathered_ = 0;
  Residual residual_;
  ReadAhead ahead_;
};

template <class P>
class SweepKernelOf final : public SweepKernel {
  using Value = typename P::Value;

 public:
  /// `begun`: vertices whose values the begin of the stage changed.
  SweepKernelOf(const SweepContext& context, Dsm<Value>& dsm, P& program,
                std::span<const std::uint32_t> begun)
      : context_(context), dsm_(dsm), program_(program), view_(dsm), begun_(begun) {}

  [[nodiscard]] ProgramTraits traits() const override {
    return {
        .resting_move = resting_move_of(program_),
        .gathers = GatheringProgram<P>,
        .gathers_in_place = gathers_in_place(program_),
        .moves_on = moves_on<P>(),
        // A vertex that reads nothing does not learn of changes, and a bounded cache is not filled before the run.
        .starts_with_some = StartingProgram<P> && !context_.space.bounded(),
        .always_rests = always_rests<P>()};
  }
  bool give_sum(std::uint64_t sum) override {
    if constexpr (GatheringProgram<P>) return leeway::give_sum(program_, sum);
    return false;
  }
  [[nodiscard]] std::uint64_t sum_gathered() override {
    std::uint64_t sum = 0;
    if constexpr (GatheringProgram<P>) {
      View<Value> view(dsm_);
      for (std::uint32_t v = 0; v < context_.graph.local_count(); ++v)
        sum += program_.gather({context_.graph.vertices()[v], v}, view.fetch(Handle(v)));
    }
    return sum;
  }

  void touch(Handle copy) override {
    if (round_) return round_->touch(copy);
    (void)view_.fetch(copy);
  }
  void publish() override { view_.publish(); }

  Swept run(LocalRange range, Visits visits, ActiveSet& active) override {
    Sweeper<P> sweeper(context_, dsm_, program_);
    if (visits == Visits::All) return over(sweeper, sweeper.run_all(range.begin, range.end));
    std::uint64_t changed = 0;
    each(range, visits, active, [&](std::uint32_t v) {
      if (!sweeper.run(v)) return;
      ++changed;
      mark(v, sweeper.view(), active);
    });
    return over(sweeper, changed);
  }
  Swept look(LocalRange range, Visits visits, ActiveSet& active) override {
    Sweeper<P> sweeper(context_, dsm_, program_);
    if (visits == Visits::All) {
      (void)sweeper.compute_all(range.begin, range.end, [](std::uint32_t, const Value&, bool) {});
    } else {
      for (std::uint32_t v = range.begin; v < range.end; ++v) {
        if (active.contains(v)) sweeper.measure(v, sweeper.value(v), sweeper.compute(v));
      }
    }
    return over(sweeper, 0);
  }
  Swept compute(LocalRange range, Visits visits, ActiveSet& active, ActiveSet& changed) override {
    Sweeper<P> sweeper(context_, dsm_, program_);
    Value* const next = next_.data();
    if (visits == Visits::All) {
      const auto keep = [&](std::uint32_t v, const Value& now, bool changes) {
        next[v] = now;
        if (changes) changed.add(v);
      };
      return over(sweeper, sweeper.compute_all(range.begin, range.end, keep));
    }
    std::uint64_t count = 0;
    active.take(range.begin, range.end, [&](std::uint32_t v) {
      const Value now = sweeper.compute(v);
      const Value old = sweeper.value(v);
      next[v] = now;
      sweeper.measure(v, old, now);
      if (!has_changed(program_, {context_.graph.vertices()[v], v}, old, now)) return;
      sweeper.regather(v, old, now);
      changed.add(v);
      ++count;
    });
    return over(sweeper, count);
  }

  std::span<const std::uint32_t> concerned(std::uint32_t handle) override {
    if constexpr (ConcerningProgram<P>) {
      concerned_.clear();
      each_concerned(handle, view_, [&](std::uint32_t reader) { concerned_.push_back(reader); });
      return concerned_;
    } else {
      return context_.graph.readers(handle).vertices;
    }
  }
  void add_starting(ActiveSet& active) override {
    if constexpr (StartingProgram<P>) {
      for (std::uint32_t v = 0; v < context_.graph.local_count(); ++v) {
        if (program_.starts({context_.graph.vertices()[v], v}, view_.fetch(Handle(v))))
          active.add(v);
      }
      for (const std::uint32_t v : begun_) active.add(concerned(v));
    }
  }

  void begin_supersteps() override { next_.resize(context_.graph.local_count()); }
  void store(ActiveSet& changed, ActiveSet* active) override {
    Sweeper<P> sweeper(context_, dsm_, program_);
    changed.take(0, context_.graph.local_count(), [&](std::uint32_t v) {
      sweeper.store(v, next_[v]);
      if (active != nullptr) mark(v, sweeper.view(), *active);
    });
    sweeper.publish();
  }

  void begin_round() override { round_.emplace(context_, dsm_, program_); }
  void run_piece(std::span<const std::uint32_t> vertices,
                 std::vector<std::uint32_t>& changed) override {
    if (!context_.space.bounded()) round_->fetch_ahead(vertices);
    for (const std::uint32_t v : vertices) {
      if (round_->run(v)) changed.push_back(v);
    }
  }
  void publish_if_worth_it() override { round_->publish_if_worth_it(); }
  Swept end_round() override {
    const Swept swept = over(*round_, 0);
    round_.reset();
    return swept;
  }

 private:
  /// Calls `run(v)` for the vertices of the range that are visited.
  template <class Run>
  static void each(LocalRange range, Visits visits, ActiveSet& active, const Run& run) {
    if (visits == Visits::Active) return active.take(range.begin, range.end, run);
    for (std::uint32_t v = range.begin; v < range.end; ++v) run(v);
  }
  /// What a change of the vertex activates.
  void mark(std::uint32_t v, View<Value>& view, ActiveSet& active) const {
    if constexpr (ConcerningProgram<P>) {
      each_concerned(v, view, [&](std::uint32_t reader) { active.add(reader); });
    } else {
      active.add(context_.graph.readers(v).vertices);
    }
    if constexpr (moves_on<P>()) active.add(v);
  }
  /// Calls use(reader) for the readers that the change of an object concerns: all of a copy that is not current.
  template <class Use>
  void each_concerned(std::uint32_t handle, View<Value>& view, const Use& use) const {
    const auto [readers, weights] = context_.graph.readers(handle);
    const bool known = handle < context_.graph.local_count() || view.is_current(Handle(handle));
    if (!known) {
      for (const std::uint32_t reader : readers) use(reader);
      return;
    }
    const Value changed = view.fetch(Handle(handle));
    for (std::size_t i = 0; i < readers.size(); ++i) {
      const double weight = weights == nullptr ? 1.0 : weights[i];
      if (program_.concerns(changed, weight, view.fetch(Handle(readers[i])))) use(readers[i]);
    }
  }
  static Swept over(Sweeper<P>& sweeper, std::uint64_t changed) {
    sweeper.publish();
    return {.visited = sweeper.visited(),
            .changed = changed,
            .gathered = sweeper.gathered(),
            .residual = sweeper.residual()};
  }

  const SweepContext& context_;
  Dsm<Value>& dsm_;
  P& program_;
  View<Value> view_;
  std::span<const std::uint32_t> begun_;
  std::vector<std::uint32_t> concerned_;
  std::vector<Value> next_;          // the values that a superstep will store
  std::optional<Sweeper<P>> round_;  // the present round of pieces
};

}  // namespace leeway
