#include "leeway/runtime/piece/run_pieces.h"

#include <cmath>
#include <utility>

#include "leeway/base/format.h"
#include "leeway/runtime/endpoint.h"
#include "leeway/runtime/own_job.h"
#include "leeway/runtime/piece/worker.h"

namespace leeway::piece {

Status admit_options(const Options& options) {
  const auto within = [](double value) { return std::isfinite(value) && value >= 0 && value <= 1; };
  if (!within(options.alpha) || !within(options.beta) ||
      std::abs(options.alpha + options.beta - 1) > 1e-9) {
    return fail(
        input_error("--alpha, --beta",
                    format("{} and {} are no shares of one priority", options.alpha, options.beta),
                    "give two numbers from 0 to 1 that sum to 1, such as 0.2 and 0.8"));
  }
  if (options.balance_every < 2) {
    return fail(input_error("--balance-every",
                            format("{} leaves no tick to measure", options.balance_every),
                            "give 2 or more"));
  }
  return {};
}

Result<PieceRun> run_pieces(const Program& program, const ClusterOptions& cluster,
                            const Options& options) {
  return run_pieces(
      [&](NodeId) -> Result<std::shared_ptr<const Program>> {
        return std::shared_ptr<const Program>(std::shared_ptr<void>(), &program);
      },
      cluster, options);
}

Result<PieceRun> run_pieces(const MakeProgram& make, const ClusterOptions& given,
                            const Options& options) {
  LEEWAY_TRY(admit_options(options));
  LEEWAY_ASSIGN(const ClusterOptions cluster, settle_cluster(given));
  Options mine = options;
  mine.cost = cluster.cost;
  PieceRun run;
  LEEWAY_ASSIGN(
      const EndpointsOutcome outcome, run_endpoints(cluster, [&](Endpoint& endpoint) -> Status {
        LEEWAY_ASSIGN(const std::shared_ptr<const Program> program, make(endpoint.self()));
        if (program->layout().count() == 0) {
          return fail(input_error("--pieces", "there are zero pieces",
                                  "give every worker one piece or more"));
        }
        Worker worker(
            endpoint, *program, mine,
            {.shared = cluster.job == nullptr, .simulated = cluster.fabric == Fabric::Sim});
        LEEWAY_TRY(worker.run());
        if (endpoint.self() != kMaster) return {};
        run.snapshots = worker.master().take_snapshots();
        run.record = worker.master().take_run();
        return {};
      }));
  run.record.one_clock = cluster.job == nullptr;
  for (WorkerRecord& worker : run.record.workers) {
    if (!run.record.one_clock) worker.finished -= std::exchange(worker.begin, 0);
  }
  run.record.events = outcome.ran.events;
  run.record.digest = outcome.ran.digest;
  return run;
}

}  // namespace leeway::piece
