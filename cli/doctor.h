// What the machine offers a run of Leeway, found by looking at files, limits, the environment and two
// programs (mpiexec, fi_info). Reads only; changes nothing.
#pragma once

#include <string>
#include <vector>

namespace leeway::cli {

enum class Health {
  Good,
  Advice,   ///< works, but something better is within reach
  Problem,  ///< must be mended before a run over several processes
};

struct Finding {
  std::string topic;
  Health health = Health::Good;
  std::string seen;
  std::string remedy;  ///< empty if all is well
};

/// Takes up to a few seconds, when a program that is asked does not answer.
[[nodiscard]] std::vector<Finding> examine_machine();

/// What a launcher's variables say of this process. `environment` as ::environ.
[[nodiscard]] Finding examine_launcher(const char* const* environment);

}  // namespace leeway::cli
