#include <igraph.h>

#include "base/check.h"
#include "benchmarks/peers/peer.h"

namespace leeway::peers {
namespace {

void must(igraph_error_t outcome) { LEEWAY_CHECK(outcome == IGRAPH_SUCCESS, outcome); }

class Igraph final : public Peer {
 public:
  explicit Igraph(const Graph& graph) : count_(graph.vertex_count()) {
    igraph_vector_int_t ends;
    must(igraph_vector_int_init(&ends, 0));
    must(igraph_vector_init(&lengths_, 0));
    for (VertexId v(0); v.value() < count_; v = v.next()) {
      const auto neighbors = graph.neighbors(v);
      for (std::size_t i = 0; i < neighbors.size(); ++i) {
        if (!graph.directed() && neighbors[i] < v) continue;
        must(igraph_vector_int_push_back(&ends, v.value()));
        must(igraph_vector_int_push_back(&ends, neighbors[i].value()));
        must(igraph_vector_push_back(&lengths_, graph.weighted() ? graph.weights(v)[i] : 1.0));
      }
    }
    must(igraph_create(&graph_, &ends, count_, graph.directed()));
    igraph_vector_int_destroy(&ends);
  }
  ~Igraph() override {
    igraph_vector_destroy(&lengths_);
    igraph_destroy(&graph_);
  }
  Igraph(const Igraph&) = delete;
  Igraph& operator=(const Igraph&) = delete;

  [[nodiscard]] std::string name() const override { return "igraph"; }
  [[nodiscard]] bool counts_iterations() const override { return false; }

  std::vector<double> pagerank(std::uint32_t) override {
    igraph_vector_t ranks;
    igraph_real_t eigenvalue = 0;
    must(igraph_vector_init(&ranks, count_));
    must(igraph_pagerank(&graph_, IGRAPH_PAGERANK_ALGO_PRPACK, &ranks, &eigenvalue,
                         igraph_vss_all(), true, 0.85, nullptr, nullptr));
    std::vector<double> result(VECTOR(ranks), VECTOR(ranks) + count_);
    igraph_vector_destroy(&ranks);
    return result;
  }

  std::vector<double> distances(VertexId source) override {
    igraph_matrix_t rows;
    must(igraph_matrix_init(&rows, 0, 0));
    must(igraph_distances_dijkstra(&graph_, &rows, igraph_vss_1(source.value()), igraph_vss_all(),
                                   &lengths_, IGRAPH_OUT));
    std::vector<double> result(count_);
    for (std::uint32_t v = 0; v < count_; ++v) result[v] = MATRIX(rows, 0, v);
    igraph_matrix_destroy(&rows);
    return result;
  }

  std::vector<std::uint32_t> components() override {
    igraph_vector_int_t labels;
    must(igraph_vector_int_init(&labels, 0));
    must(igraph_connected_components(&graph_, &labels, nullptr, nullptr, IGRAPH_WEAK));
    std::vector<std::uint32_t> result(count_);
    for (std::uint32_t v = 0; v < count_; ++v) {
      result[v] = static_cast<std::uint32_t>(VECTOR(labels)[v]);
    }
    igraph_vector_int_destroy(&labels);
    return result;
  }

 private:
  std::uint32_t count_;
  igraph_t graph_{};
  igraph_vector_t lengths_{};
};

}  // namespace

std::unique_ptr<Peer> igraph_library(const Graph& graph) { return std::make_unique<Igraph>(graph); }

}  // namespace leeway::peers
