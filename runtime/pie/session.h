// A graph partitioned and loaded once, and queries posed on it one after the other (AAP §3): the fragments
// stay, each query brings its program. `Session::ask` is what a user calls. One thread's own.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/datasets/partition.h"
#include "leeway/runtime/node_programs.h"
#include "leeway/runtime/pie/fragmentation.h"
#include "leeway/runtime/pie/options.h"
#include "leeway/runtime/pie/virtual_worker_of.h"
#include "leeway/snapshot/recorder.h"
#include "leeway/snapshot/source.h"
#include "leeway/snapshot/type_name.h"

namespace leeway {
class Endpoint;
}

namespace leeway::pie {

class Snapshots;

struct SessionOptions : FragmentOptions {
  ClusterOptions cluster;
  Options engine;                            ///< `nodes_of` empty: workers are dealt out in turn
  PartitionOptions partition;                ///< its `parts` are the workers, whatever it says
  std::shared_ptr<const Partition> divided;  ///< divides the graph instead
  std::shared_ptr<const snapshot::Plan> snapshots;  ///< null: none are taken
  std::shared_ptr<const snapshot::Source> resume;   ///< to go on from; null: from the beginning
};

/// What a query tells of itself.
struct QueryRecord {
  bool simulated = false;
  double partition_seconds = 0;  ///< of the session, once
  double setup_seconds = 0;      ///< fragments cut, if they were not there yet
  double compute_seconds = 0;    ///< from the first PEval to the end; virtual under sim
  std::vector<NodeOutcome> nodes;
  std::uint64_t digest = 0;  ///< sim's

  [[nodiscard]] bool converged() const;
  [[nodiscard]] std::uint64_t rounds() const;       ///< of all workers
  [[nodiscard]] std::uint32_t most_rounds() const;  ///< of one
  [[nodiscard]] std::uint64_t messages() const;
  [[nodiscard]] std::uint64_t bytes() const;
};

template <PieProgram P>
struct Answer {
  std::vector<typename P::Result> values;  ///< by vertex; whole on the first node
  QueryRecord record;
};

class Session {
 public:
  static Result<Session> open(const Graph& graph, const FragmentNeeds& needs,
                              SessionOptions options);

  /// Blocks until the query is answered. The program must need what the session was opened with. An Input error if
  /// the options name snapshots, to take or to go on from, and the program has no `peval_from`.
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
                      {sizeof(typename P::Result), snapshot::type_name<typename P::Result>(),
                       ResumingProgram<P>}));
    answer.values.resize(fragmentation_.vertex_count());
    for (std::uint32_t worker = 0; worker < workers(); ++worker) {
      ByteReader in(results[worker].span());
      for (const VertexId vertex : fragmentation_.vertices(PartId(worker))) {
        if (in.at_end()) break;  // not the first node
        read_value<P>(in, answer.values[vertex.index()]);
      }
    }
    return answer;
  }

  [[nodiscard]] std::uint32_t workers() const { return fragmentation_.count(); }
  [[nodiscard]] SessionOptions& options() { return options_; }
  /// This process's; requires that a query has run, or `load`.
  [[nodiscard]] const Fragment* fragment(PartId id) const {
    return fragments_[id.index()] ? &*fragments_[id.index()] : nullptr;
  }
  /// Cuts the fragments whose workers live in this process.
  Status load();
  /// Moves virtual workers between nodes by what a round of theirs took in the last query; returns how many have
  /// moved. Does nothing before a query, or where nodes are processes: those do not hear of each other's.
  std::uint32_t rebalance();

 private:
  using MakeWorker = std::function<std::unique_ptr<VirtualWorker>(const Fragment&)>;

  explicit Session(Fragmentation fragmentation) : fragmentation_(std::move(fragmentation)) {}
  /// How a result lies in a snapshot.
  struct ResultForm {
    std::size_t bytes = 0;
    std::string type;
    bool resumes = false;  ///< the program can begin from results
  };
  using NodeSnapshots =
      std::vector<std::shared_ptr<Snapshots>>;  // by node; null: of another process, or none

  Result<QueryRecord> evaluate(const MakeWorker& make, Candidates candidates,
                               std::vector<ByteWriter>& results, const ResultForm& form);
  /// Before any node runs. Empty where none are taken.
  Result<NodeSnapshots> open_snapshots(const ResultForm& form) const;
  [[nodiscard]] Status admit_snapshots(const ResultForm& form) const;
  Status load_results(const ResultForm& form);
  void note_times(const QueryRecord& record);
  Status run_node(Endpoint& endpoint, const MakeWorker& make, Candidates candidates,
                  QueryRecord& record, std::vector<ByteWriter>& results, Snapshots* snapshots);

  Fragmentation fragmentation_;
  SessionOptions options_;
  std::vector<std::optional<Fragment>> fragments_;
  double partition_seconds_ = 0;
  std::vector<Duration> times_;                // by worker, of a round of the last query
  std::vector<std::vector<std::byte>> saved_;  // by worker: results to begin from; empty: none
};

/// One query on one graph.
template <PieProgram P>
Result<Answer<P>> run_pie(const Graph& graph, const P& program, const SessionOptions& options) {
  LEEWAY_ASSIGN(Session session, Session::open(graph, program.needs(), options));
  return session.ask(program);
}

}  // namespace leeway::pie
