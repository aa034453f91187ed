#include "runtime/tick/engine.h"

#include <algorithm>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/format.h"

namespace leeway::tick {

namespace {

/// The queries of PART must select every tuple of the state. `when`: for the error.
Status check_partition(const TickModel& model, const TickState& state, std::string_view when = {}) {
  const auto wrong = model.misplaced(state);
  if (!wrong) return {};
  return fail(input_error("PART", format("not a partition{}: {}", when, *wrong),
                          "its queries must select every tuple exactly once"));
}

}  // namespace

TickEngine::TickEngine(TickModel& model, Endpoint& endpoint, const TickOptions& options,
                       const SyncParameters& parameters, const TickEngineEnds& ends)
    : model_(model), inbox_(endpoint), options_(options), parameters_(parameters), ends_(ends) {
  record_.trace = options.trace;
}

Status TickEngine::run(TickEngineOutcome& result) {
  LEEWAY_TRY(agreed([&] { return divide(ends_.from); }));
  Tick tick = ends_.first;
  if (tick == last() && ends_.from != nullptr) return end_without_ticks(result);
  std::vector<std::byte> received;
  do {
    const Tick until = next_stop(tick);
    ByteWriter own;
    LEEWAY_TRY(agreed([&] { return run_epoch(tick, until, received, own); }));
    tick = until;
    LEEWAY_TRY(assemble(tick, own.span(), result, received));
  } while (tick < last());
  return finish(result);
}

/// Takes a step on this node; its error, on whatever node, is that of all nodes, which it stops. A failed allocation is
/// an error like any other.
template <class Body>
Status TickEngine::agreed(Body&& body) {
  Status status;
  try {
    status = body();
  } catch (const std::bad_alloc&) {
    status = fail(environment_error(format("node {}", inbox_.self()),
                                    "the system refused the memory for its part",
                                    "use more nodes on more machines, or a smaller state"));
  }
  if (!status) inbox_.group().stop();
  return inbox_.group().agree_alike(std::move(status));
}

/// All ticks were run before the state was saved.
Status TickEngine::end_without_ticks(TickEngineOutcome& result) {
  record_.begin = record_.end = inbox_.endpoint().now();
  if (is_node_0()) {
    result.state = model_.make();
    model_.reset_whole(*result.state);
    ByteWriter out;
    model_.encode_own(*ends_.from, out);
    ByteReader in(out.span());
    LEEWAY_CHECK(model_.decode(*result.state, in));
    model_.arrange(*result.state);
    model_.mark_own(*result.state);
  }
  return finish(result);
}

/// The next tick at which the whole state is assembled.
Tick TickEngine::next_stop(Tick tick) const {
  std::uint32_t stop = last().value();
  for (const std::uint32_t each : {options_.rebalance, options_.checkpoint}) {
    if (each != 0) stop = std::min(stop, (tick.value() / each + 1) * each);
  }
  return Tick(stop);
}

Status TickEngine::divide(const TickState* state) {
  LEEWAY_ASSIGN(const std::size_t parts, model_.divide(inbox_.node_count(), state));
  if (parts == inbox_.node_count()) return {};
  return fail(input_error("PART", format("{} queries for {} processes", parts, inbox_.node_count()),
                          "PART must return one query for each process; queries may be empty"));
}

/// `own`: this node's part at the end.
Status TickEngine::run_epoch(Tick tick, Tick until, std::span<const std::byte> received,
                             ByteWriter& own) {
  TickEpoch epoch(model_, inbox_, options_, parameters_, record_, tick, until);
  LEEWAY_TRY(fill(epoch, received));
  if (tick == ends_.first) record_.begin = inbox_.endpoint().now();
  LEEWAY_TRY(epoch.run());
  record_.end = inbox_.endpoint().now();
  if (!inbox_.group().stopped()) model_.encode_own(epoch.end(), own);
  return {};
}

/// `received`: from node 0, the parts and the state to start from; empty: this is the first epoch.
Status TickEngine::fill(TickEpoch& epoch, std::span<const std::byte> received) {
  TickState& start = epoch.start();
  const bool first = received.empty();
  if (!first) {
    ByteReader in(received.subspan(queries_end_));
    inbox_.group().require(model_.decode(start, in) && in.at_end(), NodeId(0));
  } else if (ends_.from != nullptr) {
    model_.copy(*ends_.from, epoch.held(), start);
  } else {
    LEEWAY_TRY(model_.create(start, epoch.held()));
  }
  model_.mark_own(start);
  LEEWAY_TRY(check_partition(model_, start));
  if (first && is_node_0()) return check_gaps();
  return {};
}

/// Checks the first state as a whole, because a tuple outside all parts may be in no node's context. Node 0 has
/// memory for it, because it also assembles the last state.
Status TickEngine::check_gaps() const {
  if (ends_.from != nullptr) return check_partition(model_, *ends_.from);
  LEEWAY_ASSIGN(const auto whole, model_.create_all());
  if (whole == nullptr) return {};
  model_.mark_own(*whole);
  return check_partition(model_, *whole);
}

/// At the end of a epoch: node 0 assembles the whole state, which is the result, or is saved, or partitioned again. If
/// ticks are left, each node receives what `fill` needs.
Status TickEngine::assemble(Tick tick, std::span<const std::byte> own, TickEngineOutcome& result,
                            std::vector<std::byte>& received) {
  Group& group = inbox_.group();
  const auto all = group.gather_bytes(own);
  ByNode<std::byte> parts(group.count());
  LEEWAY_TRY(agreed(
      [&] { return is_node_0() ? complete(tick, whole_of(all), result, parts) : Status(); }));
  if (tick == last()) return {};
  received = std::move(group.swap(parts)[0]);
  ByteReader in(received);
  // Queries may point to data shared within a process, so received ones replace them only if PART may have made new
  // ones.
  LEEWAY_TRY(model_.read_parts(in, options_.rebalance != 0));
  group.require(!in.failed() && !received.empty(), NodeId(0));
  queries_end_ = received.size() - in.left();
  return {};
}

/// On node 0. `starts`: what each node continues from, if ticks are left.
Status TickEngine::complete(Tick tick, std::unique_ptr<TickState> whole, TickEngineOutcome& result,
                            ByNode<std::byte>& starts) {
  const auto due = [&](std::uint32_t each) { return each != 0 && tick.value() % each == 0; };
  if (ends_.keeper && due(options_.checkpoint)) LEEWAY_TRY(ends_.keeper(tick, *whole));
  if (tick == last()) {
    result.state = std::move(whole);
    return {};
  }
  if (due(options_.rebalance)) LEEWAY_TRY(divide_again(tick, *whole, result));
  write_starts(*whole, starts);
  return {};
}

std::unique_ptr<TickState> TickEngine::whole_of(const ByNode<std::byte>& all) {
  std::unique_ptr<TickState> whole = model_.make();
  model_.reset_whole(*whole);
  for (std::uint32_t node = 0; node < all.size(); ++node) {
    ByteReader in(all[node]);
    inbox_.group().require(model_.decode(*whole, in) && !in.failed() && in.at_end(), NodeId(node));
  }
  model_.arrange(*whole);
  model_.mark_own(*whole);
  return whole;
}

Status TickEngine::divide_again(Tick tick, const TickState& whole, TickEngineOutcome& result) {
  LEEWAY_TRY(divide(&whole));
  LEEWAY_TRY(check_partition(model_, whole, format(" at tick {}", tick)));
  ++result.rebalanced;
  return {};
}

/// For each node: the parts, and the state from which its part continues.
void TickEngine::write_starts(const TickState& whole, ByNode<std::byte>& starts) const {
  for (std::uint32_t node = 0; node < starts.size(); ++node) {
    const QueryName held = held_by(NodeId(node), parameters_.replicas);
    const auto part = model_.make();
    model_.reset(*part, held, held);
    model_.copy(whole, held, *part);
    model_.mark_own(*part);
    ByteWriter out;
    model_.write_parts(out);
    model_.encode_own(*part, out);
    starts[node] = out.take();
  }
}

Status TickEngine::finish(TickEngineOutcome& result) {
  Counters& counters = record_.counters;
  counters.spend(Counter::RuntimeTime, record_.end - record_.begin -
                                           counters.time(Counter::StepTime) -
                                           counters.time(Counter::WaitTime));
  result.nodes = inbox_.group().gather(record_);
  inbox_.receive();  // frames of film, which the nodes have sent before
  if (is_node_0()) collect_frames(result);
  return {};
}

void TickEngine::collect_frames(TickEngineOutcome& result) {
  if (options_.frames == 0) return;
  while (const auto tick = inbox_.first(TickMessageKind::Picture, NodeId(0))) {
    TickState& whole = *result.frames.emplace_back(*tick, model_.make()).second;
    model_.reset_whole(whole);
    for (std::uint32_t node = 0; node < inbox_.node_count(); ++node) {
      inbox_.read(TickMessageKind::Picture, NodeId(node),
                  [&](ByteReader& in) { return model_.decode(whole, in); });
    }
    model_.arrange(whole);
  }
}

}  // namespace leeway::tick
