// Runs a vertex program on a graph: run_job is the function that `leeway run` and a user's own program call. The
// graph is either whole in this process (Graph) or distributed over the processes of the job (GraphPart).
//
// The scheduler and the form of the program select the engine: bsp runs BspEngine, asytick runs PieceEngine. Under
// the other schedulers a SelectingProgram runs by worklist (PushEngine), a ContractingProgram first joins connected
// vertices (ContractEngine), and every other program is swept (PullEngine).
#pragma once

#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "datasets/build_graph.h"
#include "datasets/graph.h"
#include "runtime/graph/graph_part.h"
#include "runtime/vertex/bsp_engine.h"
#include "runtime/vertex/contract_engine.h"
#include "runtime/vertex/piece_engine.h"
#include "runtime/vertex/pull_engine.h"
#include "runtime/vertex/push_engine.h"
#include "runtime/vertex/vertex_job.h"
#include "snapshot/manifest.h"

namespace leeway {

/// The graph of a job: a whole graph or this process's part of one. With a program's own records of the vertices, if it has any:
/// its `settle` finds those of its node by LocalGraph::records. Borrows graph and records.
struct JobGraph {
  const Graph* whole = nullptr;
  GraphPart* part = nullptr;
  const VertexRecords* records = nullptr;

  explicit JobGraph(const Graph& graph) : whole(&graph) {}
  explicit JobGraph(GraphPart& graph) : part(&graph) {}
  /// The same graph with these records.
  [[nodiscard]] JobGraph with(const VertexRecords& of_program) const {
    JobGraph graph = *this;
    graph.records = &of_program;
    return graph;
  }

  [[nodiscard]] GraphTotals totals() const {
    return whole != nullptr ? GraphTotals(*whole) : part->totals;
  }
};

template <class P>
struct JobResult {
  std::vector<ResultOf<P>>
      values;  ///< by vertex; for a graph in parts, only this node's range of vertices
  Record record;
};

/// Bucket width of the worklist's priority queue: the program's `width()`, or 1.
template <class P>
[[nodiscard]] double bucket_width(const P& program) {
  if constexpr (requires { program.width(); }) {
    return program.width();
  } else {
    return 1;
  }
}

/// Whether connected vertices within a node are joined first. Under AsyTick, too: a part is joined in less time than its
/// pieces take in turn.
template <class P>
[[nodiscard]] bool contracts(const EngineOptions& options) {
  return ContractingProgram<P> && any_order(options) && options.order == WorkOrder::Auto;
}

template <class P>
[[nodiscard]] bool works_by_list(const EngineOptions& options) {
  return SelectingProgram<P> && (works_by_list(options) || contracts<P>(options));
}

template <class P>
[[nodiscard]] LocalNeeds needs_of(const EngineOptions& options) {
  const bool by_list = works_by_list<P>(options);
  return {.reads = reads_of<P>(),
          .weights = uses_weights<P>(),
          .drop_loops = drops_loops<P>(),
          .inputs = !by_list || contracts<P>(options),
          .readers =
              !contracts<P>(options) &&
              (by_list || options.scheduler == Scheduler::AsyTick || options.visit != Visit::All ||
               (options.cache.any() && eviction_of(options, by_list) == Eviction::Known)),
          .degrees = uses_degrees<P>()};
}

/// One node of a job, for program P: holds the node's objects and runs the engine on them.
template <class P>
class JobNode final : public VertexNode {
  using Value = typename P::Value;
  static_assert(
      std::is_trivially_copyable_v<ResultOf<P>>,
      "the result of a vertex program must be copyable byte by byte: numbers, or a struct "
      "or std::array of them");
  static constexpr bool kOwnResult =
      requires(const P& program, const Vertex<Value>& vertex) { program.result(vertex); };

 public:
  JobNode(Node& node, const LocalGraph& graph, const P& program, const RunOptions& options)
      : VertexNode(node, graph, options), program_(program) {
    if constexpr (requires { program_.settle(graph); }) program_.settle(graph);
  }

  std::vector<std::byte> results() override {
    Sweeper<P> sweeper(*context_);
    std::vector<std::byte> bytes(graph().local_count() * sizeof(ResultOf<P>));
    NotFinite found;
    for (std::uint32_t v = 0; v < graph().local_count(); ++v) {
      const ResultOf<P> result = result_of(program_, sweeper.at(v));
      std::memcpy(&bytes[v * sizeof result], &result, sizeof result);
      if (has_left_the_numbers(v, result)) found.add({1, graph().vertices()[v]});
    }
    record().not_finite = found;
    return bytes;
  }

 private:
  Result<Space*> open_objects(const SpaceOptions& options) override {
    LEEWAY_ASSIGN(dsm_, Dsm<Value>::open(node(), options));
    if (!options.serves_only) {
      for (std::uint32_t v = 0; v < graph().local_count(); ++v)
        dsm_->set_initial(LocalIndex(v), first_value(v));
      drop_loaded();
    }
    context_.emplace(
        SweepContext<P>{node(), graph(), *dsm_, program_, engine(), this->options().cluster.cost});
    context_->measures = VertexNode::options().residuals;
    return &dsm_->space();
  }

  void store_first_values() override {
    for (std::uint32_t v = 0; v < graph().local_count(); ++v)
      dsm_->store(Handle(v), first_value(v));
  }

  /// True for a result that is infinite or NaN, unless the program itself begins with infinity, as the distances of
  /// unreached vertices do. Where the value is not the number itself, infinity is taken for intended.
  [[nodiscard]] bool has_left_the_numbers(std::uint32_t v, const ResultOf<P>& result) const {
    if constexpr (std::is_floating_point_v<ResultOf<P>>) {
      if (std::isfinite(result)) return false;
      if constexpr (std::is_floating_point_v<Value>)
        return std::isfinite(program_.init(LocalVertex{graph().vertices()[v], v}));
      return std::isnan(result);
    }
    return false;
  }

  [[nodiscard]] Value first_value(std::uint32_t v) const {
    const std::vector<std::byte>& bytes = loaded();
    if (bytes.empty()) return program_.init(LocalVertex{graph().vertices()[v], v});
    Value value;
    std::memcpy(static_cast<void*>(&value), &bytes[v * sizeof value], sizeof value);
    return value;
  }

  void lay_out(snapshot::Part& part, snapshot::PartHeader header) override {
    header.entries = graph().local_count();
    header.state_bytes = sizeof(Value);
    header.result_bytes = kOwnResult ? sizeof(ResultOf<P>) : 0;
    part.shape(header);
    for (std::uint32_t v = 0; v < graph().local_count(); ++v) {
      // mutant: a-value-is-saved-for-the-next-vertex
      part.vertices()[v] = graph().vertices()[v].value();
      const Value value = dsm_->peek(Handle(v));
      std::memcpy(&part.states()[v * sizeof value], &value, sizeof value);
    }
    if constexpr (kOwnResult) {
      Sweeper<P> sweeper(*context_);
      for (std::uint32_t v = 0; v < graph().local_count(); ++v) {
        const ResultOf<P> result = result_of(program_, sweeper.at(v));
        std::memcpy(&part.results()[v * sizeof result], &result, sizeof result);
      }
    }
  }

  [[nodiscard]] std::size_t state_size() const override { return sizeof(Value); }
  [[nodiscard]] std::string result_type() const override {
    return snapshot::type_name<ResultOf<P>>();
  }

  [[nodiscard]] bool by_list() const override { return works_by_list<P>(engine()); }
  [[nodiscard]] bool always_rests() const override { return leeway::always_rests<P>(); }

  void run_engine(Pace& pace) override {
    const EngineOptions& engine = this->engine();
    context_->snapshots = snapshots();
    if (engine.scheduler == Scheduler::Bsp)
      return BspEngine<P>(*context_, program_, record()).run();
    if constexpr (ContractingProgram<P>) {
      if (contracts<P>(engine)) return ContractEngine<P>(*context_, pace, record()).run();
    }
    if (engine.scheduler == Scheduler::AsyTick)
      return PieceEngine<P>(*context_, program_, pace, record()).run();
    if constexpr (SelectingProgram<P>) {
      if (by_list()) return PushEngine<P>(*context_, bucket_width(program_), pace, record()).run();
    }
    PullEngine<P>(*context_, program_, pace, record()).run();
  }

  P program_;
  std::optional<Dsm<Value>> dsm_;
  std::optional<SweepContext<P>> context_;
};

/// Erases the program's type. Borrows the program, which must outlive the job.
template <class P>
[[nodiscard]] VertexJob job_of(const P& program, const EngineOptions& engine) {
  return {.needs = needs_of<P>(engine),
          .by_list = works_by_list<P>(engine),
          .result_bytes = sizeof(ResultOf<P>),
          .make_node = [&program](Node& node, const LocalGraph& graph,
                                  const RunOptions& how) -> std::unique_ptr<VertexNode> {
            return std::make_unique<JobNode<P>>(node, graph, program, how);
          }};
}

// The requirements of a vertex program. A type that meets none of them is reported by one sentence each, in place of errors
// inside an engine.

/// The names that a program's members have. A class derived from these and from a program finds a name ambiguous if the
/// program has it, public or not.
struct ProgramNames {
  struct Value {};
  void init();
  void update();
  void do_work();
};
template <class P>
struct NamesOf : P, ProgramNames {};

/// Whether the program hides a member that run_job uses.
template <class P>
consteval bool hides_members() {
  if constexpr (std::is_class_v<P> && !std::is_final_v<P>) {
    using Names = NamesOf<P>;
    if (
        !requires { typename Names::Value; } && !requires { typename P::Value; })
      return true;
    if (
        !requires { &Names::init; } && !requires { &P::init; })
      return true;
    if (
        !requires { &Names::update; } && !requires { &P::update; })
      return true;
    return !requires { &Names::do_work; } && !requires { &P::do_work; };
  }
  return false;
}

template <class P>
concept HasProgramFunctions = VertexProgram<P> || SelectingProgram<P> || BodyProgram<P>;
template <class P>
concept SharesValues = std::is_trivially_copyable_v<typename P::Value>;
template <class P>
concept HasSmallValues = sizeof(typename P::Value) <= kMaxValueBytes;
template <class P>
concept SeesChanges =
    requires(const P program, const LocalVertex vertex, const typename P::Value& value) {
      program.changed(vertex, value, value);
    } || requires(const P program, const typename P::Value& value) {
      program.changed(value, value);
    } || requires(const typename P::Value& value) {
      { value == value } -> std::convertible_to<bool>;
    };

/// A type that run_job accepts.
template <class P>
concept AcceptedProgram =
    HasProgramFunctions<P> && SharesValues<P> && HasSmallValues<P> && SeesChanges<P>;

/// Reports the first requirement that the type does not meet.
template <class P>
consteval void report_program() {
  if constexpr (!HasProgramFunctions<P> && hides_members<P>()) {
    static_assert(AcceptedProgram<P>,
                  "the members of this vertex program are private: make Value, init, and update or "
                  "do_work public, as in a struct");
  } else if constexpr (!HasProgramFunctions<P>) {
    static_assert(
        AcceptedProgram<P>,
        "this type is no vertex program. It needs `using Value = ...`, `Value init(VertexId) "
        "const`, and one of: `Value update(const Vertex<Value>&) const`; `along`, `better` "
        "and `rank`; `void do_work(const Vertex<Value>&, VertexMemory<Value>&) const`. All "
        "of them are const (see leeway/vertex.h)");
  } else if constexpr (!SharesValues<P>) {
    static_assert(AcceptedProgram<P>,
                  "this program's Value cannot be copied byte by byte, as between nodes: use "
                  "numbers, or a struct or std::array of them, without std::string, std::vector or "
                  "other classes that own memory");
  } else if constexpr (!HasSmallValues<P>) {
    static_assert(AcceptedProgram<P>,
                  "this program's Value is larger than 64 KiB, the largest value of a vertex: keep "
                  "data that no other vertex reads outside of Value");
  } else {
    static_assert(AcceptedProgram<P>,
                  "this program's Value has no operator==, which decides whether a vertex has "
                  "changed: give it `bool operator==(const Value&) const = default;`, or give the "
                  "program `bool changed(const Value& old, const Value& now) const`");
  }
}

/// Runs a program on a whole graph or on a graph in parts, whose arcs it consumes. Collective; blocks. In a job of processes only
/// node 0 has the complete result of a whole graph; of a graph in parts each has the values of its range.
template <AcceptedProgram P>
Result<JobResult<P>> run_job(const JobGraph& graph, const P& program, const RunOptions& options) {
  VertexJob job = job_of(program, options.vertex);
  job.needs.records = graph.records;
  JobResult<P> result;
  if (graph.whole != nullptr) {
    result.values.resize(graph.whole->vertex_count());
    LEEWAY_ASSIGN(result.record, run_vertex_job(*graph.whole, job, options,
                                                std::as_writable_bytes(std::span(result.values))));
    return result;
  }
  std::vector<std::byte> bytes;
  LEEWAY_ASSIGN(result.record, run_part_job(*graph.part, job, options, bytes));
  result.values.resize(graph.part->size());
  if (!bytes.empty())
    std::memcpy(static_cast<void*>(result.values.data()), bytes.data(), bytes.size());
  return result;
}
template <AcceptedProgram P>
Result<JobResult<P>> run_job(const Graph& graph, const P& program, const RunOptions& options) {
  return run_job(JobGraph(graph), program, options);
}
template <AcceptedProgram P>
Result<JobResult<P>> run_job(GraphPart& part, const P& program, const RunOptions& options) {
  return run_job(JobGraph(part), program, options);
}

/// The program that a type which is none is taken for.
struct PlainProgram {
  using Value = double;
  double init(VertexId) const { return 0; }
  double update(const Vertex<double>& vertex) const { return vertex.value(); }
};

/// Reports a type that is not a vertex program, in place of an error about overloads.
template <class G, class P>
  requires(!AcceptedProgram<P>)
auto run_job(G&& /*graph*/, const P& /*program*/, const RunOptions& /*options*/) {
  report_program<P>();
  return Result<JobResult<PlainProgram>>(JobResult<PlainProgram>());  // no other error follows
}

}  // namespace leeway
