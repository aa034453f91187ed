#include "leeway/cli/ldbc_defaults.h"

#include <algorithm>
#include <utility>

#include "leeway/base/format.h"
#include "leeway/datasets/ldbc_properties.h"

namespace leeway::cli {

namespace {

constexpr std::uint64_t kMostIterations = 1'000'000'000;

/// What has been taken so far, in words.
class Taken {
 public:
  explicit Taken(const LdbcProperties& said) : said_(said) {}

  void add(std::string_view setting, const std::string& value, std::uint64_t line) {
    if (!text_.empty()) text_ += ", ";
    text_ += format("{} {} ({})", setting, value, said_.at(line));
  }
  [[nodiscard]] std::string text() && { return std::move(text_); }

 private:
  const LdbcProperties& said_;
  std::string text_;
};

void take_iterations(const std::optional<LdbcSaid<std::uint64_t>>& said, Options& options,
                     Taken& taken) {
  if (!said || options.iterations) return;
  options.iterations = static_cast<std::uint32_t>(std::min(said->value, kMostIterations));
  taken.add("iterations", std::to_string(*options.iterations), said->line);
}

void take_source(const std::optional<LdbcSaid<std::string>>& said, Options& options, Taken& taken) {
  if (!said || options.run.source) return;
  options.run.source = said->value;
  taken.add("source", said->value, said->line);
}

}  // namespace

Status take_ldbc_defaults(const ProgramInfo& program, Options& options) {
  if (!options.graph || !names_ldbc_graph(*options.graph)) return {};
  LEEWAY_ASSIGN(const LdbcProperties said, read_ldbc_properties(ldbc_stem(*options.graph)));
  Taken taken(said);
  // LDBC counts synchronous rounds; other schedulers and fragments run until nothing changes.
  const Scheduler scheduler = options.run.scheduler.value_or(Scheduler::Bsp);
  const bool rounds = program.engine == "vertex" && scheduler == Scheduler::Bsp;
  if (program.name == "pagerank") {
    if (rounds && said.pr_iterations && !options.iterations) {
      options.run.scheduler = scheduler;
      take_iterations(said.pr_iterations, options, taken);
    }
    if (said.pr_damping && find_said(options, "damping") == nullptr) {
      options.run.program.damping = said.pr_damping->value;
      taken.add("damping", format("{}", options.run.program.damping), said.pr_damping->line);
    }
  }
  if (program.name == "cdlp" && options.run.program.ldbc && rounds)
    take_iterations(said.cdlp_iterations, options, taken);
  if (program.name == "bfs") take_source(said.bfs_source, options, taken);
  if (program.name == "sssp") take_source(said.sssp_source, options, taken);
  options.run.from_properties = std::move(taken).text();
  return {};
}

}  // namespace leeway::cli
