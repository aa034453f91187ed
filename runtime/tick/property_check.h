// The search for counterexamples to the laws that a tick program must satisfy (PropertyCheck).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/format.h"
#include "leeway/tick_program.h"

namespace leeway::tick {

// A violated law, found by PropertyCheck.
struct Counterexample {
  std::string law;    ///< the violated law: "Definition 1: Q and R_D(Q)"
  std::string words;  ///< where it is violated, and the tuple
};

/// The samples that PropertyCheck tries.
struct PropertySamples {
  std::vector<std::uint32_t> parts = {2, 3, 5};  ///< numbers of processes for PART
  std::uint32_t ticks = 10;                      ///< number of states S^0, S^1, …
};

/// Tests a program's eight functions on samples: is PART a partition, is DISJOINT correct, do R_D, R_X, W_D and W_X
/// satisfy Definitions 1 and 2, and STEP Properties 1 and 2? Finds a counterexample, or none, which proves nothing.
/// For states that can hold all tuples (Table, Field, and Tables of these).
template <TickProgram Program>
class PropertyCheck {
 public:
  using Query = typename Program::Query;
  using State = typename Program::State;

  PropertyCheck(const Program& program, std::uint32_t parts) : program_(program), count_(parts) {}

  /// The first violated law; an error if a function of the program returns one.
  Result<std::optional<Counterexample>> run(std::uint32_t ticks) {
    LEEWAY_ASSIGN(parts_, program_.part(count_, nullptr));
    if constexpr (requires { parts_[0].hull(all_); }) {
      for (const Query& part : parts_) all_ = all_.hull(part);
    }
    State now = fresh();
    for (const Query& part : parts_) {
      State some = fresh();
      LEEWAY_TRY(program_.create(part, some));
      some.copy(part, now);
    }
    now.mark_own();
    for (tick_ = 0; tick_ < ticks && !found_; ++tick_) {
      now = try_state(now);
    }
    return found_;
  }

 private:
  /// A state without tuples; cells are NaN.
  [[nodiscard]] State fresh() const {
    State state;
    state.reset(all_, all_);
    if constexpr (requires { state.poison(); }) state.poison();
    return state;
  }
  /// The tuples of the state that `query` selects, as a separate state.
  [[nodiscard]] State only(const State& state, const Query& query) const {
    State part = fresh();
    state.copy(query, part);
    return part;
  }
  /// The result of STEP on the tuples that `inside` selects of `context` and `outside` does not.
  [[nodiscard]] State stepped(const State& context, const Query& inside,
                              const std::optional<Query>& outside = std::nullopt) const {
    State result = fresh();
    step_into(context, inside, outside, result);
    result.mark_own();
    return result;
  }
  void step_into(const State& context, const Query& inside, const std::optional<Query>& outside,
                 State& result) const {
    typename State::Selection to_step;
    context.select(inside, outside, to_step);
    program_.step(to_step, context, result);
  }

  void note(std::string law, const std::optional<std::string>& wrong) {
    if (!wrong || found_) return;
    found_ = Counterexample{std::move(law),
                            format("tick {}, part {} of {}: {}", tick_, part_, count_, *wrong)};
  }
  void same(std::string law, const State& a, const State& b) {
    if (!found_) note(std::move(law), State::difference(a, b));
  }
  void within(std::string law, const State& state, const Query& inner, const Query& outer) {
    typename State::Selection beyond;
    state.select(inner, outer, beyond);
    if (beyond.size() > 0)
      note(std::move(law), format("{} tuples are only in the first query", beyond.size()));
  }

  /// Tests all laws on one state; returns the next state.
  State try_state(const State& now) {
    part_ = 0;
    note("PART: every tuple in one part", now.misplaced(parts_));
    State next = fresh();
    for (const Query& part : parts_) step_into(now, part, std::nullopt, next);
    next.mark_own();
    if constexpr (requires { State::duplicate(next); }) {
      if (const auto twice = State::duplicate(next))
        note("Property 1: ids of two parts differ", "two parts have made " + *twice);
    }
    for (; part_ < parts_.size() && !found_; ++part_) try_part(now, next, parts_[part_]);
    return next;
  }

  void try_part(const State& now, const State& next, const Query& part) {
    const Query reads = program_.rd(part);
    const Query inner = program_.rx(part);
    const Query writers = program_.wd(part);
    const Query kept = program_.wx(part);
    within("Definition 1: Q within R_D(Q)", now, part, reads);
    within("Definition 1: R_X(Q) within Q", now, inner, part);
    within("Definition 2: Q within W_D(Q)", now, part, writers);
    within("Definition 2: W_X(Q) within Q", now, kept, part);
    State pieces = fresh();
    step_into(now, part, std::nullopt, pieces);
    step_into(now, reads, part, pieces);
    pieces.mark_own();
    same("Property 2: STEP of two sets is STEP of both", pieces, stepped(now, reads));
    const State all = stepped(now, part);
    same("Definition 1: STEP of Q needs R_D(Q) alone", stepped(only(now, reads), part), all);
    same("Definition 1: STEP of Q needs R_D(Q) alone, and more does no harm",
         stepped(only(now, program_.rd(reads)), part), all);
    same("Definition 1: STEP of R_X(Q) needs Q alone", stepped(only(now, part), inner),
         stepped(now, inner));
    same("Definition 2: W_D(Q) makes all of the next Q", only(stepped(now, writers), part),
         only(next, part));
    same("Definition 2: Q makes all of the next W_X(Q)", only(all, kept), only(next, kept));
    for (const Query& other : parts_) try_disjoint(now, {part, reads, inner}, other);
  }

  void try_disjoint(const State& now, const std::vector<Query>& queries, const Query& part) {
    for (const Query& query : queries) {
      for (const Query& other : {part, program_.wd(program_.rd(part))}) {
        const bool disjoint = program_.disjoint(query, other);
        if (disjoint != program_.disjoint(other, query))
          note("DISJOINT: symmetric", std::string("it is not symmetric"));
        if (!disjoint) continue;
        State here;
        here.reset(all_, all_);
        now.copy(query, here);
        here.mark_own();
        if (shares(here, query, other))
          note("DISJOINT: no tuple in both", std::string("a tuple is in both"));
      }
    }
  }
  [[nodiscard]] bool shares(const State& here, const Query& query, const Query& other) const {
    if constexpr (requires { here.shares(query, other); }) {
      return here.shares(query, other);
    } else {
      return !query.disjoint(other);
    }
  }

  const Program& program_;
  std::uint32_t count_;
  Query all_{};
  std::vector<Query> parts_;
  std::uint32_t tick_ = 0;
  std::size_t part_ = 0;
  std::optional<Counterexample> found_;
};

template <TickProgram Program>
[[nodiscard]] Result<std::optional<Counterexample>> find_counterexample(
    const Program& program, const PropertySamples& samples = {}) {
  for (const std::uint32_t parts : samples.parts) {
    LEEWAY_ASSIGN(auto found, PropertyCheck<Program>(program, parts).run(samples.ticks));
    if (found) return found;
  }
  return std::optional<Counterexample>();
}

}  // namespace leeway::tick
