// PART's queries on their way from node 0 to the others. Queries go as their bytes, unless they mean something
// in one process alone: then the program packs them its own way, and unpacks them wherever they arrive.
#pragma once

#include <cstring>
#include <functional>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/fields.h"
#include "leeway/tick_program.h"
#include "runtime/tick/stretch.h"

namespace leeway::tick {

/// A program whose queries need care: `pack` writes what `unpack` makes the same queries of, on any node.
template <class P>
concept PacksParts = requires(const P& program, std::span<const typename P::Query> parts,
                              ByteWriter& out, ByteReader& in) {
  { program.pack(parts, out) } -> std::same_as<void>;
  { program.unpack(in) } -> std::same_as<Result<std::vector<typename P::Query>>>;
};

template <TickProgram Program>
void write_parts(const Program& program, std::span<const typename Program::Query> parts,
                 ByteWriter& out) {
  if constexpr (PacksParts<Program>) {
    program.pack(parts, out);
  } else {
    out.raw(std::as_bytes(parts));
  }
}

/// Reads what `write_parts` wrote of `count` queries; the reader has failed if it is nothing of the kind.
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

// One node of a run of ticks: parts, stretches of ticks between the moments when the whole state comes
// together at node 0 (to be split anew, to be kept, or because it is the end), and the leave-taking. One
// thread's own; every node runs the same.

/// What node 0 has when the run is over.
template <class State>
struct TickOutcome {
  State state;                                 ///< all of S^T, arranged
  std::vector<std::pair<Tick, State>> frames;  ///< in order of ticks
  std::vector<TickNodeLog> logs;               ///< by node
  std::uint32_t rebalanced = 0;                ///< times that PART was called again
};

template <TickProgram Program>
class TickEngine {
 public:
  using Query = typename Program::Query;
  using State = typename Program::State;
  /// Takes the whole state at the end of a tick; node 0.
  using Keeper = std::function<Status(Tick, const State&)>;

  /// Starts from `from` at `first` instead of what NEW says, if it is not null.
  TickEngine(const Program& program, Endpoint& endpoint, const TickOptions& options,
             const Parameters& parameters, const State* from, Tick first, const Keeper& keeper)
      : program_(program),
        stepper_(program, options.threads),
        inbox_(endpoint),
        options_(options),
        parameters_(parameters),
        from_(from),
        first_(first),
        keeper_(keeper) {}

  /// `result` is filled at node 0. Fails everywhere alike.
  Status run(TickOutcome<State>& result) {
    Status status = run_guarded(result);
    if (!status) return fail(inbox_.stop(std::move(status).error()));
    return {};
  }

 private:
  [[nodiscard]] bool chief() const { return inbox_.self() == NodeId(0); }

  /// Memory that is refused is an error like any other, of which everybody is told.
  Status run_guarded(TickOutcome<State>& result) {
    try {
      return run_all(result);
    } catch (const std::bad_alloc&) {
      return fail(environment_error(format("node {}", inbox_.self()),
                                    "the system refused the memory that its part takes",
                                    "take more nodes on more machines, or a smaller state"));
    }
  }

  Status run_all(TickOutcome<State>& result) {
    LEEWAY_ASSIGN(parts_, program_.part(inbox_.node_count(), from_));
    LEEWAY_TRY(check_count());
    Tick tick = first_;
    std::optional<Frame> dealt;
    if (tick == last() && from_ != nullptr) return end_as_begun(result);
    do {
      const Tick until = next_stop(tick);
      Stretch<Program> stretch(program_, stepper_, inbox_, options_, parameters_, log_, parts_,
                               tick, until);
      LEEWAY_TRY(fill(stretch, dealt));
      if (tick == first_) log_.counts.begin = inbox_.endpoint().now();
      LEEWAY_TRY(stretch.run());
      log_.counts.end = inbox_.endpoint().now();
      LEEWAY_TRY(hand_in(stretch.end(), until));
      tick = until;
      if (chief()) LEEWAY_TRY(bring_together(tick, result));
      if (tick < last()) LEEWAY_TRY(be_dealt(dealt));
    } while (tick < last());
    return leave(result);
  }

  /// All ticks had been run already.
  Status end_as_begun(TickOutcome<State>& result) {
    log_.counts.begin = log_.counts.end = inbox_.endpoint().now();
    if (chief()) {
      const Query all = whole_query();
      result.state.reset(all, all);
      ByteWriter out;
      from_->encode_own(out);
      ByteReader in(out.span());
      LEEWAY_CHECK(result.state.decode(in));
      result.state.arrange();
      result.state.mark_own();
    }
    return leave(result);
  }

  /// Of all parts together.
  [[nodiscard]] Query whole_query() const {
    Query all{};
    if constexpr (requires { parts_[0].hull(all); }) {
      for (const Query& part : parts_) all = all.hull(part);
    }
    return all;
  }

  [[nodiscard]] Tick last() const { return Tick(first_.value() + options_.ticks.value()); }

  /// The next tick at which the whole state is wanted.
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
        "PART must return one query a process, empty ones if need be"));
  }

  Status fill(Stretch<Program>& stretch, std::optional<Frame>& dealt) {
    State& start = stretch.start();
    const bool first = !dealt;
    if (dealt) {
      ByteReader in(std::span<const std::byte>(*dealt).subspan(queries_end_));
      if (!start.decode(in) || !in.at_end()) inbox_.endpoint().refuse(NodeId(0));
      dealt.reset();
    } else if (from_ != nullptr) {
      from_->copy(stretch.held(), start);
    } else {
      LEEWAY_TRY(program_.create(stretch.held(), start));
    }
    start.mark_own();
    if (const auto wrong = start.misplaced(parts_)) return no_partition(*wrong);
    if (first && chief()) return check_gaps();
    return {};
  }

  static Status no_partition(const std::string& wrong) {
    return fail(input_error("PART", format("no partition: {}", wrong),
                            "its queries must cover every tuple, and share none"));
  }

  /// A tuple between all parts may be in nobody's context: whoever has room for the last state whole looks at
  /// the first one whole.
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

  Status hand_in(const State& state, Tick tick) {
    LEEWAY_TRY(inbox_.flush());
    ByteWriter out = Inbox::message(TickMessageKind::Gather, tick);
    state.encode_own(out);
    chief() ? inbox_.keep(out) : inbox_.send(NodeId(0), out);
    return {};
  }

  /// Node 0: the whole state; kept, split anew and dealt out, or the result.
  Status bring_together(Tick tick, TickOutcome<State>& result) {
    State whole;
    const Query all = whole_query();
    whole.reset(all, all);
    for (std::uint32_t node = 0; node < inbox_.node_count(); ++node) {
      LEEWAY_TRY(inbox_.await(TickMessageKind::Gather, NodeId(node)));
      inbox_.read(TickMessageKind::Gather, NodeId(node),
                  [&](ByteReader& in) { return whole.decode(in); });
    }
    whole.arrange();
    whole.mark_own();
    const auto due = [&](std::uint32_t each) { return each != 0 && tick.value() % each == 0; };
    if (keeper_ && due(options_.checkpoint)) LEEWAY_TRY(keeper_(tick, whole));
    if (tick == last()) {
      result.state = std::move(whole);
      return {};
    }
    if (due(options_.rebalance)) {
      LEEWAY_ASSIGN(parts_, program_.part(inbox_.node_count(), &whole));
      LEEWAY_TRY(check_count());
      if (const auto wrong = whole.misplaced(parts_)) {
        return fail(input_error("PART", format("no partition of tick {}: {}", tick, *wrong),
                                "its queries must cover every tuple, and share none"));
      }
      ++result.rebalanced;
    }
    deal(whole, tick);
    return {};
  }

  void deal(const State& whole, Tick tick) {
    for (std::uint32_t node = 0; node < inbox_.node_count(); ++node) {
      const Levels<Program> levels(program_, parts_[node], 0, parameters_.replicas);
      State part;
      part.reset(levels.held(), levels.held());
      whole.copy(levels.held(), part);
      part.mark_own();
      ByteWriter out = Inbox::message(TickMessageKind::Deal, tick);
      write_parts(program_, std::span<const Query>(parts_), out);
      part.encode_own(out);
      node == 0 ? inbox_.keep(out) : inbox_.send(NodeId(node), out);
    }
  }

  Status be_dealt(std::optional<Frame>& dealt) {
    LEEWAY_TRY(inbox_.await(TickMessageKind::Deal, NodeId(0)));
    dealt = inbox_.take(TickMessageKind::Deal, NodeId(0));
    ByteReader in(*dealt);
    LEEWAY_ASSIGN(auto parts, read_parts(program_, parts_.size(), in));
    if (in.failed()) inbox_.endpoint().refuse(NodeId(0));
    queries_end_ = dealt->size() - in.left();
    // Queries may point into what a process shares: taken over only where PART may have made new ones.
    if (options_.rebalance != 0) parts_ = std::move(parts);
    return {};
  }

  /// Nobody leaves before everybody has been heard, so all that was sent is read.
  Status leave(TickOutcome<State>& result) {
    ByteWriter out = Inbox::message(TickMessageKind::Log, last());
    write_fields(out, log_);
    chief() ? inbox_.keep(out) : inbox_.send(NodeId(0), out);
    if (!chief()) return inbox_.await(TickMessageKind::Leave, NodeId(0));
    for (std::uint32_t node = 0; node < inbox_.node_count(); ++node) {
      LEEWAY_TRY(inbox_.await(TickMessageKind::Log, NodeId(node)));
      inbox_.read(TickMessageKind::Log, NodeId(node), [&](ByteReader& in) {
        read_fields(in, result.logs.emplace_back());
        return true;
      });
    }
    collect_frames(result);
    inbox_.send_all(Inbox::message(TickMessageKind::Leave, last()));
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
  const Parameters& parameters_;
  const State* from_;
  Tick first_;
  const Keeper& keeper_;
  std::vector<Query> parts_;
  std::size_t queries_end_ = 0;  // in a message that deals, where the state begins
  TickNodeLog log_;
};

}  // namespace leeway::tick
