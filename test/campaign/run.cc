#include "test/campaign/run.h"

#include <functional>
#include <memory>
#include <thread>

#include "base/format.h"
#include "base/random.h"
#include "dsm/node.h"
#include "test/campaign/body.h"
#include "test/campaign/observers.h"
#include "transport/loopback.h"
#include "transport/transport.h"

namespace leeway::campaign {

namespace {

NodeOptions node_options(const Plan& plan) {
  NodeOptions options;
  options.policy = plan.spaces[0].policy;
  options.service = plan.service;
  return options;
}

/// A run in the virtual cluster: the nodes, and how each of them ended.
class VirtualRun {
 public:
  VirtualRun(const Plan& plan, Observers& observers)
      : plan_(plan), observers_(observers), cluster_(plan.sim), ends_(plan.nodes()) {
    for (std::uint32_t i = 0; i < plan.nodes(); ++i) {
      NodeOptions options = node_options(plan);
      options.on_failure = [this, i](const Error& error) { ends_[i].errors.push_back(error); };
      nodes_.push_back(std::make_unique<Node>(cluster_.node(NodeId(i)), options));
      bodies_.push_back(make_body(*nodes_[i], plan, observers));
    }
  }

  /// The digest of the cluster's events.
  std::uint64_t run() {
    const SimReport report = cluster_.run([this](NodeId id) {
      bodies_[id.index()]->run([this] { cluster_.begin_overtaking(); });
      ends_[id.index()].returned = true;
    });
    judge(report);
    return report.digest;
  }

 private:
  struct End {
    bool returned = false;
    std::vector<Error> errors;
  };

  /// Without a crash, every node finishes and gets no error. With a crash, each survivor finishes;
  /// its answers are right until it is notified that a node is lost, and nothing blocks it
  /// afterwards.
  void judge(const SimReport& report) {
    if (plan_.episodes.disagrees) return judge_disagreement(report);
    const bool lost = report.outcome == SimOutcome::NodeLost && plan_.crashes;
    if (report.outcome != SimOutcome::Finished && !lost) {
      observers_.violate("every run ends",
                         format("outcome {}, {}", static_cast<int>(report.outcome), report.detail));
    }
    for (std::uint32_t i = 0; i < ends_.size(); ++i) {
      const End& end = ends_[i];
      if (!plan_.crashes && !end.errors.empty()) {
        observers_.violate("peers understand each other", end.errors[0].to_string());
      }
      const bool crashes = plan_.crashes && plan_.sim.faults.crashes[0].node == NodeId(i);
      if (!crashes && !end.returned) {
        observers_.violate("a lost node is noticed",
                           format("node {} {}", i,
                                  end.errors.empty() ? "neither finished nor got an error"
                                                     : "got an error, and is blocked"));
      }
    }
  }

  /// The node that called another collective gets an error, and so does at least one peer. The
  /// other nodes wait forever, because no process exits here after its error, so no connection
  /// closes.
  void judge_disagreement(const SimReport& report) {
    if (report.outcome != SimOutcome::Finished && report.outcome != SimOutcome::Deadlock) {
      observers_.violate("every run ends",
                         format("outcome {}, {}", static_cast<int>(report.outcome), report.detail));
    }
    std::uint32_t errors = 0;
    for (const End& end : ends_) {
      if (end.errors.empty()) continue;
      ++errors;
      if (end.errors.size() > 1 || end.errors[0].kind != ErrorKind::Input)
        observers_.violate("peers understand each other", end.errors[0].to_string());
    }
    if (errors < 2)
      observers_.violate("the same collectives",
                         format("{} nodes were notified of the mismatch", errors));
  }

  const Plan& plan_;
  Observers& observers_;
  SimCluster cluster_;
  std::vector<End> ends_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::unique_ptr<Body>> bodies_;
};

/// Delays threads now and then at points where they race: between an arrival and its report to the
/// polling thread, and between reading a ticket and the wait for it. A busy machine does this too,
/// but seldom.
class HesitantTransport final : public ForwardingTransport {
 public:
  using ForwardingTransport::ForwardingTransport;

  std::size_t poll(FrameSink& sink, std::size_t most) override {
    const std::size_t found = ForwardingTransport::poll(sink, most);
    hesitate();
    return found;
  }
  void wait(std::uint64_t seen, std::optional<Instant> deadline) override {
    hesitate();
    ForwardingTransport::wait(seen, deadline);
  }

 private:
  static void hesitate() {
    thread_local Random random(1, std::hash<std::thread::id>{}(std::this_thread::get_id()));
    if (random.chance(1.0 / 64)) std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
};

void run_over_threads(const Plan& plan, Observers& observers) {
  LoopbackNetwork network({.nodes = plan.nodes(), .profile = plan.sim.profile, .seed = plan.seed});
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < plan.nodes(); ++i) {
    threads.emplace_back([&, i] {
      HesitantTransport hesitant(network.node(NodeId(i)));
      Transport& quick = network.node(NodeId(i));
      Node node(plan.seed % 2 == 0 ? hesitant : quick, node_options(plan));
      make_body(node, plan, observers)->run();
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace

Outcome run_plan(const Plan& plan, bool keep_log) {
  std::vector<std::uint64_t> memory(Observers::words(plan));
  Observers observers(plan, memory);
  if (keep_log) observers.keep_log();
  Outcome outcome;
  if (plan.over_threads) {
    run_over_threads(plan, observers);
  } else {
    outcome.digest = VirtualRun(plan, observers).run();
  }
  outcome.digest ^= observers.digest();
  outcome.violations = observers.violations();
  outcome.observations = observers.observations();
  outcome.log = observers.log();
  return outcome;
}

}  // namespace leeway::campaign
