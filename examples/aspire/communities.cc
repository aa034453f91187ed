// CD: every vertex takes the label most frequent among its own and its neighbours', the smallest of equally frequent ones.
#include <vector>

#include "example.h"

struct Communities {
  using Value = std::uint32_t;
  static constexpr leeway::Reads kReads = leeway::Reads::Both;

  std::uint32_t init(leeway::VertexId v) const { return v.value(); }
  void do_work(const leeway::Vertex<Value>& curr, leeway::VertexMemory<Value>& dsm) const {
    if (curr.degree() == 0) return;
    leeway::Scratch<std::uint32_t, Communities> scratch;
    std::vector<std::uint32_t>& labels = *scratch;
    labels.push_back(DSM_FETCH(dsm, curr.object()));
    for (const leeway::Related r : curr.related()) labels.push_back(DSM_FETCH(dsm, r));
    std::sort(labels.begin(), labels.end());
    std::uint32_t best = labels.front();
    std::ptrdiff_t most = 0;
    for (auto at = labels.begin(); at != labels.end();) {
      const auto end = std::upper_bound(at, labels.end(), *at);
      if (end - at > most) best = *at;
      most = std::max(most, end - at);
      at = end;
    }
    DSM_STORE(dsm, curr.object(), best);
  }
};

int main(int count, char** words) {
  leeway::LoadOptions load;
  load.direction = leeway::Direction::Undirected;
  return aspire::run(count, words, load, [](const leeway::Graph&) { return Communities(); });
}
