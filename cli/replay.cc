#include <algorithm>
#include <array>
#include <functional>
#include <optional>

#include "leeway/base/clock.h"
#include "leeway/base/format.h"
#include "leeway/base/nearest.h"
#include "leeway/benchmarks/replay/aap.h"
#include "leeway/benchmarks/replay/asytick_trials.h"
#include "leeway/benchmarks/replay/evaluation.h"
#include "leeway/benchmarks/replay/law.h"
#include "leeway/benchmarks/replay/study.h"
#include "leeway/benchmarks/replay/workbench.h"
#include "leeway/cli/command.h"
#include "leeway/cli/graph_argument.h"
#include "leeway/cli/output.h"
#include "leeway/cli/page.h"
#include "leeway/cli/watch.h"
#include "leeway/datasets/byte_stream.h"

namespace leeway::cli {

namespace {

using replay::Figure;

constexpr std::uint32_t kNodes = 16;         // as many as ASPIRE's cluster has
constexpr std::uint32_t kMostNodes = 4096;   // of a virtual cluster
constexpr std::uint32_t kQuickWorkers = 16;  // of AsyTick's 256, where every figure is asked for

/// Everything that can be replayed, in the paper's order.
std::vector<std::string_view> all_names() {
  std::vector<std::string_view> names;
  for (const auto& each : replay::evaluations()) names.push_back(each.name);
  const auto after_fig11 = std::find(names.begin(), names.end(), "fig16");
  std::vector<std::string_view> synthetic;
  for (const auto& each : replay::replays()) synthetic.push_back(each.name);
  names.insert(after_fig11, synthetic.begin(), synthetic.end());
  for (const auto& each : replay::tick_studies()) names.push_back(each.name);
  for (const auto& each : replay::aap_replays()) names.push_back(each.name);
  for (const auto& each : replay::asytick_replays()) names.push_back(each.name);
  return names;
}

Result<std::vector<std::string_view>> chosen(const std::string& name) {
  std::vector<std::string_view> names = all_names();
  if (name == "all") return names;
  std::vector<std::string_view> asytick;
  for (const auto& each : replay::asytick_replays()) asytick.push_back(each.name);
  if (name == "asytick") return asytick;
  std::vector<std::string_view> loopback;
  for (const auto& each : replay::loopback_studies()) loopback.push_back(each.name);
  if (name == "loopback") return loopback;
  // What is measured depends on the machine: not part of `all`, which is the same everywhere. The law takes
  // minutes and no paper has it.
  names.insert(names.end(), loopback.begin(), loopback.end());
  for (const auto& each : replay::law_replays()) names.push_back(each.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return std::vector{*found};
  return fail(input_error("leeway replay", format("nothing is called '{}'", name),
                          did_you_mean(name, replay_names())));
}

template <class List>
bool lists(const List& list, std::string_view name) {
  return std::any_of(list.begin(), list.end(), [&](const auto& each) { return each.name == name; });
}

/// Figures on simulations, and those whose graph the paper draws itself.
bool heeds_graph(std::string_view name) {
  return lists(replay::evaluations(), name) || lists(replay::replays(), name) ||
         (lists(replay::aap_replays(), name) && name != "aap-fig1");
}
/// All but those that are about how many nodes there are, and loopback's 2 and 4 threads.
bool heeds_nodes(std::string_view name) {
  constexpr std::array<std::string_view, 7> kOwn = {
      "fig6", "tick-fig1", "tick-fig13", "aap-fig1", "law-check", "auto", "aap-exp3"};
  return std::find(kOwn.begin(), kOwn.end(), name) == kOwn.end() &&
         !lists(replay::loopback_studies(), name);
}
bool heeds_iterations(std::string_view name) {
  return lists(replay::replays(), name) || lists(replay::loopback_studies(), name) ||
         (lists(replay::tick_studies(), name) && name != "tick-fig1");
}

/// All but the law's, which are over networks.
bool heeds_net(std::string_view name) { return !lists(replay::law_replays(), name); }

/// AsyTick's are of full scale already where they are not part of all.
bool heeds_full_scale(std::string_view name) {
  return name == "law" || name == "auto" || lists(replay::asytick_replays(), name);
}

/// Refuses a flag that no figure of this call heeds.
Status check_flags(const std::vector<std::string_view>& names, const Options& options) {
  using Heeds = bool (*)(std::string_view name);
  constexpr std::array<std::pair<std::string_view, Heeds>, 5> kFlags = {
      {{"graph", heeds_graph},
       {"nodes", heeds_nodes},
       {"iterations", heeds_iterations},
       {"net", heeds_net},
       {"full-scale", heeds_full_scale}}};
  for (const Said& said : options.said) {
    const auto flag = std::find_if(kFlags.begin(), kFlags.end(), [&](const auto& each) {
      return each.first == said.setting->name;
    });
    if (said.shared || flag == kFlags.end() ||
        std::any_of(names.begin(), names.end(), flag->second))
      continue;
    return fail(input_error(
        said.where, format("{} has its own, and does not heed it", names.front()), "leave it out"));
  }
  return {};
}

/// What a paper says of its own graphs is no yardstick for another.
void leave_ungraded(const std::string& graph, Figure& figure) {
  if (figure.claims.empty()) return;
  figure.claims.clear();
  figure.notes.push_back(
      format("not graded: the paper's claims are about its own graphs, not {}", graph));
}

/// The figures of one call, which share what they measure.
class Studio {
 public:
  Studio(const Options& options, NetworkProfile network, bool all)
      : options_(options),
        all_(all),
        network_(std::move(network)),
        shelf_(options.graph, options.load.seed),
        trials_(shelf_, trial_settings(), [this](const std::string& run) { say(run); }),
        asytick_(asytick_settings(), [this](const std::string& run) { say(run); }) {}

  Result<Figure> replay(std::string_view name) {
    watch_.emplace(options_);  // while a figure is measured, not while it is printed
    Result<Figure> figure = measure(name);
    watch_.reset();
    return figure;
  }

 private:
  void say(const std::string& run) { watch_->progress()->start("replaying " + run); }

  [[nodiscard]] replay::TrialSettings trial_settings() const {
    replay::TrialSettings settings;
    settings.network = network_;
    settings.seed = options_.load.seed;
    settings.nodes = options_.nodes.value_or(kNodes);
    return settings;
  }

  [[nodiscard]] replay::StudySettings study_settings() {
    return {.network = options_.network,
            .nodes = options_.nodes,
            .iterations = options_.iterations,
            .seed = options_.load.seed,
            .say = [this](const std::string& run) { say(run); }};
  }

  [[nodiscard]] replay::AsyTickSettings asytick_settings() const {
    replay::AsyTickSettings settings;
    settings.network = options_.network.value_or(parse_profile("gigabit").value());
    settings.seed = options_.load.seed;
    const bool quick = all_ && !options_.full_scale;
    settings.workers = options_.nodes.value_or(quick ? kQuickWorkers : settings.workers);
    return settings;
  }

  Result<Figure> measure(std::string_view name) {
    for (const auto& each : replay::asytick_replays()) {
      if (each.name == name) return each.run(asytick_);
    }
    for (const auto& each : replay::evaluations()) {
      if (each.name == name) return each.run(trials_);
    }
    for (const auto& list : {replay::tick_studies(), replay::loopback_studies()}) {
      for (const auto& each : list) {
        if (each.name == name) return each.run(study_settings());
      }
    }
    for (const auto& each : replay::aap_replays()) {
      if (each.name == name) return each.run(aap_settings());
    }
    for (const auto& each : replay::law_replays()) {
      if (each.name == name) return each.run(law_settings());
    }
    if (!bench_) LEEWAY_TRY(set_up_bench());
    for (const auto& each : replay::replays()) {
      if (each.name == name) return each.run(*bench_);
    }
    LEEWAY_CHECK(false, name);
    return Figure();
  }

  [[nodiscard]] replay::AapSettings aap_settings() {
    replay::AapSettings settings;
    settings.network = network_;
    settings.seed = options_.load.seed;
    settings.workers = options_.nodes;
    settings.graph = options_.graph;
    settings.say = [this](const std::string& run) { say(run); };
    return settings;
  }

  [[nodiscard]] replay::LawSettings law_settings() {
    return {.nodes = options_.nodes,
            .seed = options_.load.seed,
            .full_scale = options_.full_scale,
            .say = [this](const std::string& run) { say(run); }};
  }

  /// The one graph of the synthetic program, dealt out.
  Status set_up_bench() {
    replay::DefaultGraph source{options_.graph.value_or(""), false};
    if (!options_.graph) source = replay::default_graph();
    watch_.reset();  // loading has its own
    LEEWAY_ASSIGN(const Graph graph, open_graph(source.source, options_));
    watch_.emplace(options_);
    const std::size_t slash = source.source.rfind('/');
    LEEWAY_ASSIGN(
        auto laid,
        replay::lay_out(
            graph, slash == std::string::npos ? source.source : source.source.substr(slash + 1),
            options_.nodes.value_or(kNodes), options_.partition.seed));
    replay::Settings settings;
    settings.network = network_;
    settings.iterations = options_.iterations;
    settings.seed = options_.load.seed;
    settings.stand_in = source.stand_in;
    bench_.emplace(std::move(laid), std::move(settings),
                   [this](const std::string& run) { say(run); });
    return {};
  }

  const Options& options_;
  bool all_;  // every figure is asked for, and should end in minutes
  NetworkProfile network_;
  std::optional<Watch> watch_;
  replay::InputShelf shelf_;
  replay::Trials trials_;
  replay::AsyTickTrials asytick_;
  std::optional<replay::Workbench> bench_;
};

Status write_page(const std::vector<Figure>& figures, const std::string& folder) {
  std::string json =
      "{\"title\":\"The papers' evaluations, replayed\",\"about\":\"simulated: every time is in "
      "virtual seconds of a virtual cluster, where a figure does not say that it was "
      "measured\",\"figures\":[";
  for (const Figure& figure : figures) {
    json += (&figure == &figures.front() ? "" : ",") + replay::to_page_json(figure);
  }
  const std::string path = folder + "/replay.html";
  LEEWAY_TRY(write_file(path, page_of(json + "]}")));
  return print(format("wrote {}: open it in a browser\n", path));
}

Status show(const Figure& figure, const Options& options, double real_seconds) {
  LEEWAY_TRY(print(replay::to_text(figure)));
  LEEWAY_TRY(print(format("  {} in {:.1f} s of real time\n",
                          figure.measured ? "measured" : "simulated", real_seconds)));
  if (options.out) {
    LEEWAY_ASSIGN(const auto paths, replay::write_files(figure, *options.out));
    for (const auto& path : paths) LEEWAY_TRY(print(format("  wrote {}\n", path.string())));
  }
  return print("\n");
}

}  // namespace

std::vector<std::string_view> replay_names() {
  std::vector<std::string_view> names = all_names();
  for (const auto& each : replay::loopback_studies()) names.push_back(each.name);
  for (const auto& each : replay::law_replays()) names.push_back(each.name);
  for (const std::string_view several : {"all", "asytick", "loopback"}) names.push_back(several);
  return names;
}

Result<int> run_replay(const Invocation& invocation) {
  const Options& options = invocation.options;
  LEEWAY_ASSIGN(const auto names, chosen(invocation.argument(0)));
  LEEWAY_TRY(check_flags(names, options));
  if (options.nodes && *options.nodes > kMostNodes) {
    return fail(input_error("--nodes",
                            format("{} is more than a virtual cluster holds", *options.nodes),
                            format("give at most {}", kMostNodes)));
  }
  LEEWAY_ASSIGN(const NetworkProfile network, options.network
                                                  ? Result<NetworkProfile>(*options.network)
                                                  : parse_profile("infiniband"));
  if (options.out) LEEWAY_TRY(replay::make_folder(*options.out));  // rather now than after minutes
  const SteadyClock clock;
  Studio studio(options, network, invocation.argument(0) == "all");
  std::vector<Figure> figures;
  for (const std::string_view name : names) {
    const Instant started = clock.now();
    LEEWAY_ASSIGN(figures.emplace_back(), studio.replay(name));
    if (options.graph && heeds_graph(name)) leave_ungraded(*options.graph, figures.back());
    LEEWAY_TRY(show(figures.back(), options, seconds(clock.now() - started)));
  }
  if (options.out) LEEWAY_TRY(write_page(figures, *options.out));
  return 0;
}

}  // namespace leeway::cli
