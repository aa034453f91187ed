// What a run's answer must be, by methods that share no code with the library (test/answers/oracles.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "programs/vertex/catalog.h"
#include "test/answers/graph_input.h"

namespace leeway::campaign {

struct Question {
  std::string_view program;
  const answers::InputGraph& graph;
  std::uint32_t source = 0;
  double damping = 0.85;
  std::uint32_t rounds = 0;  ///< exactly so many; 0: until it rests
  bool supersteps = false;   ///< rounds in step, each of the values of the one before
};

/// What is wrong with them; empty: nothing, or nobody knows what is right.
[[nodiscard]] std::string wrong_values(const Question& question, const ProgramValues& values);

}  // namespace leeway::campaign
