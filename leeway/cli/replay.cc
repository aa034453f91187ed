#include <optional>

#include "leeway/base/clock.h"
#include "leeway/base/format.h"
#include "leeway/base/nearest.h"
#include "leeway/benchmarks/replay/workbench.h"
#include "leeway/cli/command.h"
#include "leeway/cli/graph_argument.h"
#include "leeway/cli/output.h"
#include "leeway/cli/watch.h"

namespace leeway::cli {

namespace {

constexpr std::uint32_t kNodes = 16;        // as many as ASPIRE's cluster has
constexpr std::uint32_t kMostNodes = 4096;  // of a virtual cluster

Result<std::vector<replay::Replay>> chosen(const std::string& name) {
  std::vector<replay::Replay> some;
  std::vector<std::string_view> names = {"all"};
  for (const replay::Replay& each : replay::replays()) {
    names.push_back(each.name);
    if (name == "all" || name == each.name) some.push_back(each);
  }
  if (!some.empty()) return some;
  return fail(input_error("leeway replay", format("nothing is called '{}'", name),
                          did_you_mean(name, names)));
}

Result<replay::LaidGraph> laid_graph(const Options& options, bool& stand_in) {
  replay::DefaultGraph source{options.graph.value_or(""), false};
  if (!options.graph) source = replay::default_graph();
  stand_in = source.stand_in;
  const std::uint32_t nodes = options.nodes.value_or(kNodes);
  if (nodes > kMostNodes) {
    return fail(input_error("--nodes", format("{} is more than a virtual cluster holds", nodes),
                            format("give at most {}", kMostNodes)));
  }
  LEEWAY_ASSIGN(const Graph graph, open_graph(source.source, options));
  const std::size_t slash = source.source.rfind('/');
  const std::string name =
      slash == std::string::npos ? source.source : source.source.substr(slash + 1);
  return replay::lay_out(graph, name, nodes, options.partition.seed);
}

Result<replay::Settings> settings_of(const Options& options, bool stand_in) {
  replay::Settings settings;
  if (options.network) {
    settings.network = *options.network;
  } else {
    LEEWAY_ASSIGN(settings.network, parse_profile("infiniband"));
  }
  settings.iterations = options.iterations;
  settings.seed = options.load.seed;
  settings.stand_in = stand_in;
  return settings;
}

}  // namespace

Result<int> run_replay(const Invocation& invocation) {
  const Options& options = invocation.options;
  LEEWAY_ASSIGN(const auto figures, chosen(invocation.argument(0)));
  bool stand_in = false;
  LEEWAY_ASSIGN(const replay::LaidGraph graph, laid_graph(options, stand_in));
  LEEWAY_ASSIGN(replay::Settings settings, settings_of(options, stand_in));
  if (options.out) LEEWAY_TRY(replay::make_folder(*options.out));  // rather now than after minutes
  const SteadyClock clock;
  std::optional<Watch> watch;  // while a figure is measured, not while it is printed
  replay::Workbench bench(graph, std::move(settings), [&](const std::string& run) {
    watch->progress()->start("replaying " + run);
  });
  for (const replay::Replay& each : figures) {
    const Instant started = clock.now();
    watch.emplace(options);
    LEEWAY_ASSIGN(const replay::Figure figure, each.run(bench));
    watch.reset();
    LEEWAY_TRY(print(replay::to_text(figure)));
    LEEWAY_TRY(
        print(format("  simulated in {:.1f} s of real time\n", seconds(clock.now() - started))));
    if (options.out) {
      LEEWAY_ASSIGN(const auto paths, replay::write_files(figure, *options.out));
      for (const auto& path : paths) LEEWAY_TRY(print(format("  wrote {}\n", path.string())));
    }
    LEEWAY_TRY(print("\n"));
  }
  return 0;
}

}  // namespace leeway::cli
