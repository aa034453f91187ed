// Leeway's PIE programs. A graph is divided and loaded once, as the other contenders load theirs before they
// are timed; what is timed is a query, from the first PEval to the last worker's end.

#include "leeway/base/format.h"
#include "leeway/benchmarks/peers/peer.h"
#include "leeway/benchmarks/peers/pie_queries.h"

namespace leeway::peers {
namespace {

class Pie final : public Peer {
 public:
  Pie(const Graph& graph, std::uint32_t nodes) : nodes_(nodes), queries_(graph, cluster(nodes)) {}

  [[nodiscard]] std::string name() const override {
    return format("leeway pie, {} node{}", nodes_, nodes_ == 1 ? "" : "s");
  }
  [[nodiscard]] std::optional<double> own_seconds() const override { return queries_.seconds(); }
  [[nodiscard]] bool counts_iterations() const override { return false; }

  std::vector<double> pagerank(std::uint32_t iterations) override {
    return queries_.pagerank(iterations);
  }
  std::vector<double> distances(VertexId source) override { return queries_.distances(source); }
  std::vector<std::uint32_t> components() override { return queries_.components(); }

 private:
  static ClusterOptions cluster(std::uint32_t nodes) {
    ClusterOptions options;
    options.fabric = Fabric::Loopback;
    options.nodes = nodes;
    return options;
  }

  std::uint32_t nodes_;
  PieQueries queries_;
};

}  // namespace

std::unique_ptr<Peer> leeway_pie(const Graph& graph, std::uint32_t nodes) {
  return std::make_unique<Pie>(graph, nodes);
}

}  // namespace leeway::peers
