#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "programs/catalog/program_rows.h"
#include "programs/catalog/verify.h"
#include "programs/catalog/vertex_run.h"
#include "programs/cdlp/vertex.h"
#include "programs/reference/oracles.h"

namespace leeway {

namespace {

Verified verify_cdlp(const Graph& graph, const ProgramParameters& parameters,
                     const RunOptions& options, const ProgramValues& values) {
  using reference::OwnLabel;
  const Counts& labels = counts(values);
  const OwnLabel own = parameters.ldbc ? OwnLabel::LeftOut : OwnLabel::Counts;
  if (options.vertex.iterations) {
    if (options.vertex.scheduler != Scheduler::Bsp)
      return std::string(
          "not checked: a fixed number of sweeps in place has no sequential counterpart");
    Counts first(graph.vertex_count());
    std::iota(first.begin(), first.end(), 0);
    return same(graph, labels,
                reference::communities(graph, first, *options.vertex.iterations, own));
  }
  // If one more round changes nothing, every label satisfies the rule.
  LEEWAY_TRY(same(graph, labels, reference::communities(graph, labels, 1, own)));
  return std::string("stable: one more sequential round changes nothing");
}

Result<ProgramResult> run_cdlp(const JobGraph& graph, const ProgramParameters& parameters,
                               const RunOptions& options) {
  return counted(
      graph, [&] { return Communities(!parameters.ldbc); }, options, Shown::Vertex);
}

double label_rounds(const Graph& graph, const ProgramParameters& parameters,
                    std::uint32_t iterations) {
  const auto own = parameters.ldbc ? reference::OwnLabel::LeftOut : reference::OwnLabel::Counts;
  std::vector<std::uint64_t> labels(graph.vertex_count());
  std::iota(labels.begin(), labels.end(), 0);
  return time_of([&] { return reference::communities(graph, labels, iterations, own); });
}

}  // namespace

const Program& programs::cdlp() {
  static const Program kProgram = {
      .name = "cdlp",
      .summary = "communities by label propagation",
      .result = "vertex of the label",
      .known_as = {"label_propagation", "label_propagation_communities", "asyn_lpa_communities"},
      .symmetric = true,
      .checks_rounds = true,
      .ldbc = Ldbc::Rounds,
      .ldbc_name = "cdlp",
      .ldbc_changes = true,
      .shown = Shown::Vertex,
      .groups = "communities",
      .baseline = {"sequential rounds", label_rounds},
      .patience = 1000,  // alternating labels do so from one iteration to the next
      .verify = verify_cdlp,
      .engines = {{.engine = EngineName::Vertex,
                   .takes = {Parameter::Patience},
                   .memory = vertex_memory<Communities>,
                   .run = on_whole<run_cdlp>,
                   .run_part = on_part<run_cdlp>}},
  };
  return kProgram;
}

}  // namespace leeway
