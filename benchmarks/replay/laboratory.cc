#include "benchmarks/replay/laboratory.h"

#include <atomic>
#include <exception>

#include "base/format.h"
#include "base/parallel.h"

namespace leeway::replay {

Result<Figure> Laboratory::replay(const FigureRow& row) {
  LEEWAY_ASSIGN(Figure figure, row.run(*this));
  figure.name = row.name;
  if (figure.title.empty()) figure.title = row.title;
  figure.measured = figure.measured || row.group == FigureGroup::Loopback;
  std::erase_if(figure.configuration, [](const auto& entry) { return entry.first == "seed"; });
  figure.raw.columns.insert(figure.raw.columns.begin(), "seed");
  for (auto& cells : figure.raw.rows) cells.insert(cells.begin(), std::to_string(settings_.seed));
  const bool of_a_paper = row.group != FigureGroup::Ours;
  if (settings_.graph && of_a_paper && (row.flags & kTakesGraph) != 0 && !figure.claims.empty()) {
    figure.claims.clear();
    figure.notes.push_back(format("not graded: the paper's claims are about its own graphs, not {}",
                                  *settings_.graph));
  }
  return figure;
}

NetworkProfile Laboratory::network(std::string_view usual) const {
  return settings_.network ? *settings_.network : parse_profile(usual).value();
}

ClusterOptions Laboratory::cluster(std::uint32_t nodes, const NetworkProfile& network) const {
  ClusterOptions cluster;
  cluster.fabric = Fabric::Sim;
  cluster.nodes = nodes;
  cluster.network = network;
  cluster.seed = settings_.seed;
  return cluster;
}

Status Laboratory::each(std::size_t count, const std::function<Status(std::size_t)>& run) const {
  const unsigned threads = settings_.job != nullptr ? 1 : thread_count(0);
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  Status outcome;
  std::exception_ptr thrown;
  parallel_chunks(threads, threads, [&](unsigned, std::size_t, std::size_t) {
    for (std::size_t i = next++; i < count; i = next++) {
      Status done;
      std::exception_ptr caught;
      try {
        done = run(i);
      } catch (...) {
        caught = std::current_exception();
      }
      if (done && !caught) continue;
      next = count;
      const std::lock_guard lock(mutex);
      if (!outcome || thrown) continue;
      outcome = done;
      thrown = caught;
    }
  });
  if (thrown) std::rethrow_exception(thrown);
  return outcome;
}

Result<SyntheticBench*> Laboratory::synthetic() {
  if (!synthetic_) {
    DefaultGraph source{settings_.graph.value_or(""), false};
    if (!settings_.graph) source = default_graph();
    LEEWAY_ASSIGN(const Graph graph, settings_.open(source.source));
    LEEWAY_ASSIGN(synthetic_, SyntheticBench::on(graph, source, *this));
  }
  return &*synthetic_;
}

}  // namespace leeway::replay
