#include "base/check.h"
#include "base/format.h"
#include "benchmarks/peers/peer.h"
#include "programs/catalog/program.h"
#include "programs/reference/kernels.h"

namespace leeway::peers {
namespace {

class Leeway final : public Peer {
 public:
  Leeway(const Graph& graph, std::uint32_t nodes, std::string mode, unsigned threads)
      : graph_(graph), mode_(std::move(mode)) {
    options_.vertex.threads = threads;
    options_.cluster.fabric = Fabric::Loopback;
    options_.cluster.nodes = nodes;
    options_.cluster.policy = parse_policy(mode_).value();
    options_.partition.parts = nodes;
    if (nodes > 1)  // once for all questions
      options_.divided =
          std::make_shared<const Partition>(partition_graph(graph, options_.partition).value());
  }
  [[nodiscard]] std::string name() const override {
    if (options_.vertex.threads == 0) return "leeway, all cores";
    if (options_.cluster.nodes == 1) return "leeway, 1 node";
    return format("leeway, {} nodes, {}", options_.cluster.nodes, mode_);
  }
  [[nodiscard]] std::optional<double> own_seconds() const override { return seconds_; }

  std::vector<double> pagerank(std::uint32_t iterations) override {
    RunOptions options = options_;
    options.vertex.iterations = iterations;
    return std::get<std::vector<double>>(answer("pagerank", {}, options).by_vertex);
  }
  std::vector<double> distances(VertexId source) override {
    ProgramParameters parameters;
    parameters.source = source;
    return std::get<std::vector<double>>(answer("sssp", parameters, options_).by_vertex);
  }
  std::vector<std::uint32_t> components() override {
    const auto values = std::get<std::vector<std::uint64_t>>(answer("cc", {}, options_).by_vertex);
    return {values.begin(), values.end()};
  }

 private:
  ProgramValues answer(std::string_view name, const ProgramParameters& parameters,
                       const RunOptions& options) {
    const EngineRun* program = find_run(name, EngineName::Vertex);
    LEEWAY_CHECK(program != nullptr);
    auto run = program->run(graph_, parameters, options);
    LEEWAY_CHECK(run.has_value(), run ? std::string() : run.error().to_string());
    seconds_ = run->record.phases.compute;
    return std::move(run->values);
  }

  const Graph& graph_;
  std::string mode_;
  RunOptions options_;
  double seconds_ = 0;
};

}  // namespace

std::unique_ptr<Peer> leeway_cluster(const Graph& graph, std::uint32_t nodes, std::string mode,
                                     unsigned threads) {
  return std::make_unique<Leeway>(graph, nodes, std::move(mode), threads);
}

namespace {

class Tuned final : public Peer {
 public:
  explicit Tuned(const Graph& graph) : graph_(graph), pagerank_(graph), stepping_(graph) {}
  [[nodiscard]] std::string name() const override { return "tuned kernels"; }
  std::vector<double> pagerank(std::uint32_t iterations) override {
    return pagerank_.run(iterations);
  }
  std::vector<double> distances(VertexId source) override { return stepping_.run(source); }
  std::vector<std::uint32_t> components() override { return reference::sampled_components(graph_); }

 private:
  const Graph& graph_;
  reference::PullPageRank pagerank_;
  reference::DeltaStepping stepping_;
};

}  // namespace

std::unique_ptr<Peer> tuned_kernels(const Graph& graph) { return std::make_unique<Tuned>(graph); }

}  // namespace leeway::peers
