// TickEngine: one node of a run of ticks, between the moments at which the whole state is assembled at node 0. Also
// sending PART's queries from node 0 to the other nodes (PacksParts, write_parts, read_parts).
#pragma once

#include <cstring>
#include <functional>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "leeway/tick_program.h"
#include "runtime/tick/stretch.h"

namespace leeway::tick {

/// A program whose queries cannot be sent as their bytes, for instance because they contain pointers. `pack` writes
/// them, and `unpack` makes the same queries on any node.
template <class P>
concept PacksParts = requires(const P& program, std::span<const typename P::Query> parts,
                              ByteWriter& out, ByteReader& in) {
  { program.pack(parts, out) } -> std::same_as<void>;
  { program.unpack(in) } -> std::same_as<Result<std::vector<typename P::Query>>>;
};

/// Writes PART's queries.
template <TickProgram Program>
void write_parts(const Program& program, std::span<const typename Program::Query> parts,
                 ByteWriter& out) {
  if constexpr (PacksParts<Program>) {
    program.pack(parts, out);
  } else {
    out.raw(std::as_bytes(parts));
  }
}

/// Reads `count` queries of `write_parts`. The reader fails for invalid bytes.
template <TickProgram Program>
[[nodiscard]] Result<std::vector<typename Program::Query>> read_parts(const Program& program,
                                                                      std::size_t count,
                                                                      ByteReader& in) {
  std::vector<typename Program::Query> parts;
  if constexpr (PacksParts<Program>) {
    LEEWAY_ASSIGN(parts, program.unpack(in));
  } else {
    parts.resize(count);
    const auto queries = in.raw(count * sizeof(typename Program::Query));
    if (!in.failed()) std::memcpy(parts.data(), queries.data(), queries.size());
  }
  if (parts.size() != count) in.fail();
  return parts;
}

/// The result of a run, on node 0.
template <class State>
struct TickOutcome {
  State state;                                 ///< the whole state S^T, arranged
  std::vector<std::pair<Tick, State>> frames;  ///< in order of ticks
  std::vector<NodeRecord> nodes;               ///< by node
  std::uint32_t rebalanced = 0;                ///< number of repeated calls of PART
};

/// The query that selects every tuple.
template <class Query>
[[nodiscard]] Query query_of_all(std::span<const Query> parts) {
  Query all{};
  if constexpr (requires { parts[0].hull(all); }) {
    for (const Query& part : parts) all = all.hull(part);
  }
  return all;
}

/// One node of a run of ticks: a sequence of stretches (Stretch). At the end of each stretch the whole state is
/// assembled at node 0: to be partitioned again, to be saved, or as the result. All nodes run the same code. Not
/// thread-safe.
template <TickProgram Program>
class TickEngine {
 public:
  using Query = typename Program::Query;
  using State = typename Program::State;
  /// Receives the whole state at the end of a tick; called on node 0.
  using Keeper = std::function<Status(Tick, const State&)>;

  /// Starts from the state `from` at tick `first`; if `from` is null, from the state that NEW creates.
  TickEngine(const Program& program, Endpoint& endpoint, const TickOptions& options,
             const SyncParameters& parameters, const State* from, Tick first, const Keeper& keeper)
      : program_(program),
        stepper_(program, options.threads),
        inbox_(endpoint),
        options_(options),
        parameters_(parameters),
        from_(from),
        first_(first),
        keeper_(keeper) {
    record_.trace = options.trace;
  }

  /// Runs all ticks. `result` is filled on node 0. An error is returned on all nodes.
  Status run(TickOutcome<State>& result) {
    LEEWAY_TRY(agreed([&] { return divide(from_); }));
    Tick tick = first_;
    if (tick == last() && from_ != nullptr) return end_without_ticks(result);
    std::vector<std::byte> received;
    do {
      const Tick until = next_stop(tick);
      ByteWriter own;
      LEEWAY_TRY(agreed([&] { return run_stretch(tick, until, received, own); }));
      tick = until;
      LEEWAY_TRY(assemble(tick, own.span(), result, received));
    } while (tick < last());
    return finish(result);
  }

 private:
  [[nodiscard]] bool is_node_0() const { return inbox_.self() == NodeId(0); }

  /// Takes a step on this node; its error, on whatever node, is that of all nodes, which it stops. A failed allocation is
  /// an error like any other.
  template <class Body>
  Status agreed(Body&& body) {
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
  Status end_without_ticks(TickOutcome<State>& result) {
    record_.begin = record_.end = inbox_.endpoint().now();
    if (is_node_0()) {
      const Query all = whole_query();
      result.state.reset(all, all);
      ByteWriter out;
      from_->encode_own(out);
      ByteReader in(out.span());
      LEEWAY_CHECK(result.state.decode(in));
      result.state.arrange();
      result.state.mark_own();
    }
    return finish(result);
  }

  /// The hull of all parts.
  [[nodiscard]] Query whole_query() const { return query_of_all(std::span<const Query>(parts_)); }

  [[nodiscard]] Tick last() const { return Tick(first_.value() + options_.ticks.value()); }

  /// The next tick at which the whole state is assembled.
  [[nodiscard]] Tick next_stop(Tick tick) const {
    std::uint32_t stop = last().value();
    for (const std::uint32_t each : {options_.rebalance, options_.checkpoint}) {
      if (each != 0) stop = std::min(stop, (tick.value() / each + 1) * each);
    }
    return Tick(stop);
  }

  Status check_count() const {
    if (parts_.size() == inbox_.node_count()) return {};
    return fail(input_error(
        "PART", format("{} queries for {} processes", parts_.size(), inbox_.node_count()),
        "PART must return one query for each process; queries may be empty"));
  }

  Status divide(const State* state) {
    LEEWAY_ASSIGN(parts_, program_.part(inbox_.node_count(), state));
    return check_count();
  }

  /// `own`: this node's part at the end.
  Status run_stretch(Tick tick, Tick until, std::span<const std::byte> received, ByteWriter& own) {
    Stretch<Program> stretch(program_, stepper_, inbox_, options_, parameters_, record_, parts_,
                             tick, until);
    LEEWAY_TRY(fill(stretch, received));
    if (tick == first_) record_.begin = inbox_.endpoint().now();
    LEEWAY_TRY(stretch.run());
    record_.end = inbox_.endpoint().now();
    if (!inbox_.group().stopped()) stretch.end().encode_own(own);
    return {};
  }

  /// `received`: from node 0, the parts and the state to start from; empty: this is the first stretch.
  Status fill(Stretch<Program>& stretch, std::span<const std::byte> received) {
    State& start = stretch.start();
    const bool first = received.empty();
    if (!first) {
      ByteReader in(received.subspan(queries_end_));
      inbox_.group().require(start.decode(in) && in.at_end(), NodeId(0));
    } else if (from_ != nullptr) {
      from_->copy(stretch.held(), start);
    } else {
      LEEWAY_TRY(program_.create(stretch.held(), start));
    }
    start.mark_own();
    if (const auto wrong = start.misplaced(parts_)) return no_partition(*wrong);
    if (first && is_node_0()) return check_gaps();
    return {};
  }

  static Status no_partition(const std::string& wrong) {
    return fail(input_error("PART", format("not a partition: {}", wrong),
                            "its queries must select every tuple exactly once"));
  }

  /// Checks the first state as a whole, because a tuple outside all parts may be in no node's context. Node 0 has
  /// memory for it, because it also assembles the last state.
  Status check_gaps() const {
    if (from_ != nullptr) {
      const auto wrong = from_->misplaced(parts_);
      return wrong ? no_partition(*wrong) : Status();
    }
    Query all{};
    if constexpr (requires { parts_[0].hull(all); }) {
      for (const Query& part : parts_) all = all.hull(part);
    } else if constexpr (requires { Query::everywhere(); }) {
      all = Query::everywhere();
    } else {
      return {};
    }
    State whole;
    whole.reset(all, all);
    LEEWAY_TRY(program_.create(all, whole));
    whole.mark_own();
    const auto wrong = whole.misplaced(parts_);
    return wrong ? no_partition(*wrong) : Status();
  }

  /// At the end of a stretch: node 0 assembles the whole state, which is the result, or is saved, or partitioned again. If
  /// ticks are left, each node receives what `fill` needs.
  Status assemble(Tick tick, std::span<const std::byte> own, TickOutcome<State>& result,
                  std::vector<std::byte>& received) {
    Group& group = inbox_.group();
    const auto all = group.gather_bytes(own);
    ByNode<std::byte> parts(group.count());
    LEEWAY_TRY(agreed(
        [&] { return is_node_0() ? complete(tick, whole_of(all), result, parts) : Status(); }));
    if (tick == last()) return {};
    received = std::move(group.swap(parts)[0]);
    ByteReader in(received);
    LEEWAY_ASSIGN(auto queries, read_parts(program_, parts_.size(), in));
    group.require(!in.failed() && !received.empty(), NodeId(0));
    queries_end_ = received.size() - in.left();
    // Queries may point to data shared within a process, so received ones replace them only if PART may have made new
    // ones.
    if (options_.rebalance != 0) parts_ = std::move(queries);
    return {};
  }

  /// On node 0. `starts`: what each node continues from, if ticks are left.
  Status complete(Tick tick, State whole, TickOutcome<State>& result, ByNode<std::byte>& starts) {
    const auto due = [&](std::uint32_t each) { return each != 0 && tick.value() % each == 0; };
    if (keeper_ && due(options_.checkpoint)) LEEWAY_TRY(keeper_(tick, whole));
    if (tick == last()) {
      result.state = std::move(whole);
      return {};
    }
    if (due(options_.rebalance)) LEEWAY_TRY(divide_again(tick, whole, result));
    write_starts(whole, starts);
    return {};
  }

  State whole_of(const ByNode<std::byte>& all) {
    State whole;
    const Query query = whole_query();
    whole.reset(query, query);
    for (std::uint32_t node = 0; node < all.size(); ++node) {
      ByteReader in(all[node]);
      inbox_.group().require(whole.decode(in) && !in.failed() && in.at_end(), NodeId(node));
    }
    whole.arrange();
    whole.mark_own();
    return whole;
  }

  Status divide_again(Tick tick, const State& whole, TickOutcome<State>& result) {
    LEEWAY_TRY(divide(&whole));
    if (const auto wrong = whole.misplaced(parts_)) {
      return fail(input_error("PART", format("not a partition at tick {}: {}", tick, *wrong),
                              "its queries must select every tuple exactly once"));
    }
    ++result.rebalanced;
    return {};
  }

  /// For each node: the parts, and the state from which its part continues.
  void write_starts(const State& whole, ByNode<std::byte>& starts) const {
    for (std::uint32_t node = 0; node < starts.size(); ++node) {
      const Levels<Program> levels(program_, parts_[node], 0, parameters_.replicas);
      State part;
      part.reset(levels.held(), levels.held());
      whole.copy(levels.held(), part);
      part.mark_own();
      ByteWriter out;
      write_parts(program_, std::span<const Query>(parts_), out);
      part.encode_own(out);
      starts[node] = out.take();
    }
  }

  Status finish(TickOutcome<State>& result) {
    Counters& counters = record_.counters;
    counters.spend(Counter::RuntimeTime, record_.end - record_.begin -
                                             counters.time(Counter::StepTime) -
                                             counters.time(Counter::WaitTime));
    result.nodes = inbox_.group().gather(record_);
    inbox_.receive();  // frames of film, which the nodes have sent before
    if (is_node_0()) collect_frames(result);
    return {};
  }

  void collect_frames(TickOutcome<State>& result) {
    if (options_.frames == 0) return;
    const Query all = whole_query();
    while (const auto tick = inbox_.first(TickMessageKind::Picture, NodeId(0))) {
      State& whole = result.frames.emplace_back(*tick, State{}).second;
      whole.reset(all, all);
      for (std::uint32_t node = 0; node < inbox_.node_count(); ++node) {
        inbox_.read(TickMessageKind::Picture, NodeId(node),
                    [&](ByteReader& in) { return whole.decode(in); });
      }
      whole.arrange();
    }
  }

  const Program& program_;
  ThreadedStep<Program> stepper_;
  Inbox inbox_;
  const TickOptions& options_;
  const SyncParameters& parameters_;
  const State* from_;
  Tick first_;
  const Keeper& keeper_;
  std::vector<Query> parts_;
  std::size_t queries_end_ = 0;  // in what node 0 sent: where the state begins
  NodeRecord record_;
};

}  // namespace leeway::tick
