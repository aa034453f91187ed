#include "leeway/cli/run_outputs.h"

#include <algorithm>

#include "leeway/base/log.h"
#include "leeway/cli/output.h"

namespace leeway::cli {

Result<RunOutputs> RunOutputs::open(const Options& options, bool first,
                                    const std::string& own_values) {
  const bool by_parts = !own_values.empty();
  const std::string values = by_parts ? own_values : options.out.value_or("");
  const std::string& frames = options.run.scene.frames;
  const NamedFiles files = {{"--out", values},
                            {"--report", options.run.report},
                            {"--trace", options.run.trace},
                            {"--round-log", options.run.round_log},
                            {"--frames", frames}};
  LEEWAY_TRY(check_distinct(files));
  const std::vector<std::string> inputs = {options.graph.value_or(""), options.run.prediction.log,
                                           options.partition.owner_file};
  if (!options.force) LEEWAY_TRY(check_keeps(inputs, files));
  RunOutputs outputs;
  LEEWAY_ASSIGN(outputs.values_format, result_format(values));
  outputs.standard_output_taken = takes_standard_output(files);
  if (!first) return outputs;
  outputs.kept = options.kept;
  const auto make = [](const std::string& path, std::unique_ptr<ByteSink>& into) -> Status {
    if (path.empty()) return {};
    LEEWAY_ASSIGN(into, create_sink(path));
    return {};
  };
  for (const auto& [flag, file] : files)
    if (!file.empty()) log_debug("{} is written to {}", flag, file);
  if (!by_parts) LEEWAY_TRY(make(values, outputs.values));
  LEEWAY_TRY(make(options.run.report, outputs.report));
  LEEWAY_TRY(make(options.run.trace, outputs.trace));
  LEEWAY_TRY(make(options.run.round_log, outputs.round_log));
  LEEWAY_TRY(make(frames, outputs.frames));
  return outputs;
}

std::uint32_t measured_every(const Options& options, std::uint32_t ticks) {
  constexpr std::uint32_t kPoints = 32;
  if (options.run.report.empty() && options.kept == nullptr) return 0;
  return std::max(ticks / kPoints, 1U);
}

Status write_to(std::unique_ptr<ByteSink>& sink, const std::function<std::string()>& text) {
  if (sink == nullptr) return {};
  LEEWAY_TRY(sink->write(text()));
  return sink->finish();
}

}  // namespace leeway::cli
