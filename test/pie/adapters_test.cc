// Other computations on the engine (map/reduce, PRAM), and the checker of the conditions for
// convergence.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <sstream>

#include "leeway/pie.h"
#include "leeway/pie_models.h"
#include "programs/cc/pie.h"
#include "programs/cf/pie.h"
#include "programs/pagerank/pie.h"
#include "programs/reference/oracles.h"
#include "programs/sssp/pie.h"
#include "test/support/small_graphs.h"

using namespace leeway;
using namespace leeway::pie;
using leeway::testing::random_graph;

namespace {

RunOptions on_sim(std::uint32_t nodes, std::uint32_t workers) {
  RunOptions options;
  options.cluster.fabric = Fabric::Sim;
  options.cluster.nodes = nodes;
  options.cluster.network = parse_profile("ec2").value();
  options.pie.workers = workers;
  return options;
}

Fragmentation divided(const Graph& graph, const FragmentNeeds& needs, std::uint32_t parts) {
  PartitionOptions how;
  how.method = PartitionMethod::Hash;
  how.parts = parts;
  return Fragmentation::make(graph, partition_graph(graph, how).value(), needs).value();
}

/// Counts how often a vertex is mentioned, so its value rises where it must fall.
class Grudge : public pie::PieComponents {
 public:
  Work inceval(const Fragment& fragment, Partial& partial, std::span<Update<Value>> updates,
               Changes& changes) const {
    const Work work = pie::PieComponents::inceval(fragment, partial, updates, changes);
    for (const auto& update : updates) partial.cid[partial.root[update.place]] += 1;
    return work;
  }
};

/// Ignores all but the worst messages if there are many: contracting, but not monotonic.
class Moody : public pie::PieComponents {
 public:
  Work inceval(const Fragment& fragment, Partial& partial, std::span<Update<Value>> updates,
               Changes& changes) const {
    const std::size_t heard = updates.size() > 6 ? 0 : updates.size();
    return pie::PieComponents::inceval(fragment, partial, updates.first(heard), changes);
  }
};

/// A complete user program: the largest vertex that reaches each vertex along arcs.
struct Largest {
  using Value = std::uint32_t;
  using Result = std::uint32_t;
  struct Partial {
    std::vector<std::uint32_t> best;
  };
  [[nodiscard]] FragmentNeeds needs() const { return {}; }
  [[nodiscard]] Candidates candidates() const { return Candidates::Outer; }
  static void aggregate(Value& kept, const Value& come) { kept = std::max(kept, come); }
  Work peval(const Fragment& fragment, Partial& partial, Changes& changes) const {
    std::vector<Place> all(fragment.listed_count());
    std::iota(all.begin(), all.end(), 0);
    for (Place p = 0; p < fragment.vertex_count(); ++p)
      partial.best.push_back(p < fragment.inner_count() ? fragment.vertex(p).value() : 0);
    return spread(fragment, partial, changes, all);
  }
  Work inceval(const Fragment& fragment, Partial& partial, std::span<Update<Value>> updates,
               Changes& changes) const {
    std::vector<Place> raised;
    for (const auto& update : updates) {
      if (update.value <= partial.best[update.place]) continue;
      partial.best[update.place] = update.value;
      raised.push_back(update.place);
    }
    return spread(fragment, partial, changes, raised);
  }
  [[nodiscard]] Value parameter(const Fragment&, Partial& partial, Place place) const {
    return partial.best[place];
  }
  [[nodiscard]] Result result(const Fragment&, const Partial& partial, Place inner) const {
    return partial.best[inner];
  }
  static Work spread(const Fragment& fragment, Partial& partial, Changes& changes,
                     std::vector<Place> stack) {
    Work work;
    while (!stack.empty()) {
      const Place v = stack.back();
      stack.pop_back();
      for (auto arc = fragment.offsets()[v]; arc < fragment.offsets()[v + std::size_t{1}]; ++arc) {
        ++work.edges;
        const Place to = fragment.targets()[arc];
        if (partial.best[to] >= partial.best[v]) continue;
        partial.best[to] = partial.best[v];
        if (fragment.is_inner(to)) {
          stack.push_back(to);
        } else {
          changes.mark(to);
        }
      }
    }
    return work;
  }
};

/// Users' ratings of items; both are numbered from 0, and item vertices follow the users.
Graph rated(EdgeChunkBuilder& builder, std::uint32_t users, std::uint32_t items) {
  EdgeList list;
  list.chunks.push_back(builder.finish().value());
  list.weight_kind = WeightKind::Real;
  GraphShape shape;
  shape.vertex_count = users + items;
  shape.directed = false;
  shape.left_count = users;
  shape.names = VertexNames::sequence(0, users + items);
  return build_graph(std::move(list), std::move(shape), LoadOptions{}).value();
}

Graph ratings() {
  EdgeChunkBuilder builder;
  Random random(4, 1);
  constexpr std::uint32_t kUsers = 300;
  constexpr std::uint32_t kItems = 40;
  std::vector<double> taste(kUsers + kItems);
  for (double& each : taste) each = 0.5 + random.unit();
  for (std::uint32_t user = 0; user < kUsers; ++user) {
    for (std::uint32_t i = 0; i < 20; ++i) {
      const auto item = kUsers + static_cast<std::uint32_t>((user + i * 3) % kItems);
      builder.add(VertexId(user), VertexId(item),
                  3 * taste[user] * taste[item] + 0.2 * random.unit());
    }
  }
  return rated(builder, kUsers, kItems);
}

/// Ratings that one factor cannot describe: each user likes one half of the items or the other.
Graph two_tastes(std::uint32_t users, std::uint32_t items) {
  EdgeChunkBuilder builder;
  Random random(9, 1);
  for (std::uint32_t user = 0; user < users; ++user) {
    for (std::uint32_t i = 0; i < 12; ++i) {
      const std::uint32_t item = (user + i * 7) % items;
      const bool liked = user % 2 == item % 2;
      builder.add(VertexId(user), VertexId(users + item), (liked ? 4 : 1) + 0.5 * random.unit());
    }
  }
  return rated(builder, users, items);
}

}  // namespace

namespace {

constexpr Scheduler kModels[] = {Scheduler::Bsp, Scheduler::Ap, Scheduler::Ssp, Scheduler::Aap,
                                 Scheduler::Hsync};

Schedule schedule_by(Scheduler model) { return {.model = model, .bound = 2}; }

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

/// Pairs of the values of a key that is in both relations: "left right".
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

/// Each subroutine moves every number to another key and doubles it.
MapReduceJob doubled(std::uint32_t numbers, std::uint32_t subroutines) {
  MapReduceJob job;
  for (std::uint32_t i = 0; i < numbers; ++i)
    job.input.push_back({std::to_string(i), std::to_string(i)});
  const Subroutine each = {
      .map =
          [numbers](const KeyValue& pair, const Emit& emit) {
            const auto to = (std::stoul(pair.key) * 7 + 1) % numbers;
            emit(std::to_string(to), std::to_string(2 * std::stoull(pair.value)));
          },
      .reduce =
          [](const std::string& key, const std::vector<std::string>& values, const Emit& emit) {
            for (const std::string& value : values) emit(key, value);
          }};
  job.subroutines.assign(subroutines, each);
  return job;
}

/// Prefix sums in log n steps: processor i adds the number of cell i - reach to that of cell i. A pass takes two steps.
PramProgram prefix_sums(const std::vector<std::int64_t>& numbers) {
  const auto count = static_cast<std::uint32_t>(numbers.size());
  PramProgram program{.processors = count, .registers = 1, .steps = 0, .memory = numbers};
  for (std::uint32_t reach = 1; reach < count; reach *= 2) program.steps += 2;
  program.read = [](const PramView& at) -> std::optional<std::uint64_t> {
    const std::uint32_t reach = 1U << at.step / 2;
    if (at.step % 2 == 0) return at.processor;
    if (at.processor < reach) return std::nullopt;
    return at.processor - reach;
  };
  program.compute = [](const PramView& at, std::optional<std::int64_t> value) {
    std::optional<PramWrite> write;
    if (at.step % 2 == 0) {
      at.registers[0] = *value;
    } else if (value) {
      write = PramWrite{at.processor, at.registers[0] + *value};
    }
    return write;
  };
  return program;
}

}  // namespace

TEST_CASE("map and reduce count words, on every number of workers and under every model") {
  const std::vector<std::string> lines = {"a rose is a rose", "is a rose", "", "tulip"};
  const KeyValues expected = {{"a", "3"}, {"is", "2"}, {"rose", "3"}, {"tulip", "1"}};
  for (const std::uint32_t workers : {1U, 3U, 8U}) {
    for (const Scheduler model : kModels) {
      RunOptions options = on_sim(2, workers);
      options.pie.schedule = schedule_by(model);
      const auto counted = map_reduce(word_count(lines), options);
      REQUIRE(counted.has_value());
      CHECK(counted->output == expected);
    }
  }
}

TEST_CASE("map and reduce join two relations by key") {
  const auto joined =
      map_reduce(equi_join({{"1", "ann"}, {"2", "bob"}, {"1", "amy"}}, {{"1", "x"}, {"3", "y"}}),
                 on_sim(3, 3));
  REQUIRE(joined.has_value());
  CHECK(joined->output == KeyValues{{"1", "amy x"}, {"1", "ann x"}});
}

// Theorem 4.10: a job of k subroutines takes O(k) rounds and sends what its mappers emit.
TEST_CASE("a job of k subroutines takes k + 1 rounds, and a message a round to each other worker") {
  const std::uint32_t subroutines = GENERATE(1U, 2U, 5U, 12U);
  const std::uint32_t workers = GENERATE(1U, 4U, 7U);
  KeyValues first;
  for (const Scheduler model : kModels) {
    RunOptions options = on_sim(3, workers);
    options.pie.schedule = schedule_by(model);
    const auto answer = map_reduce(doubled(40, subroutines), options);
    REQUIRE(answer.has_value());
    if (model == Scheduler::Bsp) first = answer->output;
    CHECK(answer->output == first);
    const std::uint64_t sent = answer->record.messages();
    CHECK(sent == std::uint64_t{subroutines} * workers * (workers - 1));
    const std::uint64_t rounds = answer->record.count(Counter::MostRounds);
    if (model == Scheduler::Bsp) CHECK(rounds == subroutines + 1);
    // At worst, every message starts a round.
    CHECK(rounds >= subroutines + 1);
    CHECK(rounds <= subroutines * workers + 1);
  }
}

TEST_CASE("a PRAM program sums prefixes through map and reduce, in two rounds a step") {
  std::vector<std::int64_t> numbers(37);
  std::iota(numbers.begin(), numbers.end(), -9);
  std::vector<std::int64_t> expected(numbers.size());
  std::partial_sum(numbers.begin(), numbers.end(), expected.begin());
  const PramProgram program = prefix_sums(numbers);
  REQUIRE(program.steps == 12);
  for (const Scheduler model : kModels) {
    RunOptions options = on_sim(3, 5);
    options.pie.schedule = schedule_by(model);
    const auto sums = run_pram(program, options);
    REQUIRE(sums.has_value());
    CHECK(sums->memory == expected);
    if (model == Scheduler::Bsp)
      CHECK(sums->record.count(Counter::MostRounds) == 2 * program.steps + 2);
  }
}

TEST_CASE("processors that write to one cell are resolved as the program says") {
  PramProgram program{.processors = 5, .steps = 1, .memory = {100, 7}};
  program.read = [](const PramView&) { return std::optional<std::uint64_t>(1); };
  program.compute = [](const PramView& at, std::optional<std::int64_t> value) {
    return std::optional(PramWrite{0, *value + at.processor});
  };
  const auto cell = [&](PramConflict conflict) {
    program.conflict = conflict;
    return run_pram(program, on_sim(2, 3));
  };
  CHECK(cell(PramConflict::Priority).value().memory[0] == 7);
  CHECK(cell(PramConflict::Sum).value().memory[0] == 7 + 8 + 9 + 10 + 11);
  const auto exclusive = cell(PramConflict::Exclusive);
  REQUIRE_FALSE(exclusive.has_value());
  CHECK_THAT(exclusive.error().to_string(), Catch::Contains("write to cell 0 in one step"));
  CHECK_FALSE(cell(PramConflict::Common).has_value());
  program.compute = [](const PramView&, std::optional<std::int64_t> value) {
    return std::optional(PramWrite{0, *value});
  };
  CHECK(cell(PramConflict::Common).value().memory[0] == 7);
  program.read = [](const PramView&) { return std::optional<std::uint64_t>(2); };
  const auto beyond = cell(PramConflict::Common);
  REQUIRE_FALSE(beyond.has_value());
  CHECK_THAT(beyond.error().to_string(), Catch::Contains("reads cell 2 in step 0"));
}

namespace {

/// Shortest paths, with a combiner.
struct PregelPaths {
  using Value = double;
  using Message = double;
  static constexpr bool kWeighted = true;
  static void combine(double& kept, const double& come) { kept = std::min(kept, come); }

  [[nodiscard]] double initial(VertexId) const { return std::numeric_limits<double>::infinity(); }
  void compute(PregelVertex<PregelPaths>& vertex, std::span<const double> messages) const {
    REQUIRE(messages.size() <= 1);
    const bool source = vertex.superstep() == 0 && vertex.id() == VertexId(0);
    double least = source ? 0 : std::numeric_limits<double>::infinity();
    for (const double message : messages) least = std::min(least, message);
    if (least < vertex.value()) {
      vertex.value() = least;
      for (std::uint64_t arc = 0; arc < vertex.degree(); ++arc)
        vertex.send_along(arc, least + vertex.weight(arc));
    }
    vertex.vote_to_halt();
  }
};

/// Ten iterations of PageRank as in the Pregel paper: it counts supersteps and needs all messages of one together.
struct PregelRanks {
  using Value = double;
  using Message = double;
  static constexpr bool kSupersteps = true;
  double vertices = 0;

  [[nodiscard]] double initial(VertexId) const { return 1 / vertices; }
  void compute(PregelVertex<PregelRanks>& vertex, std::span<const double> messages) const {
    if (vertex.superstep() >= 1) {
      double sum = 0;
      for (const double message : messages) sum += message;
      vertex.value() = 0.15 / vertices + 0.85 * sum;
    }
    if (vertex.superstep() < 10) {
      vertex.send_to_all(vertex.value() / static_cast<double>(vertex.degree()));
    } else {
      vertex.vote_to_halt();
    }
  }
};

std::vector<double> ranks_of(const Graph& graph) {
  const double vertices = graph.vertex_count();
  std::vector<double> ranks(graph.vertex_count(), 1 / vertices);
  for (int iteration = 0; iteration < 10; ++iteration) {
    std::vector<double> next(graph.vertex_count(), 0.15 / vertices);
    for (std::uint32_t v = 0; v < graph.vertex_count(); ++v) {
      const auto targets = graph.neighbors(VertexId(v));
      for (const VertexId to : targets)
        next[to.index()] += 0.85 * ranks[v] / static_cast<double>(targets.size());
    }
    ranks = next;
  }
  return ranks;
}

}  // namespace

TEST_CASE("a Pregel program with a combiner finds the shortest paths under every model") {
  const std::uint64_t seed = GENERATE(1U, 2U, 3U);
  const Graph graph = random_graph(seed, 80, 200, seed != 2, WeightKind::Integer);
  const auto expected = reference::shortest_distances(graph, VertexId(0));
  for (const Scheduler model : kModels) {
    RunOptions options = on_sim(3, 5);
    options.pie.schedule = schedule_by(model);
    options.pie.cut = Cut::Edge;
    const auto answer = run_pregel(graph, PregelPaths(), options);
    REQUIRE(answer.has_value());
    CHECK(answer->values == expected);
  }
}

TEST_CASE("a Pregel program that counts supersteps has them under every model") {
  const Graph graph = random_graph(4, 60, 240, false);
  const auto expected = ranks_of(graph);
  for (const Scheduler model : kModels) {
    RunOptions options = on_sim(3, 4);
    options.pie.schedule = schedule_by(model);
    const auto answer =
        run_pregel(graph, PregelRanks{static_cast<double>(graph.vertex_count())}, options);
    REQUIRE(answer.has_value());
    for (std::size_t v = 0; v < expected.size(); ++v)
      CHECK(answer->values[v] == Approx(expected[v]).epsilon(1e-12));
    CHECK(answer->record.count(Counter::MostRounds) == 11);
  }
}

TEST_CASE("the shipped programs pass the checker: contracting and monotonic") {
  const Graph graph = random_graph(5, 60, 120, false, WeightKind::Integer);
  const PieSssp sssp(graph, VertexId(0));
  const PieBfs bfs(graph, VertexId(0));
  const auto passes = [](const ConditionReport& report) {
    INFO(report.finite.counterexample << report.contracting.counterexample
                                      << report.monotonic.counterexample);
    CHECK(!report.violated());
    CHECK(!report.same_answer.violated());
    CHECK(!report.rises);
    CHECK(report.rounds > 100);
    CHECK(report.comparisons > 10);
    CHECK(report.unfinished == 0);
  };
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const CheckOptions options = {.schedules = 30, .seed = seed};
    const PieComponents components;
    passes(check_conditions(divided(graph, components.needs(), 4), components, options).value());
    passes(check_conditions(divided(graph, sssp.needs(), 4), sssp, options).value());
    passes(check_conditions(divided(graph, bfs.needs(), 4), bfs, options).value());
  }
}

TEST_CASE("the checker finds a program whose values rise, and one that is not monotonic") {
  const Graph graph = random_graph(5, 60, 60, false);
  const CheckOptions options = {.schedules = 50,
                                .name = [](VertexId v) { return "v" + std::to_string(v.value()); }};
  const auto up = check_conditions(divided(graph, Grudge().needs(), 4), Grudge(), options).value();
  CHECK(up.contracting.violated());
  CHECK(up.contracting.counterexample.find("vertex v") != std::string::npos);
  const auto moody = check_conditions(divided(graph, Moody().needs(), 4), Moody(), options).value();
  CHECK(moody.monotonic.violated());
}

TEST_CASE("PageRank's scores are no finite domain, and CF's factors move in both directions") {
  const Graph graph = random_graph(7, 60, 300, true);
  const PiePageRank ranks = quick_pagerank(graph, {.damping = 0.85, .tolerance = 1e-9});
  const auto scores = check_conditions(divided(graph, ranks.needs(), 4), ranks).value();
  CHECK(scores.finite.violated());
  CHECK(scores.new_values > 0.5);
}

TEST_CASE("a user's program in one struct runs under every model") {
  const Graph graph = random_graph(6, 80, 200, true);
  RunOptions alone = on_sim(1, 1);
  const auto expected = run_pie(graph, Largest(), alone);
  REQUIRE(expected.has_value());
  for (const Scheduler model :
       {Scheduler::Bsp, Scheduler::Ap, Scheduler::Ssp, Scheduler::Aap, Scheduler::Hsync}) {
    RunOptions options = on_sim(4, 9);
    options.pie.schedule = {.model = model, .bound = 2};
    const auto answer = run_pie(graph, Largest(), options);
    REQUIRE(answer.has_value());
    CHECK(answer->values == expected->values);
  }
}

TEST_CASE("messages that change nothing cost only their own size") {
  const Graph graph = random_graph(12, 3000, 9000, false, WeightKind::Integer);
  const Fragmentation fragments = divided(graph, PieSssp(graph, VertexId(0)).needs(), 2);
  const Fragment fragment = fragments.fragment(PartId(0)).value();
  const PieSssp sssp(graph, fragment.vertex(0));
  VirtualWorkerOf<PieSssp> worker(fragment, sssp);
  worker.routes().settle();
  (void)worker.peval();
  // Ten copies of a known value, as a message to places 0 to 9.
  ByteWriter message;
  for (std::uint32_t i = 0; i < 10; ++i) {
    message.varint(i == 0 ? 0 : 2);
    const double far = 1e9;
    std::memcpy(message.extend(sizeof far), &far, sizeof far);
  }
  REQUIRE(worker.receive(PartId(1), message.span(), false));
  const RoundWork round = worker.inceval();
  CHECK(round.taken == 10);
  CHECK(round.work.vertices == 0);
  CHECK(round.work.edges == 0);
  CHECK(round.sent == 0);
}

TEST_CASE("in lockstep a round uses one message of each peer, and begins when all have arrived") {
  const Graph graph = random_graph(14, 300, 4000, false);
  const Fragmentation fragments = divided(graph, pie::PiePageRank().needs(), 3);
  const Fragment fragment = fragments.fragment(PartId(0)).value();
  const pie::PiePageRank program = quick_pagerank(graph, {});
  VirtualWorkerOf<pie::PiePageRank> worker(fragment, program);
  worker.routes().settle();
  worker.pace(Pacing::Lockstep);
  REQUIRE(worker.in_lockstep());
  std::map<std::uint32_t, std::vector<bool>>
      sent;  // by receiver: for each message, whether it has content
  const auto hand_over = [&] {
    sent.clear();
    worker.drain([&](PartId to, std::span<const std::byte> message) {
      sent[to.value()].push_back(!message.empty());
    });
  };
  ByteWriter message;  // an increment for the first vertex
  message.varint(0);
  const double more = 1e-3;
  std::memcpy(message.extend(sizeof more), &more, sizeof more);
  const auto hear = [&](std::uint32_t from) {
    REQUIRE(worker.receive(PartId(from), message.span(), false));
    worker.heard(PartId(from), false);
  };
  const std::vector<bool> one_message{true};

  (void)worker.peval();
  hand_over();
  REQUIRE(sent.size() == 2);
  CHECK_FALSE(worker.answered());
  hear(1);
  CHECK_FALSE(worker.answered());
  CHECK_FALSE(worker.answer());  // no worker waits for this one
  hear(1);                       // one round ahead: for the next round
  CHECK(worker.staleness() == 1);
  CHECK_FALSE(worker.answer());  // the peer needs the next round, not an empty answer
  hear(2);
  CHECK(worker.answered());
  CHECK(worker.staleness() == 2);

  (void)worker.inceval();
  hand_over();
  CHECK(sent[1] == one_message);
  CHECK(sent[2] == one_message);
  CHECK(worker.staleness() == 1);     // the message that was one round ahead
  CHECK(worker.answered() == false);  // worker 1 has answered, worker 2 has not
  hear(2);
  CHECK(worker.answered());
}

TEST_CASE("a waiting worker in lockstep answers workers that wait for it and are not ahead") {
  const Graph graph = random_graph(15, 300, 4000, false);
  const Fragmentation fragments = divided(graph, pie::PiePageRank().needs(), 3);
  const Fragment fragment = fragments.fragment(PartId(0)).value();
  const pie::PiePageRank program = quick_pagerank(graph, {});
  VirtualWorkerOf<pie::PiePageRank> worker(fragment, program);
  worker.routes().settle();
  worker.pace(Pacing::Lockstep);
  worker.heard(PartId(1), false);  // before this worker has sent anything
  CHECK(worker.answer());
  std::vector<std::uint32_t> answered;
  worker.drain([&](PartId to, std::span<const std::byte> message) {
    CHECK(message.empty());
    answered.push_back(to.value());
  });
  CHECK(answered == std::vector<std::uint32_t>{1});
  CHECK_FALSE(worker.answer());
}

TEST_CASE("a large message that a slow peer has not answered does not hold back those to others") {
  const Graph graph = random_graph(16, 300, 4000, false);
  const Fragmentation fragments = divided(graph, pie::PiePageRank().needs(), 3);
  const Fragment fragment = fragments.fragment(PartId(0)).value();
  const pie::PiePageRank program = quick_pagerank(graph, {});
  // The number of messages to peer 1 while peer 2 owes the answer to a large one.
  const auto messages = [&](bool slow) {
    VirtualWorkerOf<pie::PiePageRank> worker(fragment, program);
    worker.routes().settle();
    worker.pace(Pacing::Answers);
    const auto hear = [&](std::uint32_t from, double more, bool is_slow) {
      ByteWriter message;
      message.varint(0);
      std::memcpy(message.extend(sizeof more), &more, sizeof more);
      REQUIRE(worker.receive(PartId(from), message.span(), false));
      worker.heard(PartId(from), is_slow);
    };
    std::size_t sent = 0;
    const auto count = [&](PartId to, std::span<const std::byte> message) {
      sent += to == PartId(1) && !message.empty() ? 1 : 0;
    };
    (void)worker.peval();
    worker.drain(count);
    hear(1, 1e-2, false);
    hear(2, 1e-2, slow);
    (void)worker.inceval();
    worker.drain(count);
    sent = 0;
    for (int round = 0; round < 3; ++round) {
      hear(1, 1e-5, false);
      (void)worker.inceval();
      worker.drain(count);
    }
    return sent;
  };
  CHECK(messages(false) == 0);
  CHECK(messages(true) > 0);
}

TEST_CASE("IncEval of components visits only the border of trees whose label fell") {
  const Graph graph = random_graph(13, 4000, 5000, false);
  const Fragmentation fragments = divided(graph, pie::PieComponents().needs(), 2);
  const Fragment fragment = fragments.fragment(PartId(1)).value();
  const pie::PieComponents components;
  VirtualWorkerOf<pie::PieComponents> worker(fragment, components);
  worker.routes().settle();
  (void)worker.peval();
  ByteWriter message;
  message.varint(0);
  const std::uint32_t smallest = 0;
  std::memcpy(message.extend(sizeof smallest), &smallest, sizeof smallest);
  REQUIRE(worker.receive(PartId(0), message.span(), false));
  const RoundWork round = worker.inceval();
  CHECK(round.work.edges == 0);
  CHECK(round.work.vertices <= 1 + round.sent);
}

TEST_CASE("collaborative filtering predicts unseen ratings about as well as one thread") {
  const Graph graph = ratings();
  const Filtering program(graph, {.most_rounds = 60});
  const double alone = program.rmse(graph, program.descend(graph, 60), true);
  const double untrained = program.rmse(graph, program.descend(graph, 0), true);
  REQUIRE(alone < untrained / 2);
  // AP does not bound staleness, so the descent need not converge.
  for (const Scheduler model : {Scheduler::Bsp, Scheduler::Ssp, Scheduler::Aap}) {
    RunOptions options = on_sim(4, 4);
    options.partition.method = PartitionMethod::Hash;
    options.pie.schedule = {.model = model, .bound = 3};
    const auto answer = run_pie(graph, program, options);
    REQUIRE(answer.has_value());
    INFO(scheduler_name(model));
    CHECK(program.rmse(graph, answer->values, true) < 1.25 * alone + 0.02);
  }
}

TEST_CASE("many workers learn differing tastes as well as one thread") {
  const Graph graph = two_tastes(200, 60);
  const Filtering program(graph, {.least_gain = -std::numeric_limits<double>::infinity()});
  const double alone = program.rmse(graph, program.descend(graph, 100), true);
  REQUIRE(alone < 0.5);  // a model with one factor has an error of 1.5
  for (const std::uint32_t workers : {1U, 16U, 64U}) {
    for (const Cut cut : {Cut::Edge, Cut::Vertex}) {
      for (const Scheduler model : {Scheduler::Bsp, Scheduler::Ssp, Scheduler::Aap}) {
        RunOptions options = on_sim(4, workers);
        options.partition.method = PartitionMethod::Hash;
        options.pie.cut = cut;
        options.pie.schedule = {.model = model, .bound = 3};
        const auto answer = run_pie(graph, program, options);
        REQUIRE(answer.has_value());
        INFO(scheduler_name(model) << ", " << workers << (cut == Cut::Edge ? " edge" : " vertex"));
        CHECK(program.rmse(graph, answer->values, true) < 1.1 * alone + 0.02);
      }
    }
  }
}

TEST_CASE("a worker without ratings makes all passes") {
  const Graph graph = ratings();
  const Filtering program(
      graph, {.most_rounds = 10, .least_gain = -std::numeric_limits<double>::infinity()});
  Partition partition;
  partition.part_count = 3;
  const std::vector<PartId> owners(graph.vertex_count(), PartId(1));
  partition.owner = Array<PartId>::copy_of(owners).value();
  RunOptions options = on_sim(3, 3);
  options.divided = std::make_shared<Partition>(std::move(partition));
  options.pie.schedule.model = Scheduler::Bsp;
  const auto answer = run_pie(graph, program, options);
  REQUIRE(answer.has_value());
  for (const NodeTrace& node : answer->record.rounds->nodes)
    CHECK(node.worker_rounds == std::vector<std::uint32_t>{10});
}

TEST_CASE("a descent with little initial progress continues") {
  const Graph graph = two_tastes(200, 60);
  const Filtering program(graph, {});
  const auto answer = run_pie(graph, program, on_sim(1, 1));
  REQUIRE(answer.has_value());
  CHECK(program.rmse(graph, answer->values, true) < 0.5);
}
