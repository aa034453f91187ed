// Tries a PIE program for the conditions under which every asynchronous run gives one answer (AAP §4.1): T2,
// IncEval is contracting, and T3, IncEval is monotonic, both with respect to the order in which f_aggr
// prefers values; T1, that values come from a finite domain, shows as rounds that end. States are sampled
// by running the program on random graphs with messages delivered in random order, and by replaying a
// round from two states of which one is ahead of the other. A found counterexample is a proof that the
// program may go wrong; none found is no proof that it cannot.
//
// For programs whose f_aggr chooses one of its arguments, such as min and max, and whose results are values of
// the parameters.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "leeway/base/format.h"
#include "leeway/base/random.h"
#include "leeway/runtime/pie/program.h"

namespace leeway::pie {

struct ConditionViolation {
  std::string condition;  ///< "T1", "T2" or "T3"
  std::string what;       ///< fragment, vertex, values
};

/// One fragment's state that can be copied and asked again.
template <PieProgram P>
class ConditionChecker {
  using Value = typename P::Value;
  using Message = std::vector<Update<Value>>;

 public:
  ConditionChecker(const Fragment& fragment, const P& program, std::uint64_t seed)
      : fragment_(fragment), program_(program), routes_(fragment), random_(seed, 5) {
    routes_.settle();
  }

  /// `samples` chains of rounds. Empty if nothing speaks against the conditions.
  std::optional<ConditionViolation> check(std::uint32_t samples) {
    for (std::uint32_t sample = 0; sample < samples; ++sample) {
      if (auto found = chain()) return found;
    }
    return std::nullopt;
  }

 private:
  struct State {
    typename P::Partial partial{};
    std::vector<Value> parameters;  // by place, as far as they were sent
  };

  static constexpr std::uint32_t kRounds = 6;

  /// True if f_aggr would keep `a` against `b`: a <= b.
  [[nodiscard]] static bool ahead(const Value& a, const Value& b) {
    Value kept = a;
    P::aggregate(kept, b);
    return same(kept, a);
  }
  [[nodiscard]] static bool same(const Value& a, const Value& b) { return !(a < b) && !(b < a); }

  [[nodiscard]] std::vector<Value> results(const State& state) const {
    std::vector<Value> all;
    for (Place p = 0; p < fragment_.inner_count(); ++p)
      all.push_back(static_cast<Value>(program_.result(fragment_, state.partial, p)));
    return all;
  }

  void run(State& state, Message message) {
    Changes changes(routes_, fragment_.vertex_count(), border());
    (void)program_.inceval(fragment_, state.partial, std::span(message), changes);
    changes.drain([](Place) {});
  }
  [[nodiscard]] bool border() const {
    return program_.candidates() == Candidates::Border || fragment_.cut() == Cut::Vertex;
  }

  /// Values that messages could bring: results of other vertices, moved a little towards the better.
  [[nodiscard]] Message draw(const State& state, bool better_than_now) {
    Message message;
    const std::vector<Value> now = results(state);
    if (now.empty()) return message;
    const std::uint64_t count = 1 + random_.below(4);
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto place = static_cast<Place>(random_.below(now.size()));
      const Value value = now[random_.below(now.size())];
      if (better_than_now && !ahead(value, now[place])) continue;
      message.push_back({place, value});
    }
    return message;
  }

  std::optional<ConditionViolation> fault(const char* condition, Place place, const Value& is,
                                          const Value& was, const char* how) const {
    return ConditionViolation{condition, format("fragment {}, vertex {}: {} {} {}", fragment_.id(),
                                                fragment_.vertex(place), is, how, was)};
  }

  std::optional<ConditionViolation> chain() {
    State state;
    {
      Changes changes(routes_, fragment_.vertex_count(), border());
      (void)program_.peval(fragment_, state.partial, changes);
    }
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      const std::vector<Value> before = results(state);
      // Two messages, the first nowhere behind the second: it says all of it, and more.
      const Message less = draw(state, false);
      Message more = less;
      for (Update<Value>& extra : draw(state, true)) more.push_back(std::move(extra));
      State ahead_state = state;
      run(ahead_state, folded(more));
      State behind_state = state;
      run(behind_state, folded(less));
      const std::vector<Value> front = results(ahead_state);
      const std::vector<Value> back = results(behind_state);
      for (Place p = 0; p < before.size(); ++p) {
        if (!ahead(front[p], before[p]))
          return fault("T2", p, front[p], before[p], "after a round is behind, before it, ");
        if (!ahead(back[p], before[p]))
          return fault("T2", p, back[p], before[p], "after a round is behind, before it, ");
        if (!ahead(front[p], back[p]))
          return fault("T3", p, front[p], back[p], "with more news is behind, with less, ");
      }
      state = random_.chance(0.5) ? std::move(ahead_state) : std::move(behind_state);
    }
    return std::nullopt;
  }

  [[nodiscard]] static Message folded(const Message& message) {
    Message one_each;
    for (const Update<Value>& update : message) {
      bool known = false;
      for (Update<Value>& kept : one_each) {
        if (kept.place != update.place) continue;
        P::aggregate(kept.value, update.value);
        known = true;
      }
      if (!known) one_each.push_back(update);
    }
    return one_each;
  }

  const Fragment& fragment_;
  const P& program_;
  Routes routes_;
  Random random_;
};

/// Tries the program on every fragment of a division.
template <PieProgram P>
Result<std::optional<ConditionViolation>> check_conditions(const Fragmentation& fragments,
                                                           const P& program, std::uint32_t samples,
                                                           std::uint64_t seed) {
  for (std::uint32_t i = 0; i < fragments.count(); ++i) {
    LEEWAY_ASSIGN(const Fragment fragment, fragments.fragment(PartId(i)));
    ConditionChecker<P> checker(fragment, program, seed + i);
    if (auto found = checker.check(samples)) return found;
  }
  return std::optional<ConditionViolation>();
}

}  // namespace leeway::pie
