// bench-peers [--only WORD] [GRAPH...]: Leeway compared with other libraries: seconds per arc for PageRank, shortest
// distances and components, on the same graph in the same run. Ratios are relative to the tuned kernels. If MPI is
// installed, PIE programs also run as one process and as two. --only: the tuned kernels and contenders whose name
// contains WORD. A table in Markdown at the end of each graph has all times.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "benchmarks/harness.h"
#include "benchmarks/peers/peer.h"
#include "benchmarks/peers/pie_peer.h"
#include "datasets/graph.h"
#include "programs/reference/kernels.h"

using namespace leeway;

namespace {

constexpr std::uint32_t kIterations = 20;
constexpr std::uint32_t kEnough = 100;  // iterations until ranks converge
constexpr int kRounds = 3;

/// Opens a file or a spec, removes loops and duplicates, and draws weights if there are none.
Result<Graph> graph_for(const std::string& name) {
  LoadOptions options;
  options.duplicates = Duplicates::Merge;
  options.merge_weights = MergeWeights::Min;
  options.self_loops = SelfLoops::Drop;
  const auto get = [&] {
    return std::filesystem::exists(name) ? load_graph(name, options) : generate(name, options);
  };
  LEEWAY_ASSIGN(Graph plain, get());
  if (plain.weighted()) return plain;
  options.weights = Weights::Random;
  return get();
}

bool near(double a, double b) { return a == b || std::abs(a - b) <= 1e-4 * std::abs(b); }

bool same_parts(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  std::unordered_map<std::uint32_t, std::uint32_t> to, from;
  for (std::size_t v = 0; v < a.size(); ++v) {
    if (to.try_emplace(a[v], b[v]).first->second != b[v]) return false;
    if (from.try_emplace(b[v], a[v]).first->second != a[v]) return false;
  }
  return a.size() == b.size();
}

using Peers = std::vector<std::unique_ptr<peers::Peer>>;

struct Question {
  std::string name;
  std::function<void(peers::Peer&)> ask;
  /// True if this peer's answer equals that of the first.
  std::function<bool(peers::Peer&)> agrees;
};

std::vector<Question> questions(const Graph& graph, const Peers& all) {
  const VertexId source = reference::busiest(graph);
  peers::Peer& first = *all.front();
  return {
      {"pagerank", [](peers::Peer& peer) { bench::keep(peer.pagerank(kIterations)); },
       [&first](peers::Peer& peer) {
         // In-place sweeps and synchronous steps differ before convergence, so converged ranks are compared.
         const auto expected = first.pagerank(kEnough);
         const auto found = peer.pagerank(kEnough);
         return std::equal(expected.begin(), expected.end(), found.begin(), found.end(), near);
       }},
      {"sssp", [source](peers::Peer& peer) { bench::keep(peer.distances(source)); },
       [&first, source](peers::Peer& peer) {
         const auto expected = first.distances(source);
         const auto found = peer.distances(source);
         return std::equal(expected.begin(), expected.end(), found.begin(), found.end(), near);
       }},
      {"components", [](peers::Peer& peer) { bench::keep(peer.components()); },
       [&first](peers::Peer& peer) { return same_parts(first.components(), peer.components()); }},
  };
}

/// Appends the peers' times to `times`.
bool measure(const std::string& name, const Graph& graph, const Question& question,
             const Peers& all, std::vector<std::vector<double>>& times) {
  std::vector<bench::Contender> contenders;
  bool agreed = true;
  for (const auto& peer : all) {
    if (peer->shows_answers() && !question.agrees(*peer)) {
      std::fprintf(stderr, "bench-peers: %s's answer to %s on %s differs from the tuned kernels'\n",
                   peer->name().c_str(), question.name.c_str(), name.c_str());
      agreed = false;
    }
    contenders.push_back(
        {peer->name(), [&question, &peer, ask = bench::elapsed([&] { question.ask(*peer); })] {
           const double whole = ask();
           return peer->own_seconds().value_or(whole);
         }});
  }
  // The first answer, which was verified, has warmed up caches.
  bench::race(contenders, kRounds, 0);
  const auto arcs = static_cast<double>(graph.arc_count());
  auto& medians = times.emplace_back();
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    const bench::Contender& contender = contenders[i];
    medians.push_back(contender.median);
    const double ratio = contender.median / contenders.front().median;
    const bool to_the_end = question.name == "pagerank" && !all[i]->counts_iterations();
    std::printf("  %-12s %-24s %9.4f s %9.2f ns an arc %8.2fx%s\n", question.name.c_str(),
                contender.name.c_str(), contender.median, contender.median / arcs * 1e9, ratio,
                to_the_end ? "  (until converged)" : "");
    bench::print_json("peers", [&](JsonWriter& json) {
      json.member("graph", name).member("question", question.name).member("peer", contender.name);
      json.member("seconds", contender.median, ".6f").member("arcs", arcs, ".0f");
      json.member("ratio", ratio, ".4f");
    });
  }
  return agreed;
}

void print_summary(const Graph& graph, const std::string& name, const std::vector<Question>& asked,
                   const Peers& all, const std::vector<std::vector<double>>& times) {
  std::string text =
      format("\n| {}, {} arcs; seconds |", std::filesystem::path(name).filename().string(),
             format_count(graph.arc_count()));
  for (const Question& question : asked) text += format(" {} |", question.name);
  text += "\n|---|";
  for (std::size_t i = 0; i < asked.size(); ++i) text += "---:|";
  for (std::size_t i = 0; i < all.size(); ++i) {
    text += format("\n| {} |", all[i]->name());
    for (std::size_t q = 0; q < asked.size(); ++q) text += format(" {:.3f} |", times[q][i]);
  }
  std::printf("%s\n\n", text.c_str());
}

/// Starts this program as a job of processes, with `--job GRAPH` and the tuned kernels' times.
void run_as_jobs(const std::string& name, const std::vector<std::vector<double>>& times) {
  std::error_code failed;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe", failed).string();
  if (failed || std::system("command -v mpiexec.mpich >/dev/null") != 0) return;
  std::fflush(stdout);
  for (const int processes : {1, 2}) {
    char numbers[128];
    std::snprintf(numbers, sizeof numbers, "%.9f %.9f %.9f", times[0][0], times[1][0], times[2][0]);
    const std::string command = "mpiexec.mpich -n " + std::to_string(processes) + " '" + self +
                                "' --job '" + name + "' " + numbers + " </dev/null";
    if (std::system(command.c_str()) != 0)
      std::fprintf(stderr, "bench-peers: the job of %d processes failed\n", processes);
  }
}

/// Runs one process of such a job.
int answer_as_process(const std::vector<std::string>& words) {
  const auto graph = graph_for(words[1]);
  if (!graph) return graph.error().exit_code();
  const peers::TunedSeconds tuned{std::atof(words[2].c_str()), std::atof(words[3].c_str()),
                                  std::atof(words[4].c_str())};
  peers::run_as_process(words[1], *graph, reference::busiest(*graph), kIterations, tuned);
}

int compare_on(const std::string& name, const std::string& only) {
  const auto graph = graph_for(name);
  if (!graph) {
    std::fprintf(stderr, "bench-peers: %s\n", graph.error().to_string().c_str());
    return graph.error().exit_code();
  }
  std::printf("%s: %u vertices, %llu arcs\n", name.c_str(), graph->vertex_count(),
              static_cast<unsigned long long>(graph->arc_count()));
  Peers all;
  const auto enter = [&](std::unique_ptr<peers::Peer> peer) {
    if (!peer) return;
    if (all.empty() || peer->name().find(only) != std::string::npos) all.push_back(std::move(peer));
  };
  enter(peers::tuned_kernels(*graph));
  enter(peers::graphblas(*graph));
  enter(peers::igraph_library(*graph));
  enter(peers::scipy(*graph));
  for (auto& peer : peers::gapbs(*graph)) enter(std::move(peer));
  enter(peers::leeway_cluster(*graph, 1, "rcp"));
  enter(peers::leeway_cluster(*graph, 1, "rcp", 0));
  enter(peers::leeway_cluster(*graph, 2, "rcp"));
  enter(peers::leeway_cluster(*graph, 2, "rcp+push"));
  enter(peers::leeway_pie(*graph, 1));
  enter(peers::leeway_pie(*graph, 2));
  bool agreed = true;
  std::vector<std::vector<double>> times;
  const std::vector<Question> asked = questions(*graph, all);
  for (const Question& question : asked)
    agreed = measure(name, *graph, question, all, times) && agreed;
  print_summary(*graph, name, asked, all, times);
  all.clear();
  if (std::string("leeway pie").find(only) != std::string::npos) run_as_jobs(name, times);
  return agreed ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> names(arguments + 1, arguments + count);
  if (names.size() == 5 && names.front() == "--job") return answer_as_process(names);
  std::string only;
  if (names.size() >= 2 && names.front() == "--only") {
    only = names[1];
    names.erase(names.begin(), names.begin() + 2);
  }
  if (names.empty()) {
    names = {"kron:18", "kron:20"};
    if (const char* folder = std::getenv("LEEWAY_DATA"); folder != nullptr) {
      names.push_back(std::string(folder) + "/imdb-actors.txt.zst");
      names.push_back(std::string(folder) + "/USA-road-d.NY.gr.zst");
    }
  }
  int outcome = 0;
  for (const std::string& name : names) outcome = std::max(outcome, compare_on(name, only));
  return outcome;
}
