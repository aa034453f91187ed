// TickModelOf: the TickModel of a typed program, and STEP on several threads (ThreadedStep).
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "leeway/tick_program.h"
#include "runtime/cluster/compute_threads.h"
#include "runtime/tick/model.h"
#include "runtime/tick/tables.h"

namespace leeway::tick {

/// A program whose queries cannot be sent as their bytes, for instance because they contain pointers. `pack` writes
/// them, and `unpack` makes the same queries on any node.
template <class P>
concept PacksParts = requires(const P& program, std::span<const typename P::Query> parts,
                              ByteWriter& out, ByteReader& in) {
  { program.pack(parts, out) } -> std::same_as<void>;
  { program.unpack(in) } -> std::same_as<Result<std::vector<typename P::Query>>>;
};

/// A state whose selections can be split: `Selection::slice(number, of, found)` returns the `number`-th of `of`
/// consecutive parts. Steps of different parts write to separate places of one `result`; or, if the state has `take`,
/// into separate states, which the result then takes in order.
template <class State>
concept SplitState = requires(const typename State::Selection& whole, std::size_t number,
                              typename State::Selection& found) {
  { whole.slice(number, number, found) } -> std::same_as<void>;
};

/// Whether a step can bring a tuple of the state from one query into another. The cells of a Field cannot move.
template <class State>
inline constexpr bool kMoves = requires(const State& state) { state.tuples(); };
template <class... States>
inline constexpr bool kMoves<Tables<States...>> = (kMoves<States> && ...);

/// The query that selects every tuple of these parts.
template <class Query>
[[nodiscard]] Query query_of_all(std::span<const Query> parts) {
  Query all{};
  if constexpr (requires { parts[0].hull(all); }) {
    for (const Query& part : parts) all = all.hull(part);
  }
  return all;
}

/// STEP on a node's threads. The tuples to step are split among threads; this is safe because a step reads one
/// version and writes another. The result is the same, to the bit and in the same order, for any number of threads.
/// Any of the threads may be the first to use data that the steps of a program share, such as an index of the context; its
/// computation must be thread-safe. One for each node.
template <TickProgram Program>
class ThreadedStep {
 public:
  using Query = typename Program::Query;
  using State = typename Program::State;

  ThreadedStep(const Program& program, unsigned threads) : program_(program), threads_(threads) {}

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
  static constexpr std::size_t kRuns = 4;

  void step_apart(const typename State::Selection& to_step, const State& context, const Query& own,
                  const Query& held, State& result) {
    const std::size_t count = kRuns * threads_.count();
    selections_.resize(count);
    for (std::size_t i = 0; i < count; ++i) to_step.slice(i, count, selections_[i]);
    if constexpr (requires { result.take(result); }) {
      results_.resize(count);
      each(count, [&](std::size_t i) {
        results_[i].reset(own, held);
        program_.step(selections_[i], context, results_[i]);
      });
      for (const State& part : results_) result.take(part);
    } else {
      each(count, [&](std::size_t i) { program_.step(selections_[i], context, result); });
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
  std::vector<typename State::Selection> selections_;
  std::vector<State> results_;
};

/// A state of a known type: its own, or one that it only refers to.
template <class State>
class TypedState final : public TickState {
 public:
  TypedState() = default;
  explicit TypedState(const State& borrowed) : seen_(&borrowed) {}
  TypedState(const TypedState&) = delete;
  TypedState& operator=(const TypedState&) = delete;

  [[nodiscard]] State& value() { return own_; }
  [[nodiscard]] const State& value() const { return *seen_; }

 private:
  State own_;
  const State* seen_ = &own_;
};

template <TickProgram Program>
class TickModelOf final : public TickModel {
 public:
  using Query = typename Program::Query;
  using State = typename Program::State;

  TickModelOf(const Program& program, unsigned threads)
      : program_(program), stepper_(program, threads) {}

  Result<std::size_t> divide(std::uint32_t count, const TickState* now) override {
    LEEWAY_ASSIGN(parts_, program_.part(count, now == nullptr ? nullptr : &typed(*now)));
    queries_.clear();
    return parts_.size();
  }
  void write_parts(ByteWriter& out) const override {
    if constexpr (PacksParts<Program>)
      program_.pack(std::span<const Query>(parts_), out);
    else
      out.raw(std::as_bytes(std::span(parts_)));
  }
  Status read_parts(ByteReader& in, bool replace) override {
    std::vector<Query> parts;
    if constexpr (PacksParts<Program>) {
      LEEWAY_ASSIGN(parts, program_.unpack(in));
    } else {
      parts.resize(parts_.size());
      const auto queries = in.raw(parts.size() * sizeof(Query));
      if (!in.failed()) std::memcpy(parts.data(), queries.data(), queries.size());
    }
    if (parts.size() != parts_.size()) in.fail();
    if (!replace || in.failed()) return {};
    parts_ = std::move(parts);
    queries_.clear();
    return {};
  }
  [[nodiscard]] bool disjoint(const QueryName& a, const QueryName& b) const override {
    return program_.disjoint(query(a), query(b));
  }

  [[nodiscard]] std::unique_ptr<TickState> make() const override {
    return std::make_unique<TypedState<State>>();
  }
  void reset(TickState& state, const QueryName& own, const QueryName& held) const override {
    typed(state).reset(query(own), query(held));
  }
  void reset_whole(TickState& state) const override {
    const Query all = query_of_all(std::span<const Query>(parts_));
    typed(state).reset(all, all);
  }
  void keep_private(TickState& state, const std::optional<QueryName>& name) const override {
    typed(state).keep_private(query(name));
  }
  Status create(TickState& state, const QueryName& name) const override {
    return program_.create(query(name), typed(state));
  }
  [[nodiscard]] Result<std::unique_ptr<TickState>> create_all() const override {
    Query all{};
    if constexpr (requires { parts_[0].hull(all); })
      all = query_of_all(std::span<const Query>(parts_));
    else if constexpr (requires { Query::everywhere(); })
      all = Query::everywhere();
    else
      return nullptr;
    std::unique_ptr<TickState> whole = make();
    typed(*whole).reset(all, all);
    LEEWAY_TRY(program_.create(all, typed(*whole)));
    return whole;
  }
  void copy(const TickState& from, const QueryName& name, TickState& to) const override {
    typed(from).copy(query(name), typed(to));
  }
  void arrange(TickState& state) const override { typed(state).arrange(); }
  void mark_own(TickState& state) const override { typed(state).mark_own(); }
  void drop_others(TickState& state) const override { typed(state).drop_others(); }
  void encode_own(const TickState& state, ByteWriter& out) const override {
    typed(state).encode_own(out);
  }
  [[nodiscard]] bool decode(TickState& state, ByteReader& in) const override {
    return typed(state).decode(in);
  }
  [[nodiscard]] std::optional<std::string> misplaced(const TickState& state) const override {
    return typed(state).misplaced(parts_);
  }

  std::size_t select(const TickState& context, const QueryName& inside,
                     const std::optional<QueryName>& outside) override {
    typed(context).select(query(inside), query(outside), to_step_);
    return to_step_.size();
  }
  void step(const TickState& context, const QueryName& own, const QueryName& held,
            TickState& result) override {
    stepper_.step(to_step_, typed(context), query(own), query(held), typed(result));
  }
  [[nodiscard]] Duration price() const override { return step_price(program_, to_step_); }
  std::optional<Residual> moved(const QueryName& name, const TickState& before,
                                const TickState& after) override {
    if constexpr (MeasuringProgram<Program>) {
      typed(before).select(query(name), std::nullopt, measured_);
      return program_.moved(measured_, typed(before), typed(after));
    }
    return std::nullopt;
  }
  std::optional<std::string> select_border(const TickState& state, const QueryName& own) override {
    typed(state).select_border(border_);
    return typed(state).stray(border_, query(own), parts_);
  }
  void encode(const TickState& state, const QueryName& needed, ByteWriter& out) const override {
    typed(state).encode(border_, query(needed), out);
  }

  [[nodiscard]] std::unique_ptr<TickState> restricted(const TickState& whole, const QueryName& name,
                                                      const QueryName& held) const override {
    std::unique_ptr<TickState> part = blank(held);
    copy(whole, name, *part);
    return part;
  }
  [[nodiscard]] std::unique_ptr<TickState> stepped(const TickState& context,
                                                   const QueryName& inside,
                                                   const std::optional<QueryName>& outside,
                                                   const QueryName& held) const override {
    typename State::Selection to_step;
    typed(context).select(query(inside), query(outside), to_step);
    std::unique_ptr<TickState> result = blank(held);
    program_.step(to_step, typed(context), typed(*result));
    mark_own(*result);
    return result;
  }
  [[nodiscard]] std::optional<std::string> difference(const TickState& a,
                                                      const TickState& b) const override {
    return State::difference(typed(a), typed(b));
  }
  [[nodiscard]] bool moves() const override { return kMoves<State>; }

 private:
  static State& typed(TickState& state) { return static_cast<TypedState<State>&>(state).value(); }
  static const State& typed(const TickState& state) {
    return static_cast<const TypedState<State>&>(state).value();
  }

  /// A state without tuples; cells are NaN.
  [[nodiscard]] std::unique_ptr<TickState> blank(const QueryName& held) const {
    std::unique_ptr<TickState> state = make();
    reset(*state, held, held);
    if constexpr (requires { typed(*state).poison(); }) typed(*state).poison();
    return state;
  }

  [[nodiscard]] std::optional<Query> query(const std::optional<QueryName>& name) const {
    return name ? std::optional(query(*name)) : std::nullopt;
  }
  /// Each query is computed once for a division.
  const Query& query(const QueryName& name) const {
    if (const auto found = queries_.find(name); found != queries_.end()) return found->second;
    return queries_.emplace(name, made(name)).first->second;
  }
  [[nodiscard]] Query made(const QueryName& name) const {
    const auto [node, level, of] = name;
    switch (of) {
      case QueryScope::Read:
        return program_.rd(query({node, level}));
      case QueryScope::Written:
        return program_.wd(query({node, level}));
      case QueryScope::Kept:
        return program_.wx(query({node, level}));
      case QueryScope::Itself:
        break;
    }
    if (level == 0) return parts_[node.index()];
    if (level > 0) return program_.wd(query({node, level - 1, QueryScope::Read}));
    return program_.rx(program_.wx(query({node, level + 1})));
  }

  const Program& program_;
  ThreadedStep<Program> stepper_;
  std::vector<Query> parts_;
  mutable std::map<QueryName, Query> queries_;
  typename State::Selection to_step_, border_, measured_;
};

}  // namespace leeway::tick
