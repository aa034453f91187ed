#include "leeway/benchmarks/peers/peer.h"
#include "leeway/programs/reference/kernels.h"

namespace leeway::peers {
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
