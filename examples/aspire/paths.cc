// NP: the number of paths from the first vertex. A walk that reaches a vertex again has passed through a cycle, and the count
// is infinite from there on; docs/programs.md describes the detection.
#include <bit>
#include <limits>

#include "example.h"

struct Counted {
  std::uint64_t count = 0;
  std::uint32_t length = 0;  // length of the longest walk
  std::uint32_t mark = 0;    // a vertex of that walk
  friend bool operator==(const Counted&, const Counted&) = default;
};
constexpr std::uint64_t kEndless = std::numeric_limits<std::uint64_t>::max();

struct Paths {
  using Value = Counted;
  static constexpr bool kAlwaysRests = true;
  std::uint32_t vertices = 0;

  Counted init(leeway::VertexId v) const {
    return v == leeway::VertexId(0) ? Counted{1, 0, 0} : Counted{};
  }
  void do_work(const leeway::Vertex<Value>& curr, leeway::VertexMemory<Value>& dsm) const {
    const std::uint32_t own = curr.id().value();
    if (own == 0 || DSM_FETCH(dsm, curr.object()).count == kEndless) return;
    Counted now;
    for (const leeway::Related r : curr.related()) {
      const Counted from = DSM_FETCH(dsm, r);
      if (from.count == 0) continue;
      const bool fits = from.count <= kEndless / 2 - now.count;
      now.count = now.count != kEndless && fits ? now.count + from.count : kEndless;
      if (from.length >= now.length) now = {now.count, from.length + 1, from.mark};
    }
    if (now.count == 0) return;
    if (now.count == kEndless || now.mark == own || now.length >= vertices)
      now = {kEndless, 0, 0};
    else if (std::has_single_bit(now.length))
      now.mark = own;
    DSM_STORE(dsm, curr.object(), now);
  }
  std::uint64_t result(const leeway::Vertex<Value>& vertex) const { return vertex.value().count; }
};

int main(int count, char** words) {
  return aspire::run(
      count, words, {}, [](const leeway::Graph& graph) { return Paths{graph.vertex_count()}; },
      [](const auto& counts, leeway::VertexId v) {
        const std::uint64_t paths = counts[v.index()];
        return paths == kEndless ? "more than 9223372036854775807" : std::to_string(paths);
      });
}
