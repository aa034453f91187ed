// Runs a vertex program over a graph: what `leeway run` and a user's own program call.
//
// Schedulers differ in how a program is run only where its form allows: one that selects goes by worklist
// under every schedule but bsp and asytick, one that contracts joins first, every other is swept.
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "leeway/runtime/bsp_engine.h"
#include "leeway/runtime/contract_engine.h"
#include "leeway/runtime/piece_engine.h"
#include "leeway/runtime/pull_engine.h"
#include "leeway/runtime/push_engine.h"
#include "leeway/runtime/vertex_job.h"

namespace leeway {

template <class P>
struct JobResult {
  std::vector<ResultOf<P>> values;  ///< by vertex
  RunRecord record;
};

/// What a program's worklist is ordered by, if it may have one.
template <class P>
[[nodiscard]] double bucket_width(const P& program) {
  if constexpr (requires { program.width(); }) {
    return program.width();
  } else {
    return 1;
  }
}

template <class P>
[[nodiscard]] bool works_by_list(const EngineOptions& options) {
  if constexpr (!SelectingProgram<P>) return false;
  if (options.scheduler == Scheduler::Bsp || options.scheduler == Scheduler::AsyTick) return false;
  if (options.iterations || options.visit == Visit::All || options.threads > 1) return false;
  return options.order == WorkOrder::Auto || options.order == WorkOrder::Priority;
}

template <class P>
[[nodiscard]] bool contracts(const EngineOptions& options) {
  return ContractingProgram<P> && works_by_list<P>(options) && options.order == WorkOrder::Auto;
}

template <class P>
[[nodiscard]] StructureNeeds needs_of(const EngineOptions& options) {
  const bool by_list = works_by_list<P>(options);
  return {.reads = reads_of<P>(),
          .weights = wants_weights<P>(),
          .drop_loops = drops_loops<P>(),
          .inputs = !by_list || contracts<P>(options),
          .dependents =
              by_list || options.scheduler == Scheduler::AsyTick || options.visit != Visit::All};
}

/// One node of a job.
template <class P>
class JobNode final : public VertexNode {
  using Value = typename P::Value;
  static_assert(std::is_trivially_copyable_v<ResultOf<P>>);

 public:
  JobNode(Node& node, const Shard& shard, const P& program, const RunOptions& options)
      : VertexNode(node, shard, options), program_(program) {
    if constexpr (requires { program_.settle(shard.vertices()); })
      program_.settle(shard.vertices());
  }

  std::vector<std::byte> results() override {
    Sweeper<P> sweeper(*context_);
    std::vector<std::byte> bytes(shard().local_count() * sizeof(ResultOf<P>));
    for (std::uint32_t v = 0; v < shard().local_count(); ++v) {
      const ResultOf<P> result = result_of(program_, sweeper.at(v));
      std::memcpy(&bytes[v * sizeof result], &result, sizeof result);
    }
    return bytes;
  }

 private:
  Result<Space*> open_objects(const SpaceOptions& options) override {
    LEEWAY_ASSIGN(dsm_, Dsm<Value>::open(node(), options));
    for (std::uint32_t v = 0; v < shard().local_count(); ++v)
      dsm_->space().values().template store_as<Value>(v, program_.init(shard().vertices()[v]));
    context_.emplace(
        SweepContext<P>{node(), shard(), *dsm_, program_, VertexNode::options().engine});
    return &dsm_->space();
  }

  [[nodiscard]] bool by_list() const override { return works_by_list<P>(options().engine); }

  void run_engine(Pace& pace) override {
    const EngineOptions& engine = options().engine;
    if (engine.scheduler == Scheduler::Bsp) return BspEngine<P>(*context_, program_, log()).run();
    if (engine.scheduler == Scheduler::AsyTick) return PieceEngine<P>(*context_, pace, log()).run();
    if constexpr (ContractingProgram<P>) {
      if (contracts<P>(engine)) return ContractEngine<P>(*context_, pace, log()).run();
    }
    if constexpr (SelectingProgram<P>) {
      if (by_list()) return PushEngine<P>(*context_, bucket_width(program_), pace, log()).run();
    }
    PullEngine<P>(*context_, pace, log()).run();
  }

  P program_;
  std::optional<Dsm<Value>> dsm_;
  std::optional<SweepContext<P>> context_;
};

/// Over a job of processes the result is whole at node 0 only. Blocks.
template <class P>
Result<JobResult<P>> run_job(const Graph& graph, const P& program, const RunOptions& options) {
  JobResult<P> result;
  result.values.resize(graph.vertex_count());
  const VertexJob job{.needs = needs_of<P>(options.engine),
                      .result_bytes = sizeof(ResultOf<P>),
                      .make_node = [&](Node& node, const Shard& shard,
                                       const RunOptions& how) -> std::unique_ptr<VertexNode> {
                        return std::make_unique<JobNode<P>>(node, shard, program, how);
                      }};
  LEEWAY_ASSIGN(result.record, run_vertex_job(graph, job, options,
                                              std::as_writable_bytes(std::span(result.values))));
  return result;
}

}  // namespace leeway
