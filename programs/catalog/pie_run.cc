#include "programs/catalog/pie_run.h"

#include <memory>
#include <utility>

namespace leeway {

Result<pie::Fragmentation> checked_fragments(const Graph& graph, const pie::FragmentNeeds& needs,
                                             const RunOptions& options) {
  std::shared_ptr<const Partition> partition = options.divided;
  if (!partition) {
    PartitionOptions into = options.partition;
    into.parts = options.pie.workers;
    LEEWAY_ASSIGN(Partition made, partition_graph(graph, into));
    partition = std::make_shared<Partition>(std::move(made));
  }
  return pie::Fragmentation::make(graph, *partition, pie::with_cut(needs, options.pie));
}

RunOptions session_options(const RunOptions& options) {
  RunOptions session = options;
  session.pie.schedule = schedule_of(options.vertex);
  session.pie.rate_window = options.vertex.aap.rate_window;
  session.pie.keep_rounds = true;
  session.pie.threads = options.vertex.threads;
  session.pie.stop = options.vertex.stop;
  session.pie.patience = options.vertex.patience;
  session.pie.most_rounds = options.vertex.most_iterations;
  return session;
}

}  // namespace leeway
