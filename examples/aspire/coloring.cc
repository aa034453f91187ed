// GC: a colour that no neighbour has. If two neighbours have the same colour, the one with the greater number takes another.
#include <limits>
#include <vector>

#include "example.h"

struct Coloured {
  std::uint32_t colour = std::numeric_limits<std::uint32_t>::max();  // none yet
  std::uint32_t vertex = 0;
  friend bool operator==(const Coloured&, const Coloured&) = default;
};

struct Coloring {
  using Value = Coloured;
  static constexpr leeway::Reads kReads = leeway::Reads::Both;
  static constexpr bool kDropLoops = true;
  static constexpr bool kAlwaysRests = true;

  Coloured init(leeway::VertexId v) const { return {.vertex = v.value()}; }
  void do_work(const leeway::Vertex<Value>& curr, leeway::VertexMemory<Value>& dsm) const {
    Coloured own = DSM_FETCH(dsm, curr.object());
    bool clash = own.colour == Coloured().colour;
    leeway::Scratch<bool, Coloring> scratch;
    std::vector<bool>& taken = *scratch;
    taken.assign(curr.degree() + 1, false);
    for (const leeway::Related r : curr.related()) {
      const Coloured other = DSM_FETCH(dsm, r);
      if (other.colour < taken.size()) taken[other.colour] = true;
      clash = clash || (other.colour == own.colour && other.vertex < own.vertex);
    }
    if (!clash) return;
    own.colour =
        static_cast<std::uint32_t>(std::find(taken.begin(), taken.end(), false) - taken.begin());
    DSM_STORE(dsm, curr.object(), own);
  }
  std::uint32_t result(const leeway::Vertex<Value>& vertex) const { return vertex.value().colour; }
};

int main(int count, char** words) {
  leeway::LoadOptions load;
  load.direction = leeway::Direction::Undirected;
  return aspire::run(count, words, load, [](const leeway::Graph&) { return Coloring(); });
}
