#include "leeway/cluster.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>

#include "base/check.h"
#include "base/format.h"
#include "base/log.h"
#include "base/parallel.h"
#include "runtime/cluster/recovery.h"
#include "transport/loopback.h"
#include "transport/sim.h"

namespace leeway {

namespace {

/// The outcome of the nodes' runs: the first error, and the longest time.
class NodeOutcomes {
 public:
  void run(NodeProgram& program, const Transport& transport, Job* job = nullptr) {
    const Instant begin = transport.now();
    Status status = program.run();
    // Within one process all nodes fail alike, and each still finishes.
    if (status || job == nullptr) program.finish();
    const Duration took = transport.now() - begin;
    if (job != nullptr) status = job->agree(std::move(status));
    const std::lock_guard locked(mutex_);
    longest_ = std::max(longest_, took);
    ++returned_;
    if (!status && !error_) error_ = std::move(status).error();
  }
  [[nodiscard]] std::uint32_t returned() const { return returned_; }
  [[nodiscard]] Result<NodeProgramsOutcome> outcome() const {
    if (error_) return fail(*error_);
    return NodeProgramsOutcome{.elapsed = longest_};
  }

 private:
  std::mutex mutex_;
  std::optional<Error> error_;
  Duration longest_{};
  std::uint32_t returned_ = 0;
};

Result<NodeProgramsOutcome> run_loopback(const ClusterOptions& options,
                                         const MakeNodeProgram& make) {
  LoopbackNetwork network(
      {.nodes = options.nodes, .profile = options.network, .seed = options.seed});
  NodeOutcomes runs;
  const auto run = [&](NodeId id) {
    Transport& transport = network.node(id);
    runs.run(*make(transport), transport);
  };
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t i = 1; i < options.nodes; ++i) threads.emplace_back(run, NodeId(i));
    run(NodeId(0));
  }
  return runs.outcome();
}

}  // namespace

Status admit_process(Job& job) {
  if (!job.is_replacement()) return {};
  return fail(needs_restart(job.self(),
                            "it replaces a lost process, and the program has collective steps "
                            "before its first run, which the others have behind them"));
}

namespace {

Result<NodeProgramsOutcome> run_joined(const ClusterOptions& options, const MakeNodeProgram& make) {
  LEEWAY_CHECK(options.nodes == options.job->node_count());
  LEEWAY_TRY(admit_process(*options.job));
  Transport& transport = options.job->transport();
  const std::unique_ptr<NodeProgram> program = make(transport);
  options.job->set_evidence([&program] { return program->evidence(); });
  NodeOutcomes runs;
  runs.run(*program, transport, options.job);
  options.job->set_evidence({});
  return runs.outcome();
}

std::string_view unfinished_because(SimOutcome outcome) {
  switch (outcome) {
    case SimOutcome::Deadlock:
      return "deadlock: every node waits";
    case SimOutcome::TimeLimit:
      return "it took longer than its limit";
    default:
      return "a node was lost";
  }
}

Result<NodeProgramsOutcome> run_sim(const ClusterOptions& options, const MakeNodeProgram& make) {
  SimOptions sim;
  sim.nodes = options.nodes;
  sim.profile = options.network;
  sim.hosts = options.hosts;
  sim.cost = options.cost;
  sim.faults = options.faults;
  sim.seed = options.seed;
  sim.time_limit = options.time_limit;
  SimCluster cluster(sim);
  std::vector<std::unique_ptr<NodeProgram>> programs;
  for (std::uint32_t i = 0; i < sim.nodes; ++i) programs.push_back(make(cluster.node(NodeId(i))));
  NodeOutcomes runs;
  const SimReport report =
      cluster.run([&](NodeId id) { runs.run(*programs[id.index()], cluster.node(id)); });
  LEEWAY_ASSIGN(NodeProgramsOutcome outcome, runs.outcome());
  if (report.outcome != SimOutcome::Finished || runs.returned() < options.nodes) {
    return fail(environment_error(
        "virtual cluster",
        format("the run did not finish: {}; {}", unfinished_because(report.outcome), report.detail),
        "report this, with the command and the graph"));
  }
  outcome.events = report.events;
  outcome.digest = report.digest;
  return outcome;
}

}  // namespace

Service service_of(const ClusterOptions& cluster) {
  if (cluster.service) return *cluster.service;
  if (cluster.fabric == Fabric::Sim) return Service::Background;
  if (cluster.nodes == 1) return Service::Inline;  // no other nodes
  const std::uint32_t here =
      cluster.job != nullptr ? cluster.job->nodes_on_this_host() : cluster.nodes;
  const std::uint64_t threads = std::uint64_t{here} * (std::uint64_t{cluster.compute_threads} + 1);
  return threads <= thread_count(0) ? Service::Background : Service::Inline;
}

Result<NodeProgramsOutcome> run_node_programs(const ClusterOptions& cluster,
                                              const MakeNodeProgram& make) {
  LEEWAY_ASSIGN(const ClusterOptions options, settle_cluster(cluster));
  if (options.job != nullptr) return run_joined(options, make);
  return options.fabric == Fabric::Sim ? run_sim(options, make) : run_loopback(options, make);
}

}  // namespace leeway

extern char** environ;

namespace leeway {

namespace {

struct OwnJob {
  std::unique_ptr<Job> job;
  bool looked = false;
};

/// Never destroyed: a destructor must not finalize MPI.
OwnJob& kept() {
  static auto* const one = new OwnJob;
  return *one;
}

void leave_at_exit(int code, void*) { leave_own_job(code); }

}  // namespace

Result<Job*> own_job() {
  OwnJob& own = kept();
  if (own.looked) return own.job.get();
  LEEWAY_ASSIGN(const Fabric fabric, detect_fabric(::environ));
  if (fabric == Fabric::Mpi || fabric == Fabric::Ofi) {
    JobOptions options;
    options.fabric = fabric;
    LEEWAY_ASSIGN(own.job, join_job(options));
    ::on_exit(leave_at_exit, nullptr);
  }
  own.looked = true;
  return own.job.get();
}

void leave_own_job(int code) {
  const std::unique_ptr<Job> job = std::move(kept().job);
  if (!job) return;
  job->set_recoverable(false);
  const Status mine =
      code == 0
          ? Status{}
          : fail(input_error(format("node {}", job->self()),
                             format("it ended with exit code {}", code), "see its own message"));
  const Status agreed = job->agree(mine);
  Status left = agreed ? job->leave() : Status{};
  if (code == 0 && agreed && !left) log_error("{}", left.error().to_string());
  if (code == 0 && !agreed) code = agreed.error().exit_code();
  if (code == 0 && !left) code = left.error().exit_code();
  job->exit(code);
}

Result<ClusterOptions> settle_cluster(const ClusterOptions& cluster) {
  ClusterOptions settled = cluster;
  if (cluster.job == nullptr && cluster.fabric == Fabric::Auto) {
    LEEWAY_ASSIGN(settled.job, own_job());
    settled.fabric = Fabric::Loopback;
  }
  if (settled.job == nullptr) return settled;
  settled.fabric = settled.job->fabric();
  const std::uint32_t processes = settled.job->node_count();
  if (cluster.job == nullptr && cluster.nodes > 1 && cluster.nodes != processes) {
    return fail(input_error(
        "ClusterOptions::nodes",
        format("the program asks for {} nodes, and the launcher started {} processes",
               cluster.nodes, processes),
        "leave nodes at 1, start as many processes, or set fabric to Fabric::Loopback, which runs "
        "each process by itself"));
  }
  settled.nodes = processes;
  return settled;
}

namespace {

class BodyNodeProgram final : public NodeProgram {
 public:
  BodyNodeProgram(Transport& transport, const NodeOptions& options,
                  const std::function<Status(Node&)>& body, std::vector<NodeStats>& stats)
      : node_(transport, options), body_(body), stats_(stats) {}

  /// After the loss of a node in a recoverable job, the body has computed with undefined values.
  Status run() override {
    Status status = body_(node_);
    if (node_.failed()) return fail(*node_.failure());
    return status;
  }
  void finish() override {
    node_.close();
    stats_[node_.self().index()] = node_.stats();
  }
  [[nodiscard]] std::string evidence() override { return node_.evidence(); }

 private:
  Node node_;
  const std::function<Status(Node&)>& body_;
  std::vector<NodeStats>& stats_;
};

}  // namespace

Result<ClusterOutcome> run_cluster(const ClusterOptions& cluster,
                                   const std::function<Status(Node&)>& body) {
  LEEWAY_ASSIGN(const ClusterOptions options, settle_cluster(cluster));
  NodeOptions node{.policy = options.policy, .service = service_of(options)};
  if (options.job != nullptr && options.job->replaces_lost()) {
    node.on_failure = [job = options.job](const Error& error) {
      if (!job->recoverable() || !job->lost_a_node()) job->transport().end_node(error);
    };
  }
  ClusterOutcome outcome;
  outcome.nodes.resize(options.nodes);
  LEEWAY_ASSIGN(const NodeProgramsOutcome ran,
                run_node_programs(options, [&](Transport& transport) {
                  return std::make_unique<BodyNodeProgram>(transport, node, body, outcome.nodes);
                }));
  outcome.events = ran.events;
  outcome.digest = ran.digest;
  return outcome;
}

}  // namespace leeway
