// Who must go when a node says that it can no longer reach another. The word of one proves nothing: its own network
// may be what is cut. So all are asked whom they cannot reach, and of a pair that cannot reach each other the one
// goes that fewer reach; both being reached by all others, the one with the higher number. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "leeway/base/ids.h"

namespace leeway {

class Inquiry {
 public:
  explicit Inquiry(std::size_t nodes) : answered_(nodes, false) {}

  /// `by` says it cannot reach `whom`: what the inquiry is about.
  void suspect(NodeId by, NodeId whom);
  /// Whom `by` does not reach, now that all were asked.
  void answer(NodeId by, const std::vector<NodeId>& unreached);
  [[nodiscard]] bool answered(NodeId node) const { return answered_[node.index()]; }

  struct Verdict {
    NodeId node{0};
    std::string why;
  };
  /// Those of whom a suspicion proved right that must go, so that all who stay reach each other.
  [[nodiscard]] std::vector<Verdict> verdicts() const;

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;  // lower number first
  static Pair pair(NodeId a, NodeId b);

  std::vector<bool> answered_;
  std::set<Pair> suspected_;
  std::set<Pair> cut_;
};

}  // namespace leeway
