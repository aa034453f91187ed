// Stretch: the ticks of one process between two global states. Also its neighbours (Neighbours), and STEP on several
// threads (ThreadedStep).
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/ids.h"
#include "base/log.h"
#include "leeway/tick_program.h"
#include "runtime/cluster/compute_threads.h"
#include "runtime/tick/inbox.h"
#include "runtime/tick/property_check.h"
#include "runtime/tick/step_planner.h"

namespace leeway::tick {

/// The processes that one process sends to and receives from, derived from DISJOINT only (Section 5.1), once for a
/// partition. Immutable.
template <class Program>
class Neighbours {
 public:
  using Query = typename Program::Query;

  struct ReaderNode {
    NodeId node{};
    Query needed;  ///< the tuples that it holds: R_D ∘ (W_D ∘ R_D)^m (Q_j)
  };

  Neighbours(const Program& program, std::span<const Query> parts, NodeId self,
             const Levels<Program>& levels, Level lowest, Level replicas) {
    for (std::uint32_t j = 0; j < parts.size(); ++j) {
      if (NodeId(j) == self) continue;
      const Levels<Program> theirs(program, parts[j], 0, replicas);
      if (!program.disjoint(levels.own(), theirs.reach()))
        readers_.push_back({NodeId(j), theirs.held()});
      if (!program.disjoint(parts[j], levels.reach())) writers_.push_back(NodeId(j));
    }
    // The widest inner level of which no other process needs anything.
    for (Level level = 0; level >= lowest && !private_; --level) {
      bool needed = false;
      for (const ReaderNode& reader : readers_)
        needed = needed || !program.disjoint(reader.needed, levels.at(level));
      if (!needed) private_ = levels.at(level);
    }
  }

  /// Processes whose reach overlaps this process's part.
  [[nodiscard]] std::span<const ReaderNode> readers() const { return readers_; }
  /// Processes whose part overlaps this process's reach.
  [[nodiscard]] std::span<const NodeId> writers() const { return writers_; }
  /// A query whose tuples no reader needs, if there is one.
  [[nodiscard]] const std::optional<Query>& private_part() const { return private_; }

 private:
  std::vector<ReaderNode> readers_;
  std::vector<NodeId> writers_;
  std::optional<Query> private_;
};

/// A state whose selections can be split: `Selection::stretch(number, of, found)` returns the `number`-th of `of`
/// consecutive parts. Steps of different parts write to separate places of one `result`; or, if the state has `take`,
/// into separate states, which the result then takes in order.
template <class State>
concept SplitState = requires(const typename State::Selection& whole, std::size_t number,
                              typename State::Selection& found) {
  { whole.stretch(number, number, found) } -> std::same_as<void>;
};

/// STEP on a node's threads. The tuples to step are split among threads; this is safe because a step reads one
/// version and writes another. The result is the same, to the bit and in the same order, for any number of threads.
/// Data that the steps of a program share, such as an index of the context, must be safe to compute on first use by any
/// of the threads. One for each node.
template <TickProgram Program>
class ThreadedStep {
 public:
  using Query = typename Program::Query;
  using State = typename Program::State;

  ThreadedStep(const Program& program, unsigned threads) : program_(program), threads_(threads) {}

  [[nodiscard]] unsigned threads() const { return threads_.count(); }

  /// `own` and `held`: the queries with which `result` has been reset.
  void step(const typename State::Selection& to_step, const State& context, const Query& own,
            const Query& held, State& result) {
    const Instant begin = clock_.now();
    const bool apart = SplitState<State> && length_.worth_threads(to_step.size());
    if (apart) {
      if constexpr (SplitState<State>) step_apart(to_step, context, own, held, result);
    } else {
      program_.step(to_step, context, result);
    }
    length_.took(to_step.size(), clock_.now() - begin, apart);
  }

 private:
  /// Parts per thread, so that no thread waits long for the last one.
  static constexpr std::size_t kStretches = 4;

  void step_apart(const typename State::Selection& to_step, const State& context, const Query& own,
                  const Query& held, State& result) {
    const std::size_t count = kStretches * threads();
    stretches_.resize(count);
    for (std::size_t i = 0; i < count; ++i) to_step.stretch(i, count, stretches_[i]);
    if constexpr (requires { result.take(result); }) {
      results_.resize(count);
      each(count, [&](std::size_t i) {
        results_[i].reset(own, held);
        program_.step(stretches_[i], context, results_[i]);
      });
      for (const State& part : results_) result.take(part);
    } else {
      each(count, [&](std::size_t i) { program_.step(stretches_[i], context, result); });
    }
  }

  template <class Body>
  void each(std::size_t count, Body&& body) {
    threads_.for_chunks(count, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) body(i);
    });
  }

  const Program& program_;
  ComputeThreads threads_;
  SteadyClock clock_;
  LoopLength length_{threads_.count(), std::chrono::nanoseconds(100)};
  std::vector<typename State::Selection> stretches_;
  std::vector<State> results_;
};

// The ticks of one process from one global state to the next: the loop of Algorithms 1, 2 and 3 and of their
// combination. The planner decides what may be stepped, the levels give the queries, and the neighbours the
// receivers. Not thread-safe.
template <TickProgram Program>
class Stretch {
 public:
  using Query = typename Program::Query;
  using State = typename Program::State;

  Stretch(const Program& program, ThreadedStep<Program>& stepper, Inbox& inbox,
          const TickOptions& options, const SyncParameters& parameters, NodeRecord& record,
          std::span<const Query> parts, Tick first, Tick last)
      : program_(program),
        stepper_(stepper),
        inbox_(inbox),
        options_(options),
        parameters_(parameters),
        record_(record),
        parts_(parts),
        lowest_(std::max(parameters.depth, parameters.replicas + 2)),
        levels_(program, parts[inbox.self().index()], lowest_, parameters.replicas),
        neighbours_(program, parts, inbox.self(), levels_, -lowest_, parameters.replicas),
        planner_(parameters, first, last),
        base_(first),
        meter_(options.meter) {
    version(first).reset(levels_.own(), levels_.held());
    spare_.emplace_back().reset(levels_.own(),
                                levels_.held());  // allocate memory before time is measured
  }

  [[nodiscard]] const Query& held() const { return levels_.held(); }
  /// The version to fill with all tuples that `held` selects, before `run`.
  [[nodiscard]] State& start() { return versions_.front(); }
  /// After `run` to the end: the last version; this process's own part of it is complete.
  [[nodiscard]] const State& end() { return version(planner_.own()); }

  /// Ends early, without an error, if another node has stopped (Group::stop).
  Status run() {
    meter_.skip();
    while (!planner_.finished()) {
      if (is_set(options_.stop)) return fail(stopped_error());
      LEEWAY_TRY(take_arrivals());
      if (inbox_.group().stopped()) return {};
      if (const auto step = planner_.next()) {
        LEEWAY_TRY(perform(*step));
      } else {
        wait();
      }
    }
    record_.counters.spend(Counter::RuntimeProcessorTime, meter_.lap());
    return {};
  }

 private:
  State& version(Tick tick) {
    LEEWAY_CHECK(tick >= base_);
    while (versions_.size() <= tick.value() - base_.value()) {
      if (spare_.empty()) spare_.emplace_back();
      versions_.push_back(std::move(spare_.back()));
      spare_.pop_back();
      versions_.back().reset(levels_.own(), levels_.held());
      versions_.back().keep_private(neighbours_.private_part());
    }
    record_.counters.raise(Counter::MostVersions, versions_.size());
    return versions_[tick.value() - base_.value()];
  }

  /// Recycles the versions that no step will read.
  void free_versions() {
    for (; base_ < planner_.oldest(); base_ = base_.next()) {
      spare_.push_back(std::move(versions_.front()));
      versions_.pop_front();
    }
  }

  Status perform(const Step& step) {
    const State& context = version(Tick(step.tick.value() - 1));
    State& result = version(step.tick);
    const Query& inside = levels_.at(step.to);
    std::optional<Query> outside;
    if (step.from) outside = levels_.at(*step.from);
    context.select(inside, outside, to_step_);
    if (options_.check) LEEWAY_TRY(check_step(program_, context, levels_, step));
    record_.counters.spend(Counter::RuntimeProcessorTime, meter_.lap());
    const Instant begin = inbox_.endpoint().now();
    stepper_.step(to_step_, context, levels_.own(), levels_.held(), result);
    inbox_.endpoint().charge(step_price(program_, to_step_));
    count(step, begin, inbox_.endpoint().now());
    record_.counters.spend(Counter::StepProcessorTime, meter_.lap());
    planner_.stepped(step);
    if (step.completes()) LEEWAY_TRY(publish(step.tick));
    return {};
  }

  void count(const Step& step, Instant begin, Instant end) {
    Counters& counters = record_.counters;
    const bool copy = step.from && *step.from >= 0;
    counters[copy ? Counter::Copied : Counter::Stepped] += to_step_.size();
    if (step.to < 0) counters[Counter::Ahead] += to_step_.size();
    ++counters[Counter::Steps];
    counters.spend(Counter::StepTime, end - begin);
    const Activity kind = copy ? Activity::Replica : step.to < 0 ? Activity::Ahead : Activity::Step;
    record_.span({kind, begin, end, step.tick.value()});
  }

  /// Called when this process's own part of a tick is complete: sends it to the processes that need some of it.
  Status publish(Tick tick) {
    State& state = version(tick);
    state.mark_own();
    record_.ended({.at = inbox_.endpoint().now(), .visited = 1});
    if (inbox_.self() == NodeId(0)) show_done(record_.iterations.size());
    record_.counters.raise(Counter::MostAhead, planner_.ahead());
    show(tick, state);
    measure(tick, state);
    state.select_border(border_);
    if (const auto stray = state.stray(border_, levels_.own(), parts_)) {
      return fail(
          input_error(format("tick {}, part {}", tick, inbox_.self()),
                      format("STEP has made a tuple that no part selects: {}", *stray),
                      "PART must cover every place a tuple can be at, and no value may be NaN"));
    }
    if (options_.check) {
      LEEWAY_TRY(check_moves(program_, version(Tick(tick.value() - 1)), levels_, parts_,
                             inbox_.self(), tick));
    }
    if (!planner_.sends(tick)) return {};
    for (const auto& reader : neighbours_.readers()) {
      // Messages of one tick are about as long as those of the previous one: reserve the memory once.
      ByteWriter out = Inbox::message(TickMessageKind::State, tick, longest_message_);
      state.encode(border_, reader.needed, out);
      ++record_.counters[Counter::Messages];
      record_.counters[Counter::BytesSent] += out.size();
      longest_message_ = std::max(longest_message_, out.size());
      inbox_.endpoint().charge(Work{.bytes = out.size()});
      inbox_.send(reader.node, out);
    }
    return {};
  }

  /// Measures residuals. Excluded from the metered time as far as possible, because it is only done on request.
  void measure(Tick tick, const State& state) {
    if constexpr (MeasuringProgram<Program>) {
      if (options_.measure == 0 || record_.iterations.size() % options_.measure != 0) return;
      record_.counters.spend(Counter::RuntimeProcessorTime, meter_.lap());
      const State& before = version(Tick(tick.value() - 1));
      before.select(levels_.own(), std::nullopt, measured_);
      record_.iterations.back().residual = program_.moved(measured_, before, state);
      meter_.skip();
    }
  }

  void show(Tick tick, const State& state) {
    if (options_.frames == 0 || tick.value() % options_.frames != 0) return;
    ByteWriter out = Inbox::message(TickMessageKind::Picture, tick);
    state.encode_own(out);
    if (inbox_.self() == NodeId(0)) {
      inbox_.keep(out);
    } else {
      inbox_.send(NodeId(0), out);
    }
  }

  /// Processes the messages of the tick that is waited for, if all have arrived; possibly of several ticks.
  Status take_arrivals() {
    inbox_.receive();
    while (planner_.can_receive() && arrived(planner_.waiting_for()) && barrier_passed()) {
      LEEWAY_TRY(merge(planner_.waiting_for()));
      planner_.received();
      free_versions();
    }
    return {};
  }

  [[nodiscard]] bool arrived(Tick tick) const {
    const auto writers = neighbours_.writers();
    return std::all_of(writers.begin(), writers.end(), [&](NodeId writer) {
      // Drop messages of the previous stretch, whose end may have been reached by replicas without them.
      inbox_.drop_before(TickMessageKind::State, writer, tick);
      return inbox_.first(TickMessageKind::State, writer) == tick;
    });
  }

  Status merge(Tick tick) {
    State& state = version(tick);
    std::optional<StepCheck<Program>> emulated;
    if (options_.check) emulated.emplace(state, levels_, planner_.level(tick));
    state.drop_others();
    for (const NodeId writer : neighbours_.writers()) {
      inbox_.read(TickMessageKind::State, writer, [&](ByteReader& in) {
        inbox_.endpoint().charge(Work{.bytes = in.left()});
        return state.decode(in);
      });
    }
    return emulated ? emulated->compare(state, tick) : Status{};
  }

  /// The dissemination barrier: in round r, each node sends to the node 2^r places ahead, and waits for the node 2^r
  /// places behind.
  [[nodiscard]] bool barrier_passed() {
    if (!parameters_.barrier) return true;
    const std::uint32_t nodes = inbox_.node_count();
    for (; (1U << round_) < nodes; ++round_, sent_ = false) {
      const std::uint32_t distance = 1U << round_;
      if (!sent_) {
        ByteWriter out = Inbox::message(TickMessageKind::Barrier, planner_.waiting_for());
        inbox_.send(NodeId((inbox_.self().value() + distance) % nodes), out);
        sent_ = true;
      }
      const NodeId sender((inbox_.self().value() + nodes - distance) % nodes);
      if (!inbox_.first(TickMessageKind::Barrier, sender)) return false;
      (void)inbox_.take(TickMessageKind::Barrier, sender);
    }
    round_ = 0;
    return true;
  }

  void wait() {
    const bool barrier = parameters_.barrier && arrived(planner_.waiting_for());
    const NodeId on = blocker();
    record_.counters.spend(Counter::RuntimeProcessorTime, meter_.lap());
    const Instant begin = inbox_.endpoint().now();
    inbox_.wait({barrier ? "the barrier after tick" : "the state of tick",
                 planner_.waiting_for().value(), on});
    const Instant end = inbox_.endpoint().now();
    meter_.skip();
    record_.counters.spend(Counter::WaitTime, end - begin);
    record_.span({.activity = barrier ? Activity::Barrier : Activity::Wait,
                  .begin = begin,
                  .end = end,
                  .tick = planner_.waiting_for().value(),
                  .waits_for_node = on.value()});
  }

  /// The first neighbour whose message has not arrived.
  [[nodiscard]] NodeId blocker() const {
    for (const NodeId writer : neighbours_.writers()) {
      if (inbox_.first(TickMessageKind::State, writer) != planner_.waiting_for()) return writer;
    }
    return NodeId::none();
  }

  const Program& program_;
  ThreadedStep<Program>& stepper_;
  Inbox& inbox_;
  const TickOptions& options_;
  const SyncParameters& parameters_;
  NodeRecord& record_;
  std::span<const Query> parts_;
  Level lowest_;
  Levels<Program> levels_;
  Neighbours<Program> neighbours_;
  StepPlanner planner_;
  std::deque<State> versions_;  // by tick, from base_ on
  Tick base_;
  std::vector<State> spare_;
  typename State::Selection to_step_, border_, measured_;
  ThreadMeter meter_;
  std::size_t longest_message_ = 64;
  std::uint32_t round_ = 0;  // of the current barrier
  bool sent_ = false;        // to this round's partner
};

}  // namespace leeway::tick
