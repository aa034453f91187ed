// The files that a run in ticks, by either engine, was told to write.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "leeway/cli/options.h"
#include "leeway/datasets/byte_stream.h"

namespace leeway::cli {

/// Opened before any work, so that a name that cannot be written is found early.
struct SimulationOutputs {
  std::unique_ptr<ByteSink> values, report, trace, frames;

  static Result<SimulationOutputs> open(const Options& options) {
    SimulationOutputs outputs;
    const auto make = [](const std::string& path, std::unique_ptr<ByteSink>& into) -> Status {
      if (path.empty()) return {};
      LEEWAY_ASSIGN(into, create_sink(path));
      return {};
    };
    LEEWAY_TRY(make(options.out.value_or(""), outputs.values));
    LEEWAY_TRY(make(options.run.report, outputs.report));
    LEEWAY_TRY(make(options.run.trace, outputs.trace));
    LEEWAY_TRY(make(options.run.simulation.frames, outputs.frames));
    return outputs;
  }
};

inline Status write_to(std::unique_ptr<ByteSink>& sink, const std::function<std::string()>& text) {
  if (sink == nullptr) return {};
  LEEWAY_TRY(sink->write(text()));
  return sink->finish();
}

}  // namespace leeway::cli
