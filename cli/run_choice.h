// `--scheduler auto` and `--consistency auto`, which are one choice: a run's way of running by the law, from trial
// runs of its program on its graph and from what its network is like.
#pragma once

#include <memory>
#include <string>

#include "leeway/cli/report.h"
#include "leeway/cli/run_plan.h"
#include "leeway/programs/law/choice.h"

namespace leeway::cli {

struct RunChoice {
  law::Choice law;
  bool alone = false;  ///< one node: there was nothing to choose
  std::shared_ptr<const Partition>
      division;  ///< that it was made for; null over a job of processes
  PartitionMethod method = PartitionMethod::Auto;
  std::string basis;   ///< where the network's figures come from; at node 0
  double seconds = 0;  ///< that the choice took
};

[[nodiscard]] bool chooses(const Options& options);
/// Refuses programs that the law does not know, and what is said of ways that may not be chosen.
Status check_choice(const DecidedRun& run, const Options& options);
/// Runs the program four times in the virtual cluster, at node 0. Collective. Requires `check_choice`.
Result<RunChoice> choose_way(const Graph& graph, const Plan& plan, const Options& options,
                             Job* job);
/// Puts what was chosen in place of what was left open.
Status take_choice(const RunChoice& choice, Options& options, DecidedRun& run, Plan& plan,
                   Job* job);
/// What was chosen, what was expected of it, what it took, and what was changed when and why.
void add_choice(const RunChoice& choice, const RunRecord& record, Report& report);

}  // namespace leeway::cli
