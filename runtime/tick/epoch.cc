#include "runtime/tick/epoch.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/log.h"

namespace leeway::tick {

TickNeighbours::TickNeighbours(const TickModel& model, std::uint32_t nodes, NodeId self,
                               Level lowest, Level replicas) {
  const auto reach = [&](NodeId node) { return QueryName{node, replicas + 1}; };
  for (std::uint32_t j = 0; j < nodes; ++j) {
    const NodeId other(j);
    if (other == self) continue;
    if (!model.disjoint({self}, reach(other))) readers_.push_back(other);
    if (!model.disjoint({other}, reach(self))) writers_.push_back(other);
  }
  // The widest inner level of which no other node needs anything.
  for (Level level = 0; level >= lowest && !private_; --level) {
    const QueryName inner{self, level};
    const bool needed = std::any_of(readers_.begin(), readers_.end(), [&](NodeId reader) {
      return !model.disjoint(held_by(reader, replicas), inner);
    });
    if (!needed) private_ = inner;
  }
}

TickEpoch::TickEpoch(TickModel& model, Inbox& inbox, const TickOptions& options,
                     const SyncParameters& parameters, NodeRecord& record, Tick first, Tick last)
    : model_(model),
      inbox_(inbox),
      options_(options),
      parameters_(parameters),
      record_(record),
      own_{inbox.self()},
      checked_{inbox.self(), held_by(inbox.self(), parameters.replicas)},
      neighbours_(model, inbox.node_count(), inbox.self(),
                  -std::max(parameters.depth, parameters.replicas + 2), parameters.replicas),
      planner_(parameters, first, last),
      base_(first),
      meter_(options.meter) {
  model_.reset(version(first), own_, held());
  spare_.push_back(model_.make());
  model_.reset(*spare_.back(), own_, held());  // allocate memory before time is measured
}

Status TickEpoch::run() {
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

TickState& TickEpoch::version(Tick tick) {
  LEEWAY_CHECK(tick >= base_);
  while (versions_.size() <= tick.value() - base_.value()) {
    if (spare_.empty()) spare_.push_back(model_.make());
    versions_.push_back(std::move(spare_.back()));
    spare_.pop_back();
    model_.reset(*versions_.back(), own_, held());
    model_.keep_private(*versions_.back(), neighbours_.private_part());
  }
  record_.counters.raise(Counter::MostVersions, versions_.size());
  return *versions_[tick.value() - base_.value()];
}

/// Recycles the versions that no step will read.
void TickEpoch::free_versions() {
  for (; base_ < planner_.oldest(); base_ = base_.next()) {
    spare_.push_back(std::move(versions_.front()));
    versions_.pop_front();
  }
}

Status TickEpoch::perform(const Step& step) {
  const TickState& context = version(Tick(step.tick.value() - 1));
  TickState& result = version(step.tick);
  std::optional<QueryName> outside;
  if (step.from) outside = QueryName{inbox_.self(), *step.from};
  const std::size_t tuples = model_.select(context, {inbox_.self(), step.to}, outside);
  if (options_.check) LEEWAY_TRY(check_step(model_, checked_, context, step));
  record_.counters.spend(Counter::RuntimeProcessorTime, meter_.lap());
  const Instant begin = inbox_.endpoint().now();
  model_.step(context, own_, held(), result);
  inbox_.endpoint().charge(model_.price());
  count(step, tuples, begin, inbox_.endpoint().now());
  record_.counters.spend(Counter::StepProcessorTime, meter_.lap());
  planner_.stepped(step);
  if (step.completes()) LEEWAY_TRY(publish(step.tick));
  return {};
}

void TickEpoch::count(const Step& step, std::size_t tuples, Instant begin, Instant end) {
  Counters& counters = record_.counters;
  const bool copy = step.from && *step.from >= 0;
  counters[copy ? Counter::Copied : Counter::Stepped] += tuples;
  if (step.to < 0) counters[Counter::Ahead] += tuples;
  ++counters[Counter::Steps];
  counters.spend(Counter::StepTime, end - begin);
  const Activity kind = copy ? Activity::Replica : step.to < 0 ? Activity::Ahead : Activity::Step;
  record_.span({kind, begin, end, step.tick.value()});
}

/// Called when this node's own part of a tick is complete: sends it to the nodes that need some of it.
Status TickEpoch::publish(Tick tick) {
  TickState& state = version(tick);
  model_.mark_own(state);
  record_.ended({.at = inbox_.endpoint().now(), .visited = 1});
  if (inbox_.self() == NodeId(0)) show_done(record_.iterations.size());
  record_.counters.raise(Counter::MostAhead, planner_.ahead());
  show(tick, state);
  measure(tick, state);
  if (const auto stray = model_.select_border(state, own_)) {
    return fail(
        input_error(format("tick {}, part {}", tick, inbox_.self()),
                    format("STEP has made a tuple that no part selects: {}", *stray),
                    "PART must cover every place a tuple can be at, and no value may be NaN"));
  }
  if (options_.check) {
    LEEWAY_TRY(
        check_moves(model_, checked_, version(Tick(tick.value() - 1)), inbox_.node_count(), tick));
  }
  if (planner_.sends(tick)) send_state(tick, state);
  return {};
}

void TickEpoch::send_state(Tick tick, const TickState& state) {
  for (const NodeId reader : neighbours_.readers()) {
    // A message is hardly longer than the longest so far: reserve the memory once.
    ByteWriter out = Inbox::message(TickMessageKind::State, tick, longest_message_);
    model_.encode(state, held_by(reader, parameters_.replicas), out);
    ++record_.counters[Counter::Messages];
    record_.counters[Counter::BytesSent] += out.size();
    longest_message_ = std::max(longest_message_, out.size());
    inbox_.endpoint().charge(Work{.bytes = out.size()});
    inbox_.send(reader, out);
  }
}

/// Measures residuals. Excluded from the metered time as far as possible, because it is only done on request.
void TickEpoch::measure(Tick tick, const TickState& state) {
  if (options_.measure == 0 || record_.iterations.size() % options_.measure != 0) return;
  record_.counters.spend(Counter::RuntimeProcessorTime, meter_.lap());
  const auto moved = model_.moved(own_, version(Tick(tick.value() - 1)), state);
  if (moved) record_.iterations.back().residual = *moved;
  meter_.skip();
}

void TickEpoch::show(Tick tick, const TickState& state) {
  if (options_.frames == 0 || tick.value() % options_.frames != 0) return;
  ByteWriter out = Inbox::message(TickMessageKind::Picture, tick);
  model_.encode_own(state, out);
  if (inbox_.self() == NodeId(0)) {
    inbox_.keep(out);
  } else {
    inbox_.send(NodeId(0), out);
  }
}

/// Processes the messages of the tick that is waited for, if all have arrived; possibly of several ticks.
Status TickEpoch::take_arrivals() {
  inbox_.receive();
  while (planner_.can_receive() && arrived(planner_.waiting_for()) && barrier_passed()) {
    LEEWAY_TRY(merge(planner_.waiting_for()));
    planner_.received();
    free_versions();
  }
  return {};
}

bool TickEpoch::arrived(Tick tick) const {
  const auto writers = neighbours_.writers();
  return std::all_of(writers.begin(), writers.end(), [&](NodeId writer) {
    // Drop messages of the previous epoch, whose end may have been reached by replicas without them.
    inbox_.drop_before(TickMessageKind::State, writer, tick);
    return inbox_.first(TickMessageKind::State, writer) == tick;
  });
}

Status TickEpoch::merge(Tick tick) {
  TickState& state = version(tick);
  std::optional<ReplicaCheck> emulated;
  if (options_.check) emulated.emplace(model_, checked_, state, planner_.level(tick));
  model_.drop_others(state);
  for (const NodeId writer : neighbours_.writers()) {
    inbox_.read(TickMessageKind::State, writer, [&](ByteReader& in) {
      inbox_.endpoint().charge(Work{.bytes = in.left()});
      return model_.decode(state, in);
    });
  }
  return emulated ? emulated->compare(state, tick) : Status{};
}

/// The dissemination barrier: in round r, each node sends to the node 2^r places ahead, and waits for the node 2^r
/// places behind.
bool TickEpoch::barrier_passed() {
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

void TickEpoch::wait() {
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
NodeId TickEpoch::blocker() const {
  for (const NodeId writer : neighbours_.writers()) {
    if (inbox_.first(TickMessageKind::State, writer) != planner_.waiting_for()) return writer;
  }
  return NodeId::none();
}

}  // namespace leeway::tick
