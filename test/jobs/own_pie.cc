// A PIE program without `peval_from`, whose partial result saves itself, in a job whose processes may be lost: the
// smallest vertex that reaches each vertex, with slow rounds.
//
//   own-pie [FLAG...]      as --snapshot FOLDER --snapshot-every 0.02s
#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "leeway/graph.h"
#include "leeway/pie.h"
#include "leeway/settings.h"
#include "test/jobs/two_runs.h"

namespace {

using namespace leeway;

class Smallest {
 public:
  using Value = std::uint32_t;
  using Result = std::uint32_t;
  class Partial {
   public:
    std::vector<std::uint32_t>& best() { return best_; }
    [[nodiscard]] const std::vector<std::uint32_t>& best() const { return best_; }
    void save(ByteWriter& out) const { save_all(out, best_); }
    void load(ByteReader& in) { load_all(in, best_); }

   private:
    std::vector<std::uint32_t> best_;
  };
  [[nodiscard]] pie::FragmentNeeds needs() const { return {}; }
  [[nodiscard]] pie::Candidates candidates() const { return pie::Candidates::Outer; }
  static void aggregate(Value& kept, const Value& come) { kept = std::min(kept, come); }
  Work peval(const pie::Fragment& fragment, Partial& partial, pie::Changes& changes) const {
    for (pie::Place p = 0; p < fragment.vertex_count(); ++p)
      partial.best().push_back(fragment.vertex(p).value());
    std::vector<pie::Place> all;
    for (pie::Place p = 0; p < fragment.listed_count(); ++p) all.push_back(p);
    return spread(fragment, partial, std::move(all), changes);
  }
  Work inceval(const pie::Fragment& fragment, Partial& partial,
               std::span<pie::Update<Value>> updates, pie::Changes& changes) const {
    std::vector<pie::Place> improved;
    for (const auto& update : updates) {
      if (update.value >= partial.best()[update.place]) continue;
      partial.best()[update.place] = update.value;
      improved.push_back(update.place);
    }
    return spread(fragment, partial, std::move(improved), changes);
  }
  [[nodiscard]] Value parameter(const pie::Fragment&, const Partial& partial,
                                pie::Place place) const {
    return partial.best()[place];
  }
  [[nodiscard]] Result result(const pie::Fragment&, const Partial& partial,
                              pie::Place place) const {
    return partial.best()[place];
  }

 private:
  static Work spread(const pie::Fragment& fragment, Partial& partial,
                     std::vector<pie::Place> pending, pie::Changes& changes) {
    std::this_thread::sleep_for(std::chrono::milliseconds(4));
    while (!pending.empty()) {
      const pie::Place from = pending.back();
      pending.pop_back();
      if (from >= fragment.listed_count()) continue;
      for (std::uint64_t arc = fragment.offsets()[from]; arc < fragment.offsets()[from + 1];
           ++arc) {
        const pie::Place to = fragment.targets()[arc];
        if (partial.best()[to] <= partial.best()[from]) continue;
        partial.best()[to] = partial.best()[from];
        changes.mark(to);
        pending.push_back(to);
      }
    }
    return {};
  }
};

}  // namespace

int main(int count, char** words) {
  Options options(count, words, OwnEngine::Pie);
  const Graph graph = value_or_exit(open_graph("grid2d:60x60"));
  options.partition.method = PartitionMethod::Hash;
  options.pie.workers = 5;
  options.pie.schedule.model = Scheduler::Aap;
  auto session = value_or_exit(pie::Session::open(graph, Smallest().needs(), options));
  return run_twice(graph, options.first, [&] { return value_or_exit(session.ask(Smallest())); });
}
