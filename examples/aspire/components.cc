// CC: for each vertex, the smallest vertex connected to it, ignoring the direction of the arcs.
#include "example.h"

struct Components {
  using Value = std::uint32_t;
  static constexpr leeway::Reads kReads = leeway::Reads::Both;
  static constexpr bool kAlwaysRests = true;

  std::uint32_t init(leeway::VertexId v) const { return v.value(); }
  void do_work(const leeway::Vertex<Value>& curr, leeway::VertexMemory<Value>& dsm) const {
    std::uint32_t least = DSM_FETCH(dsm, curr.object());
    for (const leeway::Related r : curr.related()) least = std::min(least, DSM_FETCH(dsm, r));
    DSM_STORE(dsm, curr.object(), least);
  }
};

int main(int count, char** words) {
  return aspire::run(
      count, words, {}, [](const leeway::Graph&) { return Components(); },
      [](const auto& labels, leeway::VertexId v) { return labels[v.index()]; });
}
