// PIE programs from the user's side: Session partitions and loads a graph once and then evaluates queries on it one
// after the other (AAP §3); run_pie evaluates one query; check_conditions tests a program for AAP's convergence
// conditions (§4.1).
#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/archive.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/type_name.h"
#include "datasets/graph.h"
#include "leeway/cluster.h"
#include "leeway/options.h"
#include "leeway/pie_program.h"
#include "runtime/graph/graph_part.h"
#include "runtime/pie/conditions.h"
#include "runtime/pie/fragment.h"
#include "runtime/pie/virtual_worker.h"
#include "snapshot/manifest.h"
#include "snapshot/recorder.h"
#include "snapshot/source.h"
#include "transport/membership.h"

namespace leeway {
class Endpoint;
}

namespace leeway::pie {

class TokenCheckpoints;
class WorkerSlot;
struct Continuation;
struct SavedWorkers;
struct WorkerMoves;

template <PieProgram P>
struct Answer {
  std::vector<typename P::Result> values;  ///< by vertex; complete on node 0 only
  Record record;                           ///< `rounds`: the traces of all nodes
};

/// A partitioned graph on which queries are evaluated. Not thread-safe: one thread opens it and calls all its functions.
/// Over several processes `open`, `ask` and `load` are collective.
class Session {
 public:
  static Result<Session> open(const Graph& graph, const FragmentNeeds& needs, RunOptions options);
  /// On a graph of which each process has a part; consumes the arcs of the part. `ask` then returns the values of the part's
  /// range. Workers stay in their processes: an Input error for options that move workers, or for fewer workers than nodes.
  static Result<Session> open(GraphPart& part, const FragmentNeeds& needs, RunOptions options);

  /// Evaluates one query; blocks until it has ended. The program's needs must equal those that the session was opened
  /// with. An Input error if the options request snapshots or a resume and the program's Partial cannot be saved
  /// (base/archive.h) and it has no `peval_from`.
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
                      {result_bytes<P>(), type_name<typename P::Result>(), ResumingProgram<P>,
                       kCanSave<typename P::Partial>}));
    if (fragmentation_.in_parts()) {
      LEEWAY_ASSIGN(answer.values, bring_to_range<P>(results));
      return answer;
    }
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
  /// nothing before the first query. PieOptions::rebalance moves them during a query.
  Result<std::uint32_t> rebalance();

 private:
  using MakeWorker = std::function<std::unique_ptr<VirtualWorker>(const Fragment&)>;

  /// Sends the results of this process's workers to the processes in whose ranges the vertices are.
  template <PieProgram P>
  Result<std::vector<typename P::Result>> bring_to_range(std::vector<ByteWriter>& results) {
    std::vector<ByteWriter> leaving(options_.cluster.nodes);
    typename P::Result value{};
    for (std::uint32_t worker = 0; worker < workers(); ++worker) {
      const ByteWriter mine = std::move(results[worker]);
      ByteReader in(mine.span());
      for (const VertexId vertex : fragmentation_.vertices(PartId(worker))) {
        if (in.at_end()) break;  // stopped before its first round
        read_value<P>(in, value);
        ByteWriter& out = leaving[ranges_.home(vertex).index()];
        out.varint(vertex.value());
        write_value<P>(value, out);
      }
    }
    LEEWAY_ASSIGN(const auto coming, swap(std::move(leaving)));
    const NodeId self = options_.cluster.job != nullptr ? options_.cluster.job->self() : NodeId(0);
    std::vector<typename P::Result> values(ranges_.size(self));
    for (std::uint32_t node = 0; node < coming.size(); ++node) {
      ByteReader in(coming[node]);
      while (!in.at_end()) {
        const std::uint64_t place = in.varint() - ranges_.first(self);
        read_value<P>(in, value);
        if (in.failed() || place >= values.size()) return fail(bad_frame(self, NodeId(node)));
        values[place] = value;
      }
    }
    return values;
  }
  /// Sends each process its bytes. Collective.
  Result<std::vector<std::vector<std::byte>>> swap(std::vector<ByteWriter> leaving);
  void begin(RunOptions options, const Stopwatch& watch);

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

  Result<Record> evaluate(const MakeWorker& make, Candidates candidates,
                          std::vector<ByteWriter>& results, const ResultForm& form);
  /// The worker's fragment, which is made unless it exists.
  Result<const Fragment*> made_fragment(PartId worker);
  /// A hash, equal for equal fragments.
  [[nodiscard]] std::uint64_t division() const;
  /// Call before any node runs. Empty if no snapshots are requested.
  Result<NodeCheckpoints> open_checkpoints(const ResultForm& form) const;
  Result<Record> evaluate_once(const MakeWorker& make, Candidates candidates,
                               std::vector<ByteWriter>& results, const ResultForm& form);
  Status take_division();
  [[nodiscard]] Status admit_snapshots(const ResultForm& form) const;
  Status load_saved(const ResultForm& form);
  void note_times(const Record& record);
  Status share_times();
  void drop_others();
  WorkerMoves moves(const MakeWorker& make);
  Status run_node(Endpoint& endpoint, const MakeWorker& make, Candidates candidates, Record& record,
                  RoundHistory& history, std::vector<ByteWriter>& results,
                  TokenCheckpoints* checkpoints);

  Fragmentation fragmentation_;
  VertexRanges ranges_;  // for a graph in parts
  RunOptions options_;
  std::vector<std::optional<Fragment>> fragments_;
  double partition_seconds_ = 0;
  std::vector<NodeId> placed_;                 // by worker: its node at the end of the last query
  std::vector<Duration> times_;                // by worker: round time in the last query
  std::shared_ptr<const SavedWorkers> saved_;  // the checkpoint to resume from; null: none
  std::vector<std::vector<std::byte>>
      results_;                   // by worker: results to resume from, instead; empty: none
  std::uint32_t generation_ = 0;  // generation of the job in which all processes had the division
  std::uint32_t opened_in_ = 0;   // recoverable run of the job that opened this session
};

/// Evaluates one query on one graph, whole or in parts.
template <PieProgram P>
Result<Answer<P>> run_pie(const Graph& graph, const P& program, const RunOptions& options) {
  LEEWAY_ASSIGN(Session session, Session::open(graph, program.needs(), options));
  return session.ask(program);
}
template <PieProgram P>
Result<Answer<P>> run_pie(GraphPart& part, const P& program, const RunOptions& options) {
  LEEWAY_ASSIGN(Session session, Session::open(part, program.needs(), options));
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

/// A result that consists of numbers: one, or an array of them.
template <class R>
concept NumericResult =
    std::is_arithmetic_v<R> || (std::is_trivially_copyable_v<R> && requires(const R& result) {
      requires std::is_arithmetic_v<typename R::value_type>;
      std::tuple_size<R>::value;
    });

template <NumericResult R>
[[nodiscard]] ResultLayout numbers_of_result() {
  // Sums of the same numbers in another order differ by some roundings.
  constexpr double kRoundings = 64;
  const auto of = []<class Number>(std::type_identity<Number>, std::size_t count) {
    return ResultLayout{
        .count = count,
        .rounding = kRoundings * static_cast<double>(std::numeric_limits<Number>::epsilon()),
        .number =
            [](const std::byte* result, std::size_t index) {
              Number number{};
              std::memcpy(&number, result + index * sizeof(Number), sizeof(Number));
              return static_cast<double>(number);
            },
        .bytes = sizeof(R)};
  };
  if constexpr (std::is_arithmetic_v<R>) {
    return of(std::type_identity<R>(), 1);
  } else {
    return of(std::type_identity<typename R::value_type>(), std::tuple_size_v<R>);
  }
}

/// Tests a PIE program for the conditions under which every asynchronous run gives the same answer (AAP §4.1), with the
/// messages of random schedules on these fragments: T1, the values are from a finite domain; T2, IncEval is
/// contracting; T3, IncEval is monotonic. The order of values is the one in which most results move. A counterexample to T2
/// or T3 proves that the program may give wrong answers; for T1 there is only evidence, values that never
/// repeat. Finding none proves nothing.
template <PieProgram P>
  requires NumericResult<typename P::Result>
Result<ConditionReport> check_conditions(const Fragmentation& fragmentation, const P& program,
                                         const CheckOptions& options = {}) {
  std::vector<Fragment> fragments;
  for (std::uint32_t i = 0; i < fragmentation.count(); ++i) {
    LEEWAY_ASSIGN(Fragment fragment, fragmentation.fragment(PartId(i)));
    fragments.push_back(std::move(fragment));
  }
  const bool announces =
      program.candidates() == Candidates::Border || fragmentation.needs().cut == Cut::Vertex;
  return check_workers(
      fragments,
      [&](const Fragment& fragment) -> std::unique_ptr<VirtualWorker> {
        return std::make_unique<VirtualWorkerOf<P>>(fragment, program);
      },
      announces, numbers_of_result<typename P::Result>(), options);
}

}  // namespace leeway::pie
