#include "leeway/pie_models.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "base/bytes.h"
#include "base/format.h"

namespace leeway::pie {

namespace {

std::uint32_t worker_of(const std::string& key, std::uint32_t workers) {
  std::uint64_t hash = 0;
  for (const char letter : key) hash = mix64(hash ^ static_cast<unsigned char>(letter));
  return static_cast<std::uint32_t>(hash % workers);
}

class MapReduceProgram {
 public:
  /// Tuples <r, key, value> with equal r, of one worker or several.
  struct Tuples {
    std::uint32_t subroutine = 0;
    std::uint32_t senders = 0;
    KeyValues pairs;
  };
  using Value = std::vector<Tuples>;
  using Result = KeyValues;
  static constexpr bool kAlwaysRests = true;  // after the last subroutine

  struct Partial {
    std::vector<Value> outgoing;              // by place
    std::map<std::uint32_t, Tuples> arrived;  // by subroutine
    std::uint32_t next = 0;                   // the next subroutine to reduce
    KeyValues output;
  };

  explicit MapReduceProgram(const MapReduceJob& job) : job_(job) {}

  [[nodiscard]] FragmentNeeds needs() const { return {}; }
  [[nodiscard]] Candidates candidates() const { return Candidates::Outer; }
  static void aggregate(Value& kept, const Value& come) {
    for (const Tuples& tuples : come) {
      const auto same = std::find_if(kept.begin(), kept.end(), [&](const Tuples& each) {
        return each.subroutine == tuples.subroutine;
      });
      if (same == kept.end()) {
        kept.push_back(tuples);
      } else {
        add(*same, tuples);
      }
    }
  }

  Work peval(const Fragment& fragment, Partial& partial, Changes& changes) const {
    partial.outgoing.resize(fragment.vertex_count());
    const std::uint32_t workers = fragment.fragment_count();
    KeyValues mine;
    for (std::size_t i = fragment.id().index(); i < job_.input.size(); i += workers)
      mine.push_back(job_.input[i]);
    return map(fragment, partial, changes, mine, 0);
  }

  Work inceval(const Fragment& fragment, Partial& partial, std::span<Update<Value>> updates,
               Changes& changes) const {
    for (const Update<Value>& update : updates) {
      for (const Tuples& tuples : update.value) add(partial.arrived[tuples.subroutine], tuples);
    }
    if (!may_reduce(partial)) return {};
    const Tuples all = std::move(partial.arrived.extract(partial.next).mapped());
    std::map<std::string, std::vector<std::string>> groups;
    for (const KeyValue& pair : all.pairs) groups[pair.key].push_back(pair.value);
    KeyValues reduced;
    const auto emit = [&](std::string key, std::string value) {
      reduced.push_back({std::move(key), std::move(value)});
    };
    for (auto& [key, values] : groups) {
      std::sort(values.begin(), values.end());  // independent of the order of arrival
      job_.subroutines[partial.next].reduce(key, values, emit);
    }
    const Work work{.edges = all.pairs.size(), .vertices = groups.size()};
    if (++partial.next == job_.subroutines.size()) {
      partial.output = std::move(reduced);
      return work;
    }
    Work more = map(fragment, partial, changes, reduced, partial.next);
    more.edges += work.edges;
    more.vertices += work.vertices;
    return more;
  }

  [[nodiscard]] Value parameter(const Fragment&, Partial& partial, Place place) const {
    return std::exchange(partial.outgoing[place], {});
  }
  [[nodiscard]] KeyValues result(const Fragment&, const Partial& partial, Place) const {
    return partial.output;
  }
  /// The tuples of the next step may have arrived before those of this one, and a single worker receives no messages.
  [[nodiscard]] bool unfinished(const Partial& partial) const { return may_reduce(partial); }

 private:
  static void add(Tuples& kept, const Tuples& come) {
    kept.subroutine = come.subroutine;
    kept.senders += come.senders;
    kept.pairs.insert(kept.pairs.end(), come.pairs.begin(), come.pairs.end());
  }
  /// Whether the tuples of all workers have arrived. There is one place for each worker.
  [[nodiscard]] static bool may_reduce(const Partial& partial) {
    const auto found = partial.arrived.find(partial.next);
    return found != partial.arrived.end() && found->second.senders == partial.outgoing.size();
  }

  Work map(const Fragment& fragment, Partial& partial, Changes& changes, const KeyValues& pairs,
           std::uint32_t subroutine) const {
    const std::uint32_t workers = fragment.fragment_count();
    std::vector<Tuples> for_worker(workers, Tuples{.subroutine = subroutine, .senders = 1});
    Work work{.vertices = pairs.size()};
    for (const KeyValue& pair : pairs) {
      job_.subroutines[subroutine].map(pair, [&](std::string key, std::string value) {
        ++work.edges;
        const std::uint32_t to = worker_of(key, workers);
        for_worker[to].pairs.push_back({std::move(key), std::move(value)});
      });
    }
    add(partial.arrived[subroutine], for_worker[fragment.id().index()]);
    for (Place p = 1; p < fragment.vertex_count(); ++p) {
      partial.outgoing[p].push_back(std::move(for_worker[fragment.home(p).fragment.index()]));
      changes.mark(p);
    }
    return work;
  }

  const MapReduceJob& job_;
};

}  // namespace

Result<MapReduceAnswer> map_reduce(const MapReduceJob& job, RunOptions options) {
  MapReduceAnswer all;
  if (job.subroutines.empty()) {
    all.output = job.input;
    std::sort(all.output.begin(), all.output.end());
    return all;
  }
  const std::uint32_t workers = options.pie.workers_on(options.cluster.nodes);
  // G_W: one vertex for each worker, all joined.
  LEEWAY_ASSIGN(const Graph graph, generate(format("complete:{}", workers), {}));
  Partition partition;
  partition.part_count = workers;
  std::vector<PartId> owners;
  for (std::uint32_t worker = 0; worker < workers; ++worker) owners.emplace_back(worker);
  LEEWAY_ASSIGN(partition.owner, Array<PartId>::copy_of(owners));
  options.divided = std::make_shared<Partition>(std::move(partition));
  options.pie.cut = Cut::Edge;
  options.pie.hops = 0;
  LEEWAY_ASSIGN(auto answer, run_pie(graph, MapReduceProgram(job), options));
  for (KeyValues& part : answer.values)
    all.output.insert(all.output.end(), part.begin(), part.end());
  std::sort(all.output.begin(), all.output.end());
  all.record = std::move(answer.record);
  return all;
}

}  // namespace leeway::pie
