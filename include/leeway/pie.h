// PIE programs from the user's side: Session partitions and loads a graph once and then evaluates queries on it one
// after the other (AAP §3); run_pie evaluates one query; check_conditions tests a program for AAP's convergence
// conditions (§4.1).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/format.h"
#include "base/random.h"
#include "base/saved_state.h"
#include "leeway/cluster.h"
#include "leeway/graph.h"
#include "leeway/options.h"
#include "leeway/pie_program.h"
#include "leeway/result.h"
#include "runtime/pie/fragment.h"
#include "runtime/pie/virtual_worker.h"
#include "snapshot/manifest.h"
#include "snapshot/recorder.h"
#include "snapshot/source.h"

namespace leeway {
class Endpoint;
}

namespace leeway::pie {

class TokenCheckpoints;
class WorkerSlot;
struct Continuation;
struct SavedWorkers;

/// Measurements of one query.
struct QueryRecord {
  bool simulated = false;
  double partition_seconds = 0;  ///< of the session, once
  double setup_seconds = 0;      ///< cutting the fragments; 0 if they existed already
  double compute_seconds = 0;    ///< from the first PEval to the end; virtual under sim
  std::vector<NodeOutcome> nodes;
  std::uint64_t digest = 0;  ///< sim: digest of the events
  bool from_states =
      false;  ///< resumed from the workers' states and the messages in flight, not from results
  std::uint64_t iterations_before = 0;  ///< of the checkpoint that it resumed from
  std::uint32_t recoveries = 0;         ///< times that lost processes were replaced
  double recovery_seconds = 0;          ///< sum of the times until all workers were restored

  [[nodiscard]] bool converged() const;
  [[nodiscard]] std::uint64_t rounds() const;       ///< sum over all workers
  [[nodiscard]] std::uint32_t most_rounds() const;  ///< of the worker with most rounds
  [[nodiscard]] std::uint64_t messages() const;
  [[nodiscard]] std::uint64_t bytes() const;
};

template <PieProgram P>
struct Answer {
  std::vector<typename P::Result> values;  ///< by vertex; complete on node 0 only
  QueryRecord record;
};

/// A partitioned graph on which queries are evaluated. Not thread-safe: one thread opens it and calls all its functions.
/// Over several processes `open`, `ask` and `load` are collective.
class Session {
 public:
  static Result<Session> open(const Graph& graph, const FragmentNeeds& needs, RunOptions options);

  /// Evaluates one query; blocks until it has ended. The program's needs must equal those that the session was opened
  /// with. An Input error if the options request snapshots or a resume and the program's Partial cannot be saved
  /// (base/saved_state.h) and it has no `peval_from`.
  template <PieProgram P>
  Result<Answer<P>> ask(const P& program) {
    Answer<P> answer;
    std::vector<ByteWriter> results(workers());
    LEEWAY_ASSIGN(answer.record,
                  evaluate(
                      [&](const Fragment& fragment) -> std::unique_ptr<VirtualWorker> {
                        return std::make_unique<VirtualWorkerOf<P>>(fragment, program);
                      },
                      program.candidates(), results,
                      {result_bytes<P>(), snapshot::type_name<typename P::Result>(),
                       ResumingProgram<P>, kCanSave<typename P::Partial>}));
    answer.values.resize(fragmentation_.vertex_count());
    for (std::uint32_t worker = 0; worker < workers(); ++worker) {
      ByteReader in(results[worker].span());
      for (const VertexId vertex : fragmentation_.vertices(PartId(worker))) {
        if (in.at_end()) break;  // not node 0: has no results
        read_value<P>(in, answer.values[vertex.index()]);
      }
    }
    return answer;
  }

  [[nodiscard]] std::uint32_t workers() const { return fragmentation_.count(); }
  [[nodiscard]] RunOptions& options() { return options_; }
  /// A fragment of this process; null if another process has it. Requires an earlier query or `load`.
  [[nodiscard]] const Fragment* fragment(PartId id) const {
    return fragments_[id.index()] ? &*fragments_[id.index()] : nullptr;
  }
  /// Cuts the fragments of the workers that run in this process.
  Status load();
  /// Moves virtual workers between nodes by their round times in the last query; returns the number moved. Does
  /// nothing before the first query, or if nodes are processes: a process does not know the times of the others'
  /// workers.
  std::uint32_t rebalance();

 private:
  using MakeWorker = std::function<std::unique_ptr<VirtualWorker>(const Fragment&)>;

  explicit Session(Fragmentation fragmentation) : fragmentation_(std::move(fragmentation)) {}
  /// The format of a result in a snapshot.
  struct ResultForm {
    std::size_t bytes = 0;  ///< 0: of different lengths, so that a snapshot has no results
    std::string type;
    bool resumes = false;  ///< the program can resume from results (`peval_from`)
    bool saves = false;    ///< its partial results can be saved
  };
  /// By node; null: a node of another process, or no snapshots.
  using NodeCheckpoints = std::vector<std::shared_ptr<TokenCheckpoints>>;

  Result<QueryRecord> evaluate(const MakeWorker& make, Candidates candidates,
                               std::vector<ByteWriter>& results, const ResultForm& form);
  /// Call before any node runs. Empty if no snapshots are requested.
  /// A hash, equal for equal fragments.
  [[nodiscard]] std::uint64_t division() const;
  Result<NodeCheckpoints> open_checkpoints(const ResultForm& form) const;
  Result<QueryRecord> evaluate_once(const MakeWorker& make, Candidates candidates,
                                    std::vector<ByteWriter>& results, const ResultForm& form);
  /// The processes that are left have noticed a loss: they join again.
  Status rejoin(const ResultForm& form);
  /// Sets from where the query continues.
  Status continue_from(const Continuation& agreed);
  [[nodiscard]] std::vector<std::vector<std::byte>> present_results(
      const std::vector<WorkerSlot>& slots) const;
  void put_present_results(const Fragment& fragment, std::size_t size,
                           std::vector<std::byte>& results) const;
  [[nodiscard]] bool may_rejoin() const;
  [[nodiscard]] Status admit_snapshots(const ResultForm& form) const;
  Status load_saved(const ResultForm& form);
  void note_times(const QueryRecord& record);
  Status run_node(Endpoint& endpoint, const MakeWorker& make, Candidates candidates,
                  QueryRecord& record, std::vector<ByteWriter>& results,
                  TokenCheckpoints* checkpoints);

  Fragmentation fragmentation_;
  RunOptions options_;
  std::vector<std::optional<Fragment>> fragments_;
  double partition_seconds_ = 0;
  std::vector<Duration> times_;                // by worker: round time in the last query
  std::shared_ptr<const SavedWorkers> saved_;  // the checkpoint to resume from; null: none
  std::vector<std::vector<std::byte>>
      results_;  // by worker: results to resume from, instead; empty: none
  // After the loss of a process:
  std::vector<std::vector<std::byte>>
      present_;  // by worker: results of its inner vertices at the loss; empty: not known
  bool recovered_ = false;
  double recovery_seconds_ = 0;
  std::optional<Stopwatch>
      lost_;  // running since the loss was noticed, until the workers are restored
};

/// Evaluates one query on one graph.
template <PieProgram P>
Result<Answer<P>> run_pie(const Graph& graph, const P& program, const RunOptions& options) {
  LEEWAY_ASSIGN(Session session, Session::open(graph, program.needs(), options));
  return session.ask(program);
}
/// Reports a type that is none, in place of an error about overloads.
template <class P>
  requires(!PieProgram<P>)
auto run_pie(const Graph& /*graph*/, const P& /*program*/, const RunOptions& /*options*/) {
  static_assert(PieProgram<P>,
                "this type is not a PIE program. It needs the types Value, Partial and Result, and "
                "the public functions needs, "
                "candidates, static aggregate, peval, inceval, parameter and result (see "
                "leeway/pie_program.h)");
}

/// A violated condition, found by check_conditions.
struct ConditionViolation {
  std::string condition;  ///< "T1", "T2" or "T3"
  std::string what;       ///< the fragment, the vertex and the values
};

/// Tests a PIE program for the conditions under which every asynchronous run gives the same answer (AAP §4.1): T2,
/// IncEval is contracting, and T3, IncEval is monotonic, both in the order in which f_aggr prefers values. T1, a
/// finite domain of values, shows as rounds that end. States are sampled by running the program with random messages,
/// and by replaying a round from two states of which one is ahead of the other. A counterexample proves that the
/// program may give wrong answers; finding none proves nothing.
///
/// Applies to programs whose f_aggr selects one of its arguments, such as min and max, and whose results are values of
/// the update parameters.
///
/// Runs sampled rounds on one fragment, from copies of its state.
template <PieProgram P>
class ConditionChecker {
  using Value = typename P::Value;
  using Message = std::vector<Update<Value>>;

 public:
  ConditionChecker(const Fragment& fragment, const P& program, std::uint64_t seed)
      : fragment_(fragment), program_(program), routes_(fragment), random_(seed, 5) {
    routes_.settle();
  }

  /// Runs `samples` chains of rounds. Empty if none violates a condition.
  std::optional<ConditionViolation> check(std::uint32_t samples) {
    for (std::uint32_t sample = 0; sample < samples; ++sample) {
      if (auto found = chain()) return found;
    }
    return std::nullopt;
  }

 private:
  struct State {
    typename P::Partial partial{};
    std::vector<Value> parameters;  // by place, for those that were sent
  };

  static constexpr std::uint32_t kRounds = 6;

  /// True if f_aggr prefers `a` to `b` or they are equal: a <= b.
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

  /// Values that messages could bring: results of other vertices; with `better_than_now` only those ahead of the
  /// current result.
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
      // The message `more` holds all updates of `less` and further ones that are ahead.
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

/// Tests the program on every fragment of a partition.
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
