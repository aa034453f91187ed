// Runs a vertex program on a graph: run_job is the function that `leeway run` and a user's own program call. The
// graph is either whole in this process (Graph) or distributed over the processes of the job (GraphPart).
//
// The scheduler and the form of the program select the engine (runtime/vertex/engines.h): bsp runs supersteps, asytick
// runs pieces. Under the other schedulers a SelectingProgram runs by worklist, a ContractingProgram first joins connected
// vertices, and every other program is swept.
#pragma once

#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/type_name.h"
#include "datasets/graph.h"
#include "runtime/vertex/selecting_kernels.h"
#include "runtime/vertex/sweeper.h"
#include "runtime/vertex/vertex_job.h"

namespace leeway {

struct GraphPart;

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

  [[nodiscard]] GraphTotals totals() const;
};

template <class P>
struct JobResult {
  std::vector<ResultOf<P>>
      values;  ///< by vertex; for a graph in parts, only this node's range of vertices
  Record record;
};

/// Whether connected vertices within a node are joined first. Under AsyTick, too: a part is joined in less time than its
/// pieces take in turn.
template <class P>
[[nodiscard]] bool contracts(const EngineOptions& options) {
  return ContractingProgram<P> && any_order(options) && options.order == WorkOrder::Auto;
}

template <class P>
[[nodiscard]] bool works_by_list(const EngineOptions& options) {
  return SelectingProgram<P> && !StagedProgram<P> &&
         (works_by_list(options) || contracts<P>(options));
}

template <class P>
[[nodiscard]] LocalNeeds needs_of(const EngineOptions& options) {
  const bool by_list = works_by_list<P>(options);
  return {.reads = reads_of<P>(),
          .weights = uses_weights<P>(),
          .drop_loops = drops_loops<P>(),
          .inputs = !by_list || contracts<P>(options),
          .readers = !contracts<P>(options) &&
                     (by_list || StartingProgram<P> || options.scheduler == Scheduler::AsyTick ||
                      options.visit != Visit::All ||
                      (options.cache.any() && eviction_of(options, by_list) == Eviction::Known)),
          .degrees = uses_degrees<P>()};
}

/// The program and the values of a node's vertices.
template <class P>
class ProgramNodeOf final : public ProgramNode {
  using Value = typename P::Value;
  static_assert(
      std::is_trivially_copyable_v<ResultOf<P>>,
      "the result of a vertex program must be copyable byte by byte: numbers, or a struct "
      "or std::array of them");

 public:
  static constexpr bool kOwnResult =
      requires(const P& program, const Vertex<Value>& vertex) { program.result(vertex); };

  ProgramNodeOf(Node& node, const LocalGraph& graph, const P& program)
      : node_(node), graph_(graph), program_(program) {
    if constexpr (requires { program_.settle(graph); }) program_.settle(graph);
  }

  Result<Space*> open(const SpaceOptions& options, std::span<const std::byte> loaded) override {
    LEEWAY_ASSIGN(dsm_, Dsm<Value>::open(node_, options));
    if (options.serves_only) return &dsm_->space();
    for (std::uint32_t v = 0; v < graph_.local_count(); ++v) {
      Value value = loaded.empty() ? program_.init(local_vertex(v)) : Value();
      if (!loaded.empty())
        std::memcpy(static_cast<void*>(&value), &loaded[v * sizeof value], sizeof value);
      dsm_->set_initial(LocalIndex(v), value);
    }
    return &dsm_->space();
  }
  void store_first_values() override {
    for (std::uint32_t v = 0; v < graph_.local_count(); ++v)
      dsm_->store(Handle(v), program_.init(local_vertex(v)));
  }

  [[nodiscard]] std::optional<std::uint32_t> stage_of_values() override {
    if constexpr (StagedProgram<P>) {
      if (graph_.local_count() > 0) return P::stage_of(dsm_->peek(Handle(0)));
    }
    return std::nullopt;
  }
  void enter_stage(std::uint32_t stage) override {
    if constexpr (StagedProgram<P>) program_.enter(stage);
  }
  [[nodiscard]] bool starts_with_some() const override { return StartingProgram<P>; }
  [[nodiscard]] bool runs_by_list() const override { return stage_runs_by_list(program_); }
  [[nodiscard]] std::uint64_t left_in_stage() override {
    std::uint64_t sum = 0;
    if constexpr (StagedProgram<P>) {
      for (std::uint32_t v = 0; v < graph_.local_count(); ++v)
        sum += program_.left(local_vertex(v), dsm_->peek(Handle(v)));
    }
    return sum;
  }
  [[nodiscard]] std::optional<std::uint32_t> next_stage(std::uint64_t sum) override {
    if constexpr (StagedProgram<P>) return program_.next_stage(sum);
    return std::nullopt;
  }
  void begin_stage() override {
    if constexpr (StagedProgram<P>) {
      View<Value> view(*dsm_);
      begun_.clear();
      for (std::uint32_t v = 0; v < graph_.local_count(); ++v) {
        const Value last = dsm_->peek(Handle(v));
        const Value first = program_.begin(local_vertex(v), last);
        if (std::memcmp(&first, &last, sizeof first) == 0) continue;
        view.store(Handle(v), first);
        if constexpr (StartingProgram<P>) begun_.push_back(v);
      }
      view.publish();
    }
  }

  std::unique_ptr<SweepKernel> sweeps(const SweepContext& context) override {
    return std::make_unique<SweepKernelOf<P>>(context, *dsm_, program_, begun_);
  }
  std::unique_ptr<ListKernel> list(const SweepContext& context) override {
    if constexpr (SelectingProgram<P>)
      return std::make_unique<ListKernelOf<P>>(context, *dsm_, program_);
    return nullptr;
  }
  std::unique_ptr<JoinKernel> sets(const SweepContext& context) override {
    if constexpr (ContractingProgram<P>)
      return std::make_unique<JoinKernelOf<P>>(context, *dsm_, program_);
    return nullptr;
  }

  void copy_states(std::span<std::byte> states) override {
    for (std::uint32_t v = 0; v < graph_.local_count(); ++v) {
      const Value value = dsm_->peek(Handle(v));
      std::memcpy(&states[v * sizeof value], &value, sizeof value);
    }
  }
  void copy_results(std::span<std::byte> results, NotFinite& found) override {
    View<Value> view(*dsm_);
    Vertex<Value> vertex(graph_, view);
    for (std::uint32_t v = 0; v < graph_.local_count(); ++v) {
      vertex.move_to(v);
      const ResultOf<P> result = result_of(program_, vertex);
      std::memcpy(&results[v * sizeof result], &result, sizeof result);
      if (has_left_the_numbers(v, result)) found.add({1, graph_.vertices()[v]});
    }
  }

 private:
  [[nodiscard]] LocalVertex local_vertex(std::uint32_t v) const {
    return {graph_.vertices()[v], v};
  }
  /// True for a result that is infinite or NaN, unless the program itself begins with infinity, as the distances of
  /// unreached vertices do. Where the value is not the number itself, infinity is taken for intended.
  [[nodiscard]] bool has_left_the_numbers(std::uint32_t v, const ResultOf<P>& result) const {
    if constexpr (std::is_floating_point_v<ResultOf<P>>) {
      if (std::isfinite(result)) return false;
      if constexpr (std::is_floating_point_v<Value>)
        return std::isfinite(program_.init(local_vertex(v)));
      return std::isnan(result);
    }
    return false;
  }

  Node& node_;
  const LocalGraph& graph_;
  P program_;
  std::optional<Dsm<Value>> dsm_;
  std::vector<std::uint32_t>
      begun_;  // of a StartingProgram: vertices whose value the stage's begin changed
};

/// Erases the program's type. Borrows the program, which must outlive the job.
template <class P>
[[nodiscard]] VertexJob job_of(const P& program, const EngineOptions& engine) {
  return {
      .needs = needs_of<P>(engine),
      .by_list = works_by_list<P>(engine),
      .joins = contracts<P>(engine),
      .always_rests = always_rests<P>(),
      .staged = StagedProgram<P>,
      .state_bytes = sizeof(typename P::Value),
      .result_bytes = sizeof(ResultOf<P>),
      .own_result = ProgramNodeOf<P>::kOwnResult,
      .result_type = type_name<ResultOf<P>>(),
      .make_node = [&program](Node& node, const LocalGraph& graph) -> std::unique_ptr<ProgramNode> {
        return std::make_unique<ProgramNodeOf<P>>(node, graph, program);
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
  result.values.resize(bytes.size() / sizeof(ResultOf<P>));
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
