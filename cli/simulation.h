// What `leeway run` can be told about programs that go by ticks, and who runs them: the tick engine or the
// piece engine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "leeway/base/result.h"
#include "leeway/runtime/node_programs.h"
#include "leeway/runtime/piece/options.h"
#include "leeway/runtime/tick/options.h"

namespace leeway::cli {

struct Invocation;

/// What is simulated, by whichever engine.
struct SceneChoices {
  std::uint32_t fish = 1000;
  std::uint32_t informed = 0;
  std::uint32_t goals = 1;
  double width = 100, height = 100;  ///< of the basin
  double visibility = 6, reach = 0.2;
  bool quadtree = false;                      ///< how the tick engine divides the basin
  std::uint32_t columns = 1000, rows = 1000;  ///< of the plate
  std::uint32_t bodies = 1000;
  std::uint32_t groups = 4;
  double box_width = 200, box_height = 200;
  double cutoff = 8;
  std::string frames;  ///< a file; empty: none
  std::uint32_t frame_every = 1;
};

struct DecidedRun;

/// `leeway run PROGRAM --engine tick`. Where nodes are processes, only the first one speaks.
Result<int> run_tick(const Invocation& invocation, const DecidedRun& run,
                     const ClusterOptions& cluster);

/// `leeway run PROGRAM --engine piece`. Where nodes are processes, only the first one speaks.
Result<int> run_piece(const Invocation& invocation, const DecidedRun& run,
                      const ClusterOptions& cluster);

}  // namespace leeway::cli
