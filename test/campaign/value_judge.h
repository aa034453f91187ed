// Expected answers of a run, by methods that share no code with the library
// (test/answers/oracles.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "programs/catalog/program.h"
#include "test/answers/graph_input.h"

namespace leeway::campaign {

struct Question {
  std::string_view program;
  const answers::InputGraph& graph;
  std::uint32_t source = 0;
  double damping = 0.85;
  std::uint32_t rounds = 0;  ///< fixed number; 0: until convergence
  bool supersteps = false;   ///< synchronous rounds on the values of the previous one
};

/// Description of a wrong value; empty if there is none or if the right answer is unknown.
[[nodiscard]] std::string wrong_values(const Question& question, const ProgramValues& values);

}  // namespace leeway::campaign
