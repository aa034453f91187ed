#include "leeway/cli/run_outputs.h"

#include "leeway/cli/output.h"

namespace leeway::cli {

Result<RunOutputs> RunOutputs::open(const Options& options, bool first) {
  const std::string values = options.out.value_or("");
  const std::string& frames = options.run.simulation.frames;
  LEEWAY_TRY(check_distinct({{"--out", values},
                             {"--report", options.run.report},
                             {"--trace", options.run.trace},
                             {"--round-log", options.run.round_log},
                             {"--frames", frames},
                             {"--checkpoint", options.run.simulation.checkpoint}}));
  RunOutputs outputs;
  if (!first) return outputs;
  const auto make = [](const std::string& path, std::unique_ptr<ByteSink>& into) -> Status {
    if (path.empty()) return {};
    LEEWAY_ASSIGN(into, create_sink(path));
    return {};
  };
  LEEWAY_TRY(make(values, outputs.values));
  LEEWAY_TRY(make(options.run.report, outputs.report));
  LEEWAY_TRY(make(options.run.trace, outputs.trace));
  LEEWAY_TRY(make(options.run.round_log, outputs.round_log));
  LEEWAY_TRY(make(frames, outputs.frames));
  return outputs;
}

Status write_to(std::unique_ptr<ByteSink>& sink, const std::function<std::string()>& text) {
  if (sink == nullptr) return {};
  LEEWAY_TRY(sink->write(text()));
  return sink->finish();
}

}  // namespace leeway::cli
