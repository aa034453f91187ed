#include "programs/pie/map_reduce.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "base/bytes.h"
#include "base/check.h"
#include "datasets/build_graph.h"

namespace leeway::pie {

namespace {

std::uint32_t worker_of(const std::string& key, std::uint32_t workers) {
  std::uint64_t hash = 0;
  for (const char letter : key) hash = mix64(hash ^ static_cast<unsigned char>(letter));
  return static_cast<std::uint32_t>(hash % workers);
}

void write_text(const std::string& text, ByteWriter& out) {
  out.varint(text.size());
  out.raw(std::as_bytes(std::span(text)));
}

void read_text(ByteReader& in, std::string& text) {
  const auto bytes = in.raw(in.varint());
  text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

class MapReduceProgram {
 public:
  /// Tuples <r, key, value> with equal r.
  struct Tuples {
    std::uint32_t subroutine = 0;
    KeyValues pairs;
  };
  using Value = Tuples;
  using Result = KeyValues;
  static constexpr bool kAlwaysRests = true;  // after the last subroutine

  struct Partial {
    std::vector<Tuples> outgoing;  // by place
    KeyValues output;
  };

  explicit MapReduceProgram(const MapReduceJob& job) : job_(job) {}

  [[nodiscard]] FragmentNeeds needs() const { return {}; }
  [[nodiscard]] Candidates candidates() const { return Candidates::Outer; }
  static void aggregate(Tuples& kept, const Tuples& come) {
    LEEWAY_CHECK(kept.subroutine == come.subroutine);
    kept.pairs.insert(kept.pairs.end(), come.pairs.begin(), come.pairs.end());
  }
  static void write(const Tuples& tuples, ByteWriter& out) {
    out.varint(tuples.subroutine);
    write(tuples.pairs, out);
  }
  static void read(ByteReader& in, Tuples& tuples) {
    tuples.subroutine = static_cast<std::uint32_t>(in.varint());
    read(in, tuples.pairs);
  }
  static void write(const KeyValues& pairs, ByteWriter& out) {
    out.varint(pairs.size());
    for (const KeyValue& pair : pairs) {
      write_text(pair.key, out);
      write_text(pair.value, out);
    }
  }
  static void read(ByteReader& in, KeyValues& pairs) {
    pairs.resize(static_cast<std::size_t>(in.varint_up_to(in.left())));
    for (KeyValue& pair : pairs) {
      read_text(in, pair.key);
      read_text(in, pair.value);
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

  /// A worker's tuples for itself are in `outgoing`; all others arrive in messages.
  Work inceval(const Fragment& fragment, Partial& partial, std::span<Update<Tuples>> updates,
               Changes& changes) const {
    Tuples all = std::exchange(partial.outgoing[0], {});
    for (Update<Tuples>& update : updates) {
      all.subroutine = update.value.subroutine;
      all.pairs.insert(all.pairs.end(), update.value.pairs.begin(), update.value.pairs.end());
    }
    std::map<std::string, std::vector<std::string>> groups;
    for (KeyValue& pair : all.pairs) groups[pair.key].push_back(std::move(pair.value));
    KeyValues reduced;
    const auto emit = [&](std::string key, std::string value) {
      reduced.push_back({std::move(key), std::move(value)});
    };
    for (auto& [key, values] : groups) {
      std::sort(values.begin(), values.end());  // independent of the order of arrival
      job_.subroutines[all.subroutine].reduce(key, values, emit);
    }
    const Work work{.edges = all.pairs.size(), .vertices = groups.size()};
    if (all.subroutine + 1 == job_.subroutines.size()) {
      partial.output = std::move(reduced);
      return work;
    }
    Work more = map(fragment, partial, changes, reduced, all.subroutine + 1);
    more.edges += work.edges;
    more.vertices += work.vertices;
    return more;
  }

  [[nodiscard]] Tuples parameter(const Fragment&, Partial& partial, Place place) const {
    return std::exchange(partial.outgoing[place], {});
  }
  [[nodiscard]] KeyValues result(const Fragment&, const Partial& partial, Place) const {
    return partial.output;
  }
  /// Every worker reduces in every step, even if only its own tuples exist.
  [[nodiscard]] bool unfinished(const Partial& partial) const {
    return !partial.outgoing.empty() && !partial.outgoing[0].pairs.empty();
  }

 private:
  Work map(const Fragment& fragment, Partial& partial, Changes& changes, const KeyValues& pairs,
           std::uint32_t subroutine) const {
    const std::uint32_t workers = fragment.fragment_count();
    std::vector<Place> place_of(workers, 0);
    for (Place p = 1; p < fragment.vertex_count(); ++p) {
      place_of[fragment.home(p).fragment.index()] = p;
      // Every worker receives a message in every step, which may be empty.
      partial.outgoing[p].subroutine = subroutine;
      changes.mark(p);
    }
    partial.outgoing[0].subroutine = subroutine;
    Work work{.vertices = pairs.size()};
    for (const KeyValue& pair : pairs) {
      job_.subroutines[subroutine].map(pair, [&](std::string key, std::string value) {
        ++work.edges;
        const std::uint32_t to = worker_of(key, workers);
        partial.outgoing[place_of[to]].pairs.push_back({std::move(key), std::move(value)});
      });
    }
    return work;
  }

  const MapReduceJob& job_;
};

/// G_W: one vertex per worker, all pairs connected.
Result<Graph> clique(std::uint32_t workers) {
  EdgeChunkBuilder builder;
  for (std::uint32_t a = 0; a < workers; ++a) {
    for (std::uint32_t b = a + 1; b < workers; ++b) builder.add(VertexId(a), VertexId(b));
  }
  EdgeList list;
  LEEWAY_ASSIGN(auto chunk, builder.finish());
  list.chunks.push_back(std::move(chunk));
  GraphShape shape;
  shape.vertex_count = workers;
  shape.directed = false;
  shape.names = VertexNames::sequence(0, workers);
  return build_graph(std::move(list), std::move(shape), LoadOptions{});
}

}  // namespace

Result<KeyValues> map_reduce(const MapReduceJob& job, RunOptions options) {
  if (job.subroutines.empty()) return job.input;
  const std::uint32_t workers = options.pie.workers_on(options.cluster.nodes);
  LEEWAY_ASSIGN(const Graph graph, clique(workers));
  Partition partition;
  partition.part_count = workers;
  std::vector<PartId> owners;
  for (std::uint32_t worker = 0; worker < workers; ++worker) owners.emplace_back(worker);
  LEEWAY_ASSIGN(partition.owner, Array<PartId>::copy_of(owners));
  options.divided = std::make_shared<Partition>(std::move(partition));
  options.pie.schedule = {.model = Scheduler::Bsp};
  LEEWAY_ASSIGN(auto answer, run_pie(graph, MapReduceProgram(job), options));
  KeyValues all;
  for (KeyValues& part : answer.values) all.insert(all.end(), part.begin(), part.end());
  std::sort(all.begin(), all.end());
  return all;
}

MapReduceJob word_count(const std::vector<std::string>& lines) {
  MapReduceJob job;
  for (const std::string& line : lines) job.input.push_back({"", line});
  job.subroutines.push_back(
      {.map =
           [](const KeyValue& pair, const Emit& emit) {
             std::istringstream words(pair.value);
             for (std::string word; words >> word;) emit(word, "1");
           },
       .reduce = [](const std::string& key, const std::vector<std::string>& values,
                    const Emit& emit) { emit(key, std::to_string(values.size())); }});
  return job;
}

MapReduceJob equi_join(const KeyValues& left, const KeyValues& right) {
  MapReduceJob job;
  for (const KeyValue& pair : left) job.input.push_back({pair.key, "l" + pair.value});
  for (const KeyValue& pair : right) job.input.push_back({pair.key, "r" + pair.value});
  job.subroutines.push_back(
      {.map = [](const KeyValue& pair, const Emit& emit) { emit(pair.key, pair.value); },
       .reduce =
           [](const std::string& key, const std::vector<std::string>& values, const Emit& emit) {
             for (const std::string& a : values) {
               if (a.front() != 'l') continue;
               for (const std::string& b : values) {
                 if (b.front() == 'r') emit(key, a.substr(1) + " " + b.substr(1));
               }
             }
           }});
  return job;
}

MapReduceJob prefix_sums(const std::vector<std::int64_t>& numbers) {
  MapReduceJob job;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    job.input.push_back({std::to_string(i), std::to_string(numbers[i])});
  const std::size_t count = numbers.size();
  // A PRAM step: cell i sends its number to itself and to cell i + distance, which adds them.
  for (std::size_t distance = 1; distance < std::max<std::size_t>(count, 2); distance *= 2) {
    job.subroutines.push_back(
        {.map =
             [distance, count](const KeyValue& pair, const Emit& emit) {
               emit(pair.key, pair.value);
               const std::size_t to = std::stoull(pair.key) + distance;
               if (to < count) emit(std::to_string(to), pair.value);
             },
         .reduce =
             [](const std::string& key, const std::vector<std::string>& values, const Emit& emit) {
               std::int64_t sum = 0;
               for (const std::string& value : values) sum += std::stoll(value);
               emit(key, std::to_string(sum));
             }});
  }
  return job;
}

}  // namespace leeway::pie
