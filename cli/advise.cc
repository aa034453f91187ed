// `leeway advise`: the law applied to a graph, a program and a network.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "leeway/base/format.h"
#include "leeway/cli/command.h"
#include "leeway/cli/graph_argument.h"
#include "leeway/cli/guarded.h"
#include "leeway/cli/machines.h"
#include "leeway/cli/output.h"
#include "leeway/cli/watch.h"
#include "leeway/datasets/partition_auto.h"
#include "leeway/programs/law/choice.h"
#include "leeway/programs/reference/lists.h"

extern char** environ;

namespace leeway::cli {

namespace {

constexpr std::uint32_t kNodesUnasked = 16;
constexpr std::uint32_t kMostNodes = 4096;
constexpr law::Mode kAlone{.name = "one node", .flags = "", .consistency = "rcp"};
constexpr double kSure = 0.9;
constexpr double kLikely = 0.7;

/// What the law says of one number of nodes.
struct Choice {
  std::uint32_t nodes = 1;
  double seconds = 0;
  std::string mode;  ///< "one node" where there is nothing to choose
  std::string flags;
  std::string second;  ///< the runner-up; empty: none
  double second_seconds = 0;
  double confidence = 1;
};

struct Advice {
  std::string program;
  std::string refused;  ///< why there is none; then nothing else
  std::vector<Choice> choices;
  std::size_t best = 0;
};

/// 1, 2, 4, … and the most.
std::vector<std::uint32_t> node_counts(std::uint32_t most) {
  std::vector<std::uint32_t> counts;
  for (std::uint32_t count = 1; count < most; count *= 2) counts.push_back(count);
  counts.push_back(most);
  return counts;
}

Result<Choice> choose(const Graph& graph, std::size_t program, std::uint32_t nodes,
                      const Machines& machines, const Options& options) {
  PartitionOptions how = options.partition;
  how.parts = nodes;
  how.method = method_for(graph, how);
  LEEWAY_ASSIGN(Partition division, divide_graph(graph, how, options));
  Watch watch(options);
  watch.progress()->start(format("trying {} on {} nodes", law::programs()[program], nodes));
  law::Setup setup;
  setup.graph = &graph;
  setup.division = std::make_shared<const Partition>(std::move(division));
  setup.program = law::programs()[program];
  setup.settings.source = reference::busiest(graph);
  setup.cost = machines.cost;
  setup.seed = options.load.seed;
  Choice choice;
  choice.nodes = nodes;
  if (nodes == 1) {
    LEEWAY_ASSIGN(const RunRecord alone, law::simulate(setup, kAlone, NetworkProfile()));
    choice.seconds = alone.phases.compute;
    choice.mode = "one node";
    return choice;
  }
  LEEWAY_ASSIGN(const law::ProgramFacts facts, law::facts_of(setup));
  const law::Choice chosen =
      law::choose(program, facts, law::facts_of(machines.network, nodes), law::all_allowed());
  const law::Mode& best = law::modes()[chosen.best];
  choice.seconds = chosen.forecast.seconds[chosen.best];
  choice.mode = best.name;
  choice.flags = best.flags;
  choice.second = law::modes()[chosen.second].name;
  choice.second_seconds = chosen.forecast.seconds[chosen.second];
  choice.confidence = chosen.forecast.confidence;
  return choice;
}

/// Input that the program cannot answer for is no error where all programs are asked about.
Result<Advice> advise_on(const Graph& graph, std::size_t program, const Machines& machines,
                         const Options& options, bool alone) {
  Advice advice;
  advice.program = law::programs()[program];
  const std::uint32_t most = options.nodes.value_or(kNodesUnasked);
  for (const std::uint32_t nodes : node_counts(most)) {
    Result<Choice> choice = choose(graph, program, nodes, machines, options);
    if (!choice) {
      if (alone || choice.error().kind != ErrorKind::Input) return fail(choice.error());
      advice.refused = choice.error().to_string();
      return advice;
    }
    advice.choices.push_back(std::move(*choice));
  }
  const auto least =
      std::min_element(advice.choices.begin(), advice.choices.end(),
                       [](const Choice& a, const Choice& b) { return a.seconds < b.seconds; });
  advice.best = static_cast<std::size_t>(least - advice.choices.begin());
  return advice;
}

std::string_view sureness(double confidence) {
  return confidence >= kSure ? "sure" : confidence >= kLikely ? "likely" : "close";
}

std::string words_of(const Advice& advice) {
  if (!advice.refused.empty()) return format("{}: no advice: {}\n", advice.program, advice.refused);
  std::vector<std::vector<std::string>> rows = {
      {"nodes", "mode", "expected s", "runner-up", "expected s", "sure"}};
  for (const Choice& each : advice.choices) {
    rows.push_back({std::to_string(each.nodes), each.mode, format("{:.3g}", each.seconds),
                    each.second, each.second.empty() ? "" : format("{:.3g}", each.second_seconds),
                    each.second.empty() ? "" : format("{:.2f}", each.confidence)});
  }
  const Choice& best = advice.choices[advice.best];
  std::string text = format("\n{}\n{}", advice.program, table(rows));
  if (best.nodes == 1) return text + "take one node: more would not pay\n";
  return text + format(
                    "take {} nodes and {}: leeway run {} --nodes {} {} ({}: {} is foretold {:.2f} "
                    "of the time)\n",
                    best.nodes, best.mode, advice.program, best.nodes, best.flags,
                    sureness(best.confidence), best.second, best.second_seconds / best.seconds);
}

void write_choice(const Choice& each, JsonWriter& json) {
  json.object([&] {
    json.member("nodes", each.nodes).member("mode", each.mode).member("flags", each.flags);
    json.member("expected_seconds", each.seconds);
    if (each.second.empty()) return;
    json.member("runner_up", each.second).member("runner_up_seconds", each.second_seconds);
    json.member("confidence", each.confidence);
  });
}

std::string json_of(const std::vector<Advice>& all, const Machines& machines,
                    const std::string& graph) {
  JsonWriter json(JsonWriter::Layout::Lines);
  json.object([&] {
    json.member("graph", graph).member("network", machines.network.name);
    json.member("measured", machines.measured).member("basis", machines.basis);
    json.key("programs").array(all, [&](const Advice& advice) {
      json.object([&] {
        json.member("program", advice.program);
        if (!advice.refused.empty()) {
          json.member("refused", advice.refused);
          return;
        }
        write_choice(advice.choices[advice.best], json.key("take"));
        json.key("by_nodes").array(advice.choices, [&](const Choice& each) {
          write_choice(each, json);
        });
      });
    });
  });
  return std::move(json).text() + "\n";
}

/// What the arguments and flags name.
struct Asked {
  Options options;
  std::optional<std::size_t> program;
};

Result<Asked> asked_of(const Invocation& invocation) {
  Asked asked{invocation.options, std::nullopt};
  std::vector<std::string> words = invocation.arguments;
  if (!asked.options.graph) {
    if (words.empty() || words.front().empty())
      return fail(
          input_error("GRAPH", "is missing", "name a graph file or a spec, such as kron:14"));
    asked.options.graph = words.front();
    words.erase(words.begin());
  }
  if (words.size() > 1) {
    return fail(input_error("GRAPH", format("'{}' is given, and --graph, too", words.front()),
                            "give one of the two"));
  }
  if (!words.empty() && !words.front().empty()) {
    LEEWAY_ASSIGN(asked.program, law::program_place(words.front()));
  }
  if (asked.options.nodes && *asked.options.nodes > kMostNodes) {
    return fail(input_error("--nodes",
                            format("{} is more than a virtual cluster holds", *asked.options.nodes),
                            format("give at most {}", kMostNodes)));
  }
  return asked;
}

Result<int> advise_in(const Invocation& invocation, Job* job) {
  LEEWAY_ASSIGN(Asked asked, asked_of(invocation));
  LEEWAY_ASSIGN(const Machines machines, machines_of(asked.options, job));
  if (job != nullptr && job->self() != NodeId(0)) return 0;
  const bool several = job != nullptr && job->node_count() > 1;
  if (several && !asked.options.nodes) asked.options.nodes = job->node_count();
  LEEWAY_ASSIGN(const Graph graph, open_graph(*asked.options.graph, asked.options));
  std::vector<Advice> all;
  for (std::size_t program = 0; program < law::kPrograms; ++program) {
    if (asked.program && program != *asked.program) continue;
    LEEWAY_ASSIGN(all.emplace_back(),
                  advise_on(graph, program, machines, asked.options, asked.program.has_value()));
  }
  if (asked.options.json) {
    LEEWAY_TRY(print(json_of(all, machines, *asked.options.graph)));
    return 0;
  }
  std::string text = format("{}\n", machines.basis);
  text +=
      "times are foretold from four simulated trial runs for each number of nodes, not measured\n";
  for (const Advice& each : all) text += words_of(each);
  LEEWAY_TRY(print(text));
  return 0;
}

/// A process that a launcher started: as a run's, all of them end with what went wrong in any.
[[noreturn]] void advise_as_process(const Invocation& invocation, Job& job) {
  Invocation mine = invocation;
  mine.options.quiet = invocation.options.quiet || job.self() != NodeId(0);
  const Result<int> outcome = guarded([&] { return advise_in(mine, &job); });
  const Status agreed = job.agree(outcome ? Status{} : fail(outcome.error()));
  int code = agreed ? *outcome : agreed.error().exit_code();
  // The others have nothing to fail with but the job itself; what node 0 failed with, it tells.
  const bool mine_to_tell = !outcome || (!agreed && agreed.error().kind == ErrorKind::Peer);
  if (!agreed && mine_to_tell) std::fprintf(stderr, "%s\n", agreed.error().to_string().c_str());
  if (const Status left = job.leave(); !left && code == 0) code = left.error().exit_code();
  job.exit(code);
}

}  // namespace

Result<int> run_advise(const Invocation& invocation) {
  LEEWAY_ASSIGN(const Fabric fabric, detect_fabric(::environ));
  if (fabric != Fabric::Mpi && fabric != Fabric::Ofi) return advise_in(invocation, nullptr);
  JobOptions joining;
  joining.fabric = fabric;
  LEEWAY_ASSIGN(const std::unique_ptr<Job> job, join_job(joining));
  advise_as_process(invocation, *job);
}

}  // namespace leeway::cli
