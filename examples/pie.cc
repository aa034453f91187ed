// A PIE program (Fan et al., SIGMOD 2018): how much can pass from vertex 0 to every other along the best single path.
//
//   pie [GRAPH] [FLAG...]      GRAPH: a file or a spec; --help lists the flags
#include <algorithm>
#include <cstdio>
#include <queue>
#include <vector>

#include "leeway/pie.h"
#include "leeway/settings.h"

namespace pie = leeway::pie;

class WidestPaths {
 public:
  using Value = double;   // how much can pass to a vertex that several fragments hold
  using Result = double;  // how much can pass to any vertex
  struct Partial {
    std::vector<double> width;  // by place: the fragment's own vertices, then its copies of others'
  };
  pie::FragmentNeeds needs() const { return {.weights = true}; }
  pie::Candidates candidates() const { return pie::Candidates::Outer; }
  static void aggregate(double& kept, const double& come) { kept = std::max(kept, come); }
  leeway::Work peval(const pie::Fragment& fragment, Partial& partial, pie::Changes& changes) const {
    partial.width.assign(fragment.vertex_count(), 0);
    Widened widened;
    if (const auto source = fragment.find(leeway::VertexId(0)))
      widen(partial, *source, 1000, widened, changes);
    return spread(fragment, partial, widened, changes);
  }
  leeway::Work inceval(const pie::Fragment& fragment, Partial& partial,
                       std::span<pie::Update<double>> updates, pie::Changes& changes) const {
    Widened widened;
    for (const auto& [place, width] : updates) widen(partial, place, width, widened, changes);
    return spread(fragment, partial, widened, changes);
  }
  double parameter(const pie::Fragment&, Partial& partial, pie::Place place) const {
    return partial.width[place];
  }
  double result(const pie::Fragment&, const Partial& partial, pie::Place inner) const {
    return partial.width[inner];
  }

 private:
  using Widened = std::priority_queue<std::pair<double, pie::Place>>;  // the widest first
  static void widen(Partial& partial, pie::Place place, double width, Widened& widened,
                    pie::Changes& changes) {
    if (width <= partial.width[place]) return;
    partial.width[place] = width;
    widened.emplace(width, place);
    changes.mark(place);
  }
  static leeway::Work spread(const pie::Fragment& fragment, Partial& partial, Widened& widened,
                             pie::Changes& changes) {
    leeway::Work work;
    while (!widened.empty()) {
      const auto [width, place] = widened.top();
      widened.pop();
      if (place >= fragment.listed_count() || width < partial.width[place]) continue;
      ++work.vertices;
      const std::uint64_t* const arcs = fragment.offsets() + place;
      for (std::uint64_t arc = arcs[0]; arc < arcs[1]; ++arc, ++work.edges) {
        widen(partial, fragment.targets()[arc], std::min(width, fragment.weights()[arc]), widened,
              changes);
      }
    }
    return work;
  }
};

int main(int argc, char** argv) {
  leeway::Options options(argc, argv, leeway::OwnEngine::Pie);
  options.load.weights = leeway::Weights::Random;  // 1 to 100, by --seed
  const std::string name = options.arguments.empty() ? "grid2d:30x20" : options.arguments[0];
  const auto graph = leeway::value_or_exit(leeway::open_graph(name, options.load));
  const auto answer = leeway::value_or_exit(pie::run_pie(graph, WidestPaths(), options));
  if (!options.first) return 0;
  const double narrowest = *std::min_element(answer.values.begin(), answer.values.end());
  std::printf("%zu vertices, the narrowest way is %g wide\n", answer.values.size(), narrowest);
}
