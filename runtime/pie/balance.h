// The load balancer (AAP §7): on which node each virtual worker runs, between queries and during one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"
#include "runtime/cluster/schedule.h"
#include "runtime/pie/virtual_worker.h"

namespace leeway::pie {

class WorkerSlot;

/// Returns the node of each virtual worker, given its round time, which is assumed to stay the same. While it lowers the
/// higher load of the two, a worker moves from the most loaded node to the least loaded one; the chosen worker is the one
/// that lowers it most. The last worker of a node never moves. The same times give the same result everywhere. Pure.
[[nodiscard]] std::vector<NodeId> balanced_nodes_of(std::span<const NodeId> nodes_of,
                                                    std::span<const Duration> times,
                                                    std::uint32_t nodes);

/// What the end of a phase reports about a node's workers.
struct LoadReport {
  struct WorkerLoad {
    PartId worker{0};
    Duration
        time{};  ///< in step: of all rounds since the last balancing; otherwise the mean of a round
    Round round{0};
    bool active = false;

    template <class Self>
    static auto fields(Self& self) {
      return std::tie(self.worker, self.time, self.round, self.active);
    }
  };

  bool due = false;  ///< the node requests that workers are balanced
  std::vector<WorkerLoad> workers;

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.due, self.workers);
  }
};

/// When the workers of a running query are balanced, and where they move. It measures the workers of its node since the
/// last balancing. Pure, but for these measurements; not thread-safe.
class LoadBalancer {
 public:
  /// Balances after each `every` rounds of a worker; 0: never.
  LoadBalancer(std::uint32_t every, std::size_t workers) : every_(every), marks_(workers) {}

  [[nodiscard]] bool on() const { return every_ > 0; }
  /// A new measurement begins for the worker.
  void mark(const WorkerSlot& slot);
  /// Whether the worker has run `every` rounds since then.
  [[nodiscard]] bool due(const WorkerSlot& slot) const;
  [[nodiscard]] LoadReport report(const std::vector<WorkerSlot>& slots, bool in_step) const;
  /// The nodes of the workers from now on, by the loads of all of them. They stay where they are unless moves lower the
  /// highest load by a tenth: moving costs time, and measured times vary. If the last moves have not made the loads more
  /// even, the next balancing is due after twice as many rounds, otherwise after half as many. Equal loads give equal places on all nodes.
  [[nodiscard]] std::vector<NodeId> places(std::span<const NodeId> nodes_of,
                                           std::span<const LoadReport::WorkerLoad> loads,
                                           std::uint32_t nodes);

 private:
  struct LoadMark {
    std::uint32_t rounds = 0;
    Duration computing{};
  };

  std::uint32_t every_;
  std::uint32_t delay_ = 1;      // balancing is due after this number of times every_ rounds
  double unevenness_ = 0;        // highest load by mean load, before the last moves; 0: none
  std::vector<LoadMark> marks_;  // by worker; those of this node are valid
};

/// How the workers of one node come and go.
struct WorkerMoves {
  /// Makes a worker that comes from another node.
  std::function<Result<std::unique_ptr<VirtualWorker>>(PartId)> arrive;
  /// The worker has left; nothing here uses its fragment.
  std::function<void(PartId)> leave;
};

}  // namespace leeway::pie
