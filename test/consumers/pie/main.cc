// Widest paths as a PIE program: how much can pass from vertex 0 to every other along the best single path.
#include <algorithm>
#include <cstdio>
#include <queue>
#include <utility>
#include <vector>

#include "leeway/graph.h"
#include "leeway/pie.h"

namespace pie = leeway::pie;

class WidestPaths {
 public:
  using Value = double;   // of a vertex that several fragments hold: how much can pass to it
  using Result = double;  // of any vertex
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

int say(const leeway::Error& error) {
  std::fprintf(stderr, "%s\n", error.to_string().c_str());
  return error.exit_code();
}

int main() {
  leeway::LoadOptions load;
  load.weights = leeway::Weights::Random;  // 1 to 100, by the seed
  const auto graph = leeway::generate("grid2d:30x20", load);
  const WidestPaths program;

  // Is it safe to run it without steps? Tried on four fragments of the graph itself.
  leeway::PartitionOptions into;
  into.parts = 4;
  const auto partition = leeway::partition_graph(*graph, into);
  const auto fragments = pie::Fragmentation::make(*graph, *partition, program.needs());
  const auto found = pie::check_conditions(*fragments, program, 20, 1);
  if (!found) return say(found.error());
  if (*found) std::printf("%s fails: %s\n", (*found)->condition.c_str(), (*found)->what.c_str());

  leeway::RunOptions options;
  options.cluster.nodes = 2;
  options.pie.workers = 8;  // fragments, assigned to the nodes in turn
  for (const auto model : {leeway::Scheduler::Bsp, leeway::Scheduler::Aap}) {
    options.pie.schedule.model = model;
    const auto answer = pie::run_pie(*graph, program, options);
    if (!answer) return say(answer.error());
    const double narrowest = *std::min_element(answer->values.begin(), answer->values.end());
    std::printf("%.3s: %zu vertices, the narrowest way is %g wide\n",
                leeway::scheduler_name(model).data(), answer->values.size(), narrowest);
  }
  return 0;
}
