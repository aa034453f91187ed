// The checking mode of a run of ticks: does the program keep the laws by which messages and steps are saved?
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/result.h"
#include "runtime/tick/model.h"
#include "runtime/tick/step_planner.h"

namespace leeway::tick {

/// The node that checks, and the query of all tuples that it holds.
struct CheckedNode {
  NodeId self{};
  QueryName held;
};

/// First check: does STEP read tuples that R_D does not select? Performs the step with all tuples and with R_D only; an error
/// names a tuple that differs.
[[nodiscard]] Status check_step(const TickModel& model, const CheckedNode& node,
                                const TickState& context, const Step& step);

/// After a tick of the node's part: have its tuples got into another part only from where that part's W_D selects them, and
/// never into its W_X? Steps the tuples of the part once more for each other part.
[[nodiscard]] Status check_moves(const TickModel& model, const CheckedNode& node,
                                 const TickState& context, std::uint32_t nodes, Tick tick);

/// Second check: do two nodes that step the same tuples get the same result? Keeps the replicas of one tick and compares
/// them with the originals when those arrive.
class ReplicaCheck {
 public:
  /// `level`: the highest level of the tick that has been stepped.
  ReplicaCheck(const TickModel& model, const CheckedNode& node, const TickState& state,
               std::optional<Level> level);
  [[nodiscard]] Status compare(const TickState& received, Tick tick) const;

 private:
  const TickModel& model_;
  CheckedNode node_;
  QueryName complete_;                 // what is complete after these layers
  std::unique_ptr<TickState> copies_;  // null: there are no replicas
};

}  // namespace leeway::tick
