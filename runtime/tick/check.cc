#include "runtime/tick/check.h"

#include <string_view>

#include "base/format.h"

namespace leeway::tick {

Status check_step(const TickModel& model, const CheckedNode& node, const TickState& context,
                  const Step& step) {
  const QueryName inside{node.self, step.to};
  std::optional<QueryName> outside;
  if (step.from) outside = QueryName{node.self, *step.from};
  const auto narrow = model.restricted(context, {node.self, step.to, QueryScope::Read}, node.held);
  const auto with_few = model.stepped(*narrow, inside, outside, node.held);
  const auto with_all = model.stepped(context, inside, outside, node.held);
  const auto difference = model.difference(*with_few, *with_all);
  if (!difference) return {};
  return fail(input_error(
      format("tick {}", step.tick),
      format(
          "STEP reads outside its context: with R_D alone it returns other results than with more "
          "tuples: {}",
          *difference),
      "R_D must select every tuple that STEP reads, and STEP must read only its context"));
}

Status check_moves(const TickModel& model, const CheckedNode& node, const TickState& context,
                   std::uint32_t nodes, Tick tick) {
  if (!model.moves()) return {};
  const QueryName own{node.self};
  const auto none = model.make();
  model.reset(*none, node.held, node.held);
  const auto intruder = [&](const std::optional<QueryName>& without, const QueryName& into) {
    const auto result = model.stepped(context, own, without, node.held);
    return model.difference(*model.restricted(*result, into, node.held), *none);
  };
  for (std::uint32_t j = 0; j < nodes; ++j) {
    const NodeId other(j);
    if (other == node.self) continue;
    auto found = intruder(QueryName{other, 0, QueryScope::Written}, QueryName{other});
    const std::string_view law = found ? "W_D" : "W_X";
    if (!found) found = intruder(std::nullopt, QueryName{other, 0, QueryScope::Kept});
    if (!found) continue;
    return fail(input_error(
        format("tick {}", tick),
        format("{} is wrong: a tuple got from part {} to part {}, where {} excludes that: {}", law,
               node.self, j, law, *found),
        "W_D must select every tuple that a step can bring into a part, and W_X none that comes "
        "from outside"));
  }
  return {};
}

ReplicaCheck::ReplicaCheck(const TickModel& model, const CheckedNode& node, const TickState& state,
                           std::optional<Level> level)
    : model_(model), node_(node), complete_{node.self, level.value_or(0) - 1, QueryScope::Read} {
  if (level.value_or(0) > 0) copies_ = model.restricted(state, complete_, node.held);
}

Status ReplicaCheck::compare(const TickState& received, Tick tick) const {
  if (copies_ == nullptr) return {};
  const auto difference =
      model_.difference(*copies_, *model_.restricted(received, complete_, node_.held));
  if (!difference) return {};
  return fail(input_error(
      format("tick {}", tick),
      format("two nodes stepped the same tuples with different results: {}", *difference),
      "STEP must return the same result on every node: keep random state in the tuple, and sums "
      "must not depend on the order of tuples"));
}

}  // namespace leeway::tick
