// What the engines on vertices share: the set of active vertices (ActiveSet), the changed copies (Arrivals), and a
// sweep over local vertices (SweepContext, Sweeper).
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "dsm/dsm.h"
#include "leeway/options.h"
#include "leeway/vertex.h"
#include "runtime/cluster/checkpointer.h"
#include "runtime/cluster/compute_threads.h"
#include "runtime/cluster/record.h"
#include "runtime/graph/load_ahead.h"
#include "runtime/graph/local_graph.h"
#include "runtime/vertex/announced_reads.h"

namespace leeway {

/// The local vertices that must run: a bit for each.
///
/// A thread that adds a vertex has stored a value that the vertex must see. Adding releases and taking acquires, both
/// by a read-modify-write of the vertex's word, so only two orders exist. If the taker clears the bit after it was
/// added, it sees the value; if before, the bit stays set for the next take. Skipping the write when the bit is
/// already set would add a third order: the store may still be on its way to memory while a taker has cleared the bit
/// and reads the old value, and no thread would run the vertex again. Adding a list costs one such operation for each
/// word, not for each vertex. test/runtime/active_set_test.cc runs this code through all its interleavings, with its
/// own `Ref`.
template <template <class> class Ref>
class BasicActiveSet {
 public:
  /// `threads`: number of threads that add and take; with one, nothing is atomic.
  BasicActiveSet(std::uint32_t universe, unsigned threads)
      : universe_(universe), shared_(threads > 1), words_(universe / kWordBits + std::size_t{1}) {}

  static constexpr std::uint32_t kWordBits = 64;

  /// Any thread.
  void add(std::uint32_t index) { set(index / kWordBits, bit_of(index)); }
  /// Any thread. Fastest if adjacent entries of the list are in the same word.
  void add(std::span<const std::uint32_t> indices) {
    std::uint32_t at = 0;
    std::uint64_t bits = 0;
    for (const std::uint32_t index : indices) {
      if (index / kWordBits != at) {
        if (bits != 0) set(at, bits);
        at = index / kWordBits;
        bits = 0;
      }
      bits |= bit_of(index);
    }
    if (bits != 0) set(at, bits);
  }
  void add_all() {
    for (std::uint32_t i = 0; i < universe_; i += kWordBits) {
      const std::uint32_t left = universe_ - i;
      words_[i / kWordBits] =
          left >= kWordBits ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
    }
  }
  [[nodiscard]] bool contains(std::uint32_t index) const {
    return (look(index / kWordBits) & bit_of(index)) != 0;
  }
  [[nodiscard]] bool empty() const {
    for (std::uint32_t at = 0; at < words_.size(); ++at) {
      if (look(at) != 0) return false;
    }
    return true;
  }

  /// Calls `run(index)` for the members of [begin, end), ascending, and removes each before its call. Members that
  /// are added meanwhile above the current one are run too; those below stay for the next take, so that no chunk runs
  /// twice while other threads wait. Requires that `begin` and `end` are multiples of kWordBits, except at the end of
  /// the universe (checked), so that no two threads take from one word.
  template <class Run>
  void take(std::uint32_t begin, std::uint32_t end, Run&& run) {
    LEEWAY_CHECK(begin % kWordBits == 0u);
    LEEWAY_CHECK((end % kWordBits == 0u || end == universe_), end);
    for (std::uint32_t at = begin / kWordBits; at * kWordBits < end; ++at) {
      std::uint64_t ahead = ~std::uint64_t{0};
      while (const std::uint64_t bits = look(at) & ahead) {
        const std::uint64_t lowest = bits & (~bits + 1);
        ahead = ~(lowest | (lowest - 1));
        clear(at, lowest);
        run(at * kWordBits + static_cast<std::uint32_t>(std::countr_zero(bits)));
      }
    }
  }

 private:
  using Word = Ref<std::uint64_t>;

  [[nodiscard]] std::uint64_t look(std::uint32_t at) const {
    return Word(const_cast<std::uint64_t&>(words_[at])).load(std::memory_order_relaxed);
  }
  [[nodiscard]] static std::uint64_t bit_of(std::uint32_t index) {
    return std::uint64_t{1} << (index % kWordBits);
  }
  void set(std::uint32_t at, std::uint64_t bits) {
    Word word(words_[at]);
    if (shared_) {
      word.fetch_or(bits, std::memory_order_release);
    } else {
      word.store(word.load(std::memory_order_relaxed) | bits, std::memory_order_relaxed);
    }
  }
  void clear(std::uint32_t at, std::uint64_t bits) {
    Word word(words_[at]);
    if (shared_) {
      word.fetch_and(~bits, std::memory_order_acquire);
    } else {
      word.store(word.load(std::memory_order_relaxed) & ~bits, std::memory_order_relaxed);
    }
  }

  std::uint32_t universe_;
  bool shared_;
  std::vector<std::uint64_t> words_;
};

using ActiveSet = BasicActiveSet<std::atomic_ref>;

/// Calls `use(handle, value)` for the copies `handle_at(0)` to `handle_at(count - 1)`, which may be missing. Missing
/// copies are requested together: all of them, or as many as fit into half of a bounded cache.
template <class Value, class HandleAt, class Use>
void read_copies(Space& space, View<Value>& view, std::size_t count, const HandleAt& handle_at,
                 Use&& use) {
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
void read_all_copies(Space& space, View<Value>& view, const LocalGraph& graph, Use&& use) {
  const auto handle_at = [first = graph.local_count()](std::size_t slot) {
    return Handle(first + static_cast<std::uint32_t>(slot));
  };
  read_copies(space, view, graph.copy_count(), handle_at, use);
}

/// The copies that have changed since the engine last processed them. A copy that is current, or that the mode may
/// not use without a fetch, is reported immediately, so that its readers run. A copy that is stale but usable is
/// read once per iteration until its new value arrives; the read requests a refresh, and the stale use keeps the job
/// from ending (ASPIRE §4.2). Not thread-safe.
template <class Value>
class Arrivals {
 public:
  /// Requires a space that notes changes.
  explicit Arrivals(Dsm<Value>& dsm) : space_(dsm.space()), watched_(space_.met_limit(), false) {}

  /// True if something has arrived, for a node that waits. A copy that has become stale but usable counts too: its
  /// new value is requested only when it is read, so an idle node would otherwise get it only at the pace of the
  /// slowest node.
  [[nodiscard]] bool any() {
    look();
    return !fresh_.empty() || newly_stale_;
  }
  /// True if nothing but stale copies has arrived, so running updates is useless. Requests their refresh.
  [[nodiscard]] bool only_stale(View<Value>& view) {
    look();
    if (!fresh_.empty() || !newly_stale_) return false;
    newly_stale_ = false;
    touch_stale(view);
    return fresh_.empty();
  }

  /// Calls `run(handle)` for every copy whose readers should run. `reads_stale`: the first call of an iteration.
  template <class Run>
  void take(View<Value>& view, Run&& run, bool reads_stale = true) {
    if (reads_stale) {
      look_and_touch(view);
    } else {
      look();
    }
    // With a bounded cache, vertices request their misses when they run.
    if (!space_.bounded()) request_unusable();
    for (const MetIndex met : fresh_) run(handle(met));
    fresh_.clear();
  }
  /// The same for engines that read the copies directly: calls `use(handle, value)`.
  template <class Use>
  void read(View<Value>& view, Use&& use) {
    look_and_touch(view);
    read_copies(
        space_, view, fresh_.size(), [&](std::size_t i) { return handle(fresh_[i]); }, use);
    fresh_.clear();
  }
  /// For an iteration that runs all vertices anyway: only keeps track of the stale copies.
  void pass() {
    look();
    newly_stale_ = false;
    split_stale([](MetIndex) {});
    fresh_.clear();
  }

 private:
  [[nodiscard]] Handle handle(MetIndex met) const {
    return Handle(space_.local_handles() + met.value());
  }
  [[nodiscard]] bool usable_but_stale(MetIndex met) const {
    const std::uint8_t age = space_.age(met);
    return age != 0 && age != Space::kUnusable;
  }

  void look() {
    space_.take_changed([&](MetIndex met) {
      if (!usable_but_stale(met)) {
        fresh_.push_back(met);
        return;
      }
      newly_stale_ = true;
      if (watched_[met.index()]) return;
      watched_[met.index()] = true;
      stale_.push_back(met);
    });
  }

  /// Requests all of them before the first is waited for.
  void request_unusable() {
    missing_.clear();
    for (const MetIndex met : fresh_) {
      if (space_.age(met) == Space::kUnusable) missing_.push_back(handle(met));
    }
    if (!missing_.empty()) space_.prefetch(missing_);
  }

  void look_and_touch(View<Value>& view) {
    look();
    newly_stale_ = false;
    touch_stale(view);
  }

  void touch_stale(View<Value>& view) {
    split_stale([&](MetIndex met) { (void)view.fetch(handle(met)); });
  }
  /// Moves copies that are no longer stale to fresh_; calls `still(met)` for the others.
  template <class Still>
  void split_stale(Still&& still) {
    std::size_t kept = 0;
    for (const MetIndex met : stale_) {
      if (usable_but_stale(met)) {
        still(met);
        stale_[kept++] = met;
      } else {
        watched_[met.index()] = false;
        fresh_.push_back(met);
      }
    }
    stale_.resize(kept);
  }

  Space& space_;
  std::vector<MetIndex> fresh_;
  std::vector<MetIndex> stale_;
  std::vector<Handle> missing_;
  std::vector<bool> watched_;  // by met object: is in stale_
  bool newly_stale_ = false;   // a copy has become stale since stale_ was last read
};

/// The data that all Sweepers of a node share.
template <class P>
struct SweepContext {
  Node& node;
  const LocalGraph& graph;
  Dsm<typename P::Value>& dsm;
  const P& program;
  const EngineOptions& options;
  const CostModel& cost;  ///< prices by which the compute time of a batch is estimated
  /// Vertices whose misses are requested together, before the first of them runs; 0: none.
  std::uint32_t look_ahead = 0;
  /// The value of `look_ahead` for a bounded cache. If only some vertices run, each requests its own misses:
  /// requesting also the inputs of the vertices between them would evict what is needed.
  [[nodiscard]] std::uint32_t bounded_look_ahead(bool all_run) const {
    return all_run ? options.lookahead : std::min(1U, options.lookahead);
  }
  CheckpointVotes* snapshots = nullptr;  ///< for engines without a Pace
  bool measures = true;                  ///< measure residuals, if the program can
  bool gathers = false;                  ///< add up what a GatheringProgram gathers
};

/// One thread's sweep over a range of local vertices: runs updates, stores changed values, and after each batch
/// publishes them and accounts for the computing time. Constructed for each range.
template <class P>
class Sweeper {
  using Value = typename P::Value;

 public:
  explicit Sweeper(const SweepContext<P>& context)
      : context_(context),
        view_(context.dsm),
        vertex_(context.graph, view_),
        alone_(context.node.node_count() == 1 && view_.plain()),
        batch_(batch_size(context)),
        most_ahead_(most_ahead(context)) {
    Space& space = context.dsm.space();
    if (context.look_ahead > 0 && space.is_announced())
      announced_.emplace(context.graph, space, window_limits(context));
  }

  /// Runs the update of `local` and stores its value if it changed; returns whether it did.
  bool run(std::uint32_t local) {
    if (context_.look_ahead > 0) look_ahead(local);
    vertex_.move_to(local);
    units_ += effort_of(context_.program, vertex_);
    const Value old = vertex_.value();
    const Value now = updated(context_.program, vertex_);
    measure(local, old, now);
    const bool changed =
        has_changed(context_.program, {context_.graph.vertices()[local], local}, old, now);
    if (changed) {
      regather(local, old, now);
      store(local, now);
    }
    account(changed);
    return changed;
  }
  /// `run` for all of [begin, end); returns how many values changed.
  std::uint64_t run_all(std::uint32_t begin, std::uint32_t end) {
    std::byte* const memory = view_.memory();
    return each_update(begin, end,
                       [&](auto alone, std::uint32_t v, const Value& now, bool changed) {
                         if (!changed) return false;
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
    units_ += effort_of(context_.program, vertex_);
    const Value now = updated(context_.program, vertex_);
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
  [[nodiscard]] const Vertex<Value>& at(std::uint32_t local) {
    vertex_.move_to(local);
    return vertex_;
  }
  [[nodiscard]] std::uint64_t visited() const { return visited_; }
  /// Adds the change from `old` to `now` to the residual.
  void measure(std::uint32_t local, const Value& old, const Value& now) {
    if constexpr (measures_moves<P>()) {
      if (!context_.measures) return;
      const LocalVertex vertex{context_.graph.vertices()[local], local};
      residual_.add(context_.program.moved(vertex, old, now));
    }
  }
  /// Corrects the sum by the change from `old` to `now`.
  void regather(std::uint32_t local, const Value& old, const Value& now) {
    if constexpr (GatheringProgram<P>) {
      if (!context_.gathers) return;
      const LocalVertex vertex{context_.graph.vertices()[local], local};
      gathered_ += context_.program.gather(vertex, now) - context_.program.gather(vertex, old);
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
    if (context_.node.node_count() == 1) return;
    missing_.clear();
    for (const std::uint32_t v : vertices) find_missing(v);
    request_missing();
  }

  /// Publishes stored values and accounts for the computing time. Also called after each batch.
  [[gnu::noinline]] void publish() {
    view_.publish();
    const Work work{.fetches = units_ - vertices_,
                    .stores = stores_,
                    .edges = units_ - vertices_,
                    .vertices = vertices_};
    units_ = vertices_ = stores_ = 0;
    context_.node.transport().charge(work);
    if (!alone_) context_.node.progress();
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
    const P& program = context_.program;
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

  /// In inputs plus vertices, so that counting takes one addition.
  static std::uint64_t batch_size(const SweepContext<P>& context) {
    if (context.node.node_count() == 1) return std::uint64_t{1} << 20U;
    const std::uint64_t price = context.cost.fetch_ps + context.cost.edge_ps;
    return std::max<std::uint64_t>(1, context.options.batch_ps / std::max<std::uint64_t>(1, price));
  }

  /// Number of objects requested together: with more, a small cache would evict the first ones before they are read.
  static std::size_t most_ahead(const SweepContext<P>& context) {
    const std::size_t capacity = context.dsm.space().cache_capacity();
    if (capacity == 0) return SIZE_MAX;
    constexpr std::size_t kWindows = 2;
    return std::max<std::size_t>(1, capacity / (kWindows * context.options.threads));
  }

  /// Windows of announced reads. The present one and the coming one fill the cache, so that as few requests as possible block.
  static AnnouncedReads::Limits window_limits(const SweepContext<P>& context) {
    constexpr std::uint32_t kPartsOfSweep = 8;
    const std::uint32_t part = context.graph.local_count() / kPartsOfSweep;
    return {.vertices = context.look_ahead == 1 ? 1 : std::max(context.look_ahead, part),
            .copies = most_ahead(context)};
  }

  void account(bool stored) {
    units_ += vertex_.degree() + 1;
    ++vertices_;
    ++visited_;
    stores_ += stored ? 1 : 0;
    if (units_ >= batch_) publish();
  }

  /// Requests the misses of the next vertices, unless they were requested with an earlier vertex.
  [[gnu::noinline]] void look_ahead(std::uint32_t local) {
    if (announced_) return request(announced_->go_on_to(local));
    if (local >= looked_from_ && local < looked_until_) return;
    const std::uint32_t end = std::min(local + context_.look_ahead, context_.graph.local_count());
    missing_.clear();
    looked_from_ = looked_until_ = local;
    while (looked_until_ < end && missing_.size() < most_ahead_) find_missing(looked_until_++);
    request_missing();
  }

  /// Collects the copies that the vertex reads and that are unusable.
  void find_missing(std::uint32_t local) {
    const Space& space = context_.dsm.space();
    context_.graph.each_copy(local, [&](std::uint32_t copy) {
      if (space.age(MetIndex(copy - space.local_handles())) == Space::kUnusable)
        missing_.emplace_back(copy);
    });
  }
  void request_missing() { request(missing_); }
  void request(std::span<const Handle> copies) {
    if (copies.empty()) return;
    view_.publish();
    context_.dsm.prefetch(copies);
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
  std::uint64_t gathered_ = 0;
  Residual residual_;
  std::uint32_t looked_from_ = 0;
  std::uint32_t looked_until_ = 0;
  std::vector<Handle> missing_;
  std::optional<AnnouncedReads> announced_;  // for a cache that evicts by announced reads
};

/// Calls body(sweeper, begin, end) for ranges of the local vertices, on all threads; each range is published at its end.
template <class P, class Body>
void for_sweeps(const SweepContext<P>& context, ComputeThreads& threads, const Body& body) {
  const auto chunk = [&](std::size_t begin, std::size_t end) {
    Sweeper<P> sweeper(context);
    body(sweeper, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end));
    sweeper.publish();
  };
  const std::uint32_t count = context.graph.local_count();
  if (threads.count() == 1) {
    chunk(0, count);
  } else {
    threads.for_chunks(count, threads.grain(count), chunk);
  }
}

/// What a program gathers over the present values of the node.
template <GatheringProgram P>
[[nodiscard]] std::uint64_t sum_gathered(const SweepContext<P>& context) {
  View<typename P::Value> view(context.dsm);
  std::uint64_t sum = 0;
  for (std::uint32_t v = 0; v < context.graph.local_count(); ++v)
    sum += context.program.gather({context.graph.vertices()[v], v}, view.fetch(Handle(v)));
  return sum;
}

}  // namespace leeway
