// The last step of a program whose values are computed from the neighbour lists before it runs, such as triangles: every vertex takes
// its value from its record, and no values are shared.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "base/clock.h"
#include "leeway/job.h"
#include "programs/catalog/vertex_run.h"

namespace leeway {

/// `Row`: a record with value() and `entries`, the number of list entries that were visited for the vertex.
template <class Row>
class FoundValues {
 public:
  using Value = decltype(std::declval<const Row&>().value());
  static constexpr bool kMovesOn = false;
  static constexpr Reads kReads = Reads::None;

  void settle(const LocalGraph& here) { rows_ = here.records<Row>(); }
  [[nodiscard]] Value init(VertexId) const { return kNotTaken; }
  [[nodiscard]] Value update(const Vertex<Value>& vertex) const {
    return rows_[vertex.local()].value();
  }
  [[nodiscard]] std::uint64_t effort(const Vertex<Value>& vertex) const {
    return vertex.value() == kNotTaken ? rows_[vertex.local()].entries : 0;
  }

 private:
  static constexpr Value kNotTaken = std::numeric_limits<Value>::max();

  std::span<const Row> rows_;
};

/// Runs `find(group, part)`, which computes the rows of a part's vertices and counts as computing, then FoundValues; the virtual cluster
/// charges the entries instead.
template <class Find>
auto run_found(const JobGraph& graph, const RunOptions& options, const Find& find) {
  using Rows = std::remove_cvref_t<decltype(*find(std::declval<Group&>(),
                                                  std::declval<const GraphPart&>()))>;
  using Row = std::remove_cvref_t<decltype(*std::declval<Rows&>().data())>;
  using Outcome = Result<JobResult<FoundValues<Row>>>;
  const Stopwatch watch;
  Rows rows;
  Status found = on_rows(graph, options, [&](Group& group, const GraphPart& part) -> Status {
    LEEWAY_ASSIGN(rows, find(group, part));
    return {};
  });
  if (!found) return Outcome(fail(std::move(found).error()));
  const double finding = watch.elapsed_seconds();
  const VertexRecords records{std::span<const Row>(rows.data(), rows.size())};
  // No value is read, so that every schedule gives the same; sweeps in place keep one copy of the values.
  RunOptions how = options;
  const bool saved = options.snapshots || options.resume || options.vertex.iterations;
  if (options.vertex.scheduler == Scheduler::Bsp && !saved)
    how.vertex.scheduler = Scheduler::DoWork;
  Outcome result = run_job(graph.with(records), FoundValues<Row>(), how);
  if (result && !result->record.simulated) result->record.phases.compute += finding;
  return result;
}

}  // namespace leeway
