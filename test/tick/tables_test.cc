// States of several tables: the functions of Tables, the laws across tables, and fish with food under every
// synchronization, compared bit by bit with the sequential update.
#include <array>
#include <catch2/catch.hpp>
#include <memory>
#include <numeric>

#include "base/random.h"
#include "programs/fish_food/tick.h"
#include "programs/reference/oracles.h"
#include "runtime/tick/field.h"
#include "runtime/tick/property_check.h"
#include "runtime/tick/vertex_state.h"
#include "test/tick/ways.h"

using namespace leeway;
using namespace leeway::tick;
using leeway::testing::ways;

namespace {

struct Buoy {
  std::uint32_t id = 0;
  std::uint32_t unused = 0;
  double x = 0, y = 0;
  friend bool operator==(const Buoy&, const Buoy&) = default;
};
using Buoys = Table<Buoy, Box>;
using TwoTables = Tables<Buoys, Buoys>;
/// Floating things over a sea floor of cells.
using Sea = Tables<Buoys, Field>;

static_assert(std::is_trivially_copyable_v<TwoTables::Query>);
static_assert(std::is_trivially_copyable_v<QueryPerTable<Box, IndexRange, LabelQuery>>);
static_assert(HasEverywhere<TwoTables::Query> && !HasHull<TwoTables::Query>);
static_assert(HasHull<Sea::Query> && !HasEverywhere<Sea::Query>);
static_assert(SplitState<TwoTables> && SplitState<Tables<Field, Field>>);
// Threads write a field in place, and tables into separate states.
static_assert(!SplitState<Sea>);
// The requirements of the engine are met by any mixture.
[[maybe_unused]] void instantiate(Tables<VertexState, Buoys>& state,
                                  const Tables<VertexState, Buoys>::Query& query) {
  Tables<VertexState, Buoys>::Selection some;
  state.reset(query, query);
  state.select(query, std::nullopt, some);
  state.poison();
  (void)Tables<VertexState, Buoys>::difference(state, state);
}

const Box kWide{0, 0, 100, 100};

TwoTables two_tables() {
  TwoTables state;
  state.reset({kWide, kWide}, {kWide, kWide});
  state.keep_private(TwoTables::Query({0, 0, 100, 50}, {0, 0, 100, 10}));
  for (std::uint32_t i = 0; i < 20; ++i) {
    state.get<0>().add({i, 0, 5.0 * i, 5.0 * i});
    state.get<1>().add({i, 0, 5.0 * i, 1});
  }
  state.mark_own();
  state.get<0>().add({99, 0, 1, 1});
  return state;
}

}  // namespace

TEST_CASE("a query of several tables compares, and is disjoint, table by table") {
  const Box left{0, 0, 5, 5};
  const Box right{5, 0, 9, 5};
  const TwoTables::Query a(left, left);
  CHECK(a == TwoTables::Query(left, left));
  CHECK_FALSE(a == TwoTables::Query(left, right));
  CHECK(a.disjoint({right, right}));
  CHECK_FALSE(a.disjoint({right, left}));
  CHECK_FALSE(a.disjoint({left, right}));
  CHECK(TwoTables::Query().disjoint(a));  // selects nothing
  const Sea::Query sea(left, IndexRange{0, 0, 2, 2});
  const Sea::Query hull = sea.hull({right, IndexRange{1, 1, 4, 3}});
  CHECK(hull.get<0>() == Box::everywhere());
  CHECK(hull.get<1>() == IndexRange{0, 0, 4, 3});
}

TEST_CASE("the selections of two tables are separate, and are split together") {
  const TwoTables state = two_tables();
  CHECK(state.size() == 41);
  TwoTables::Selection some;
  state.select({{0, 0, 50, 50}, kWide}, TwoTables::Query({0, 0, 10, 10}, {0, 0, 90, 10}), some);
  CHECK(some.get<0>().size() == 8);
  CHECK(some.get<1>().size() == 2);
  CHECK(some.size() == 10);
  std::size_t total = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    TwoTables::Selection piece;
    some.slice(i, 4, piece);
    total += piece.size();
    CHECK(piece.get<0>().size() == 2);
  }
  CHECK(total == some.size());
  TwoTables::Selection border;
  state.select_border(border);
  CHECK(border.get<0>().size() == 10);  // own tuples that are not private
  CHECK(border.get<1>().empty());
  CHECK_FALSE(border.empty());
}

TEST_CASE("two tables are sent and read; no cut or changed message is taken for a state") {
  const TwoTables state = two_tables();
  ByteWriter out;
  state.encode_own(out);
  const std::vector<std::byte> bytes = out.take();
  const auto read = [](std::span<const std::byte> from, TwoTables& into) {
    into.reset({kWide, kWide}, {kWide, kWide});
    ByteReader in(from);
    return into.decode(in) && in.at_end();
  };
  TwoTables other;
  REQUIRE(read(bytes, other));
  TwoTables own = state;
  own.drop_others();
  CHECK_FALSE(TwoTables::difference(own, other));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    INFO(size);
    CHECK_FALSE(read(std::span(bytes).first(size), other));
  }
  Random random(3);
  for (int i = 0; i < 2000;
       ++i) {  // must not crash; most changes are in the tuples, which any bytes may be
    std::vector<std::byte> changed = bytes;
    changed[random.below(changed.size())] = static_cast<std::byte>(random.below(256));
    (void)read(changed, other);
  }
}

TEST_CASE("a message contains the requested tuples of each table and the requested cells") {
  Sea sea;
  const IndexRange plate{0, 0, 4, 4};
  sea.reset({kWide, plate}, {kWide, plate});
  sea.poison();
  sea.keep_private(std::nullopt);
  for (std::int64_t i = 0; i < 16; ++i) *sea.get<1>().at(i % 4, i / 4) = static_cast<double>(i);
  for (std::uint32_t i = 0; i < 9; ++i) sea.get<0>().add({i, 0, 10.0 * i, 5});
  sea.mark_own();
  Sea::Selection border;
  sea.select_border(border);
  ByteWriter out;
  sea.encode(border, {{0, 0, 25, 10}, IndexRange{2, 2, 4, 3}}, out);
  Sea other;
  other.reset({kWide, plate}, {kWide, plate});
  other.poison();
  ByteReader in(out.span());
  REQUIRE(other.decode(in));
  CHECK(in.at_end());
  CHECK(other.get<0>().size() == 3);
  CHECK(*other.get<1>().at(3, 2) == 11);
  CHECK(std::isnan(*other.get<1>().at(1, 1)));
}

TEST_CASE("descriptions of wrong tuples name the table") {
  const TwoTables state = two_tables();
  const auto misplaced = state.misplaced(std::array{TwoTables::Query(kWide, {0, 0, 50, 50})});
  REQUIRE(misplaced);
  CHECK(*misplaced == "table 1: tuple 10 at (50, 1) is in 0 parts");
  TwoTables other = state;
  other.get<1>().add({50, 0, 2, 2});
  CHECK(TwoTables::difference(state, other) == "table 1: only the second has tuple 50 at (2, 2)");
  other.get<0>().add({50, 0, 2, 2});
  CHECK(TwoTables::difference(other, state) == "table 0: only the first has tuple 50 at (2, 2)");
  TwoTables::Selection border;
  state.select_border(border);
  const auto stray = state.stray(border, {{0, 0, 60, 60}, kWide},
                                 std::array{TwoTables::Query({60, 60, 70, 70}, {})});
  CHECK(stray == "table 0: tuple 14 at (70, 70)");
  CHECK_FALSE(TwoTables::duplicate(state));
  other.get<1>().add({3, 0, 2, 2});
  CHECK(TwoTables::duplicate(other) == "table 1: tuple 3 at (15, 1)");
  CHECK(state.shares({{}, kWide}, {kWide, kWide}));
  CHECK_FALSE(state.shares({{}, kWide}, {kWide, {}}));
}

namespace {

/// Buoys on a sea of cells: a cell takes part of its neighbours' values and rises with the buoys on it; a buoy moves by the
/// value of its cell. The two tables are divided independently of each other.
class BuoysAtSea {
 public:
  using State = Sea;
  using Query = Sea::Query;
  static constexpr double kStep = 0.4;

  [[nodiscard]] Result<std::vector<Query>> part(std::uint32_t count, const State* /*now*/) const {
    std::vector<Query> parts;
    const auto boxes = grid_boxes({0, 0, 14, 11}, count);
    const auto ranges = grid_ranges(kCells, count);
    for (std::uint32_t i = 0; i < count; ++i) parts.push_back({boxes[i], ranges[count - 1 - i]});
    return parts;
  }
  Status create(const Query& query, State& state) const {
    Random random(4);
    for (std::uint32_t i = 0; i < 60; ++i) {
      const Buoy buoy{i, 0, random.unit() * 14, random.unit() * 11};
      if (query.get<0>().contains(buoy)) state.get<0>().add(buoy);
    }
    const IndexRange& range = query.get<1>();
    for (std::int64_t row = range.top; row < range.bottom; ++row) {
      for (std::int64_t column = range.left; column < range.right; ++column)
        *state.get<1>().at(column, row) = static_cast<double>((column * 7 + row * 3) % 5) / 4;
    }
    return {};
  }
  void step(const State::Selection& to_step, const State& context, State& result) const {
    for (Buoy buoy : to_step.get<0>()) {
      const double value = *context.get<1>().at(static_cast<std::int64_t>(buoy.x),
                                                static_cast<std::int64_t>(buoy.y));
      buoy.x = std::clamp(buoy.x + (value > 0.6 ? kStep : -kStep), 0.0, 13.99);
      buoy.y = std::clamp(buoy.y + (value > 0.4 ? -kStep : kStep), 0.0, 10.99);
      result.get<0>().add(buoy);
    }
    for (const IndexRange& range : to_step.get<1>().ranges()) {
      for (std::int64_t row = range.top; row < range.bottom; ++row) {
        for (std::int64_t column = range.left; column < range.right; ++column)
          *result.get<1>().at(column, row) = next(column, row, context);
      }
    }
  }
  [[nodiscard]] Query rd(const Query& query) const {
    const IndexRange& cells = query.get<1>();
    return {query.get<0>().united(box_of(cells)),
            cells.grown(1, kCells).hull(range_of(query.get<0>(), false))};
  }
  [[nodiscard]] Query rx(const Query& query) const {
    const IndexRange inner =
        query.get<1>().shrunk(1, kCells).common(range_of(query.get<0>(), true));
    return {query.get<0>().common(box_of(query.get<1>())), inner.empty() ? IndexRange{} : inner};
  }
  [[nodiscard]] Query wd(const Query& query) const {
    return {query.get<0>().grown(kStep * 1.001), query.get<1>()};
  }
  [[nodiscard]] Query wx(const Query& query) const {
    return {query.get<0>().shrunk(kStep * 1.001), query.get<1>()};
  }
  [[nodiscard]] bool disjoint(const Query& a, const Query& b) const { return a.disjoint(b); }

 private:
  static constexpr IndexRange kCells{0, 0, 14, 11};

  static double next(std::int64_t column, std::int64_t row, const State& context) {
    double sum = 0;
    for (const Cell other : {Cell{column - 1, row}, Cell{column + 1, row}, Cell{column, row - 1},
                             Cell{column, row + 1}}) {
      if (kCells.contains(other)) sum += *context.get<1>().at(other.column, other.row);
    }
    int buoys = 0;
    const double x = static_cast<double>(column);
    const double y = static_cast<double>(row);
    context.get<0>().cells(1).around(x + 0.5, y + 0.5, [&](const Buoy& buoy) {
      buoys += std::floor(buoy.x) == x && std::floor(buoy.y) == y ? 1 : 0;
    });
    return std::fmod(*context.get<1>().at(column, row) * 0.5 + sum / 8 + buoys * 0.3, 1.0);
  }
  static Box box_of(const IndexRange& range) {
    if (range.empty()) return {};
    return {static_cast<double>(range.left), static_cast<double>(range.top),
            static_cast<double>(range.right), static_cast<double>(range.bottom)};
  }
  /// The cells of which the box contains some part, or which are `inside` completely.
  static IndexRange range_of(const Box& box, bool inside) {
    if (box.empty()) return {};
    const auto low = [&](double at, double side) {
      return static_cast<std::int64_t>(
          std::clamp(inside ? std::ceil(at) : std::floor(at), 0.0, side));
    };
    const auto high = [&](double at, double side) {
      return static_cast<std::int64_t>(
          std::clamp(inside ? std::floor(at) : std::ceil(at), 0.0, side));
    };
    const IndexRange range{low(box.left, 14), low(box.bottom, 11), high(box.right, 14),
                           high(box.top, 11)};
    return range.empty() ? IndexRange{} : range;
  }
};

}  // namespace

TEST_CASE("a table and a field are one state, with the same bits on any number of nodes") {
  const BuoysAtSea program;
  const auto found = find_counterexample(program, {.parts = {1, 2, 3, 6}, .ticks = 15}).value();
  CHECK((found ? found->law + " | " + found->words : "none") == "none");
  const auto alone = run_ticks(program, {.ticks = Tick(20)}, ClusterOptions{});
  REQUIRE(alone.has_value());
  REQUIRE(alone->result.state.get<0>().size() == 60);
  for (const Fabric fabric : {Fabric::Loopback, Fabric::Sim}) {
    for (const std::uint32_t nodes : {2u, 3u, 6u}) {
      for (TickOptions way : ways(20)) {
        way.check = nodes == 3;
        way.rebalance = nodes == 6 ? 7 : 0;
        ClusterOptions cluster;
        cluster.fabric = fabric;
        cluster.nodes = nodes;
        CAPTURE(nodes, sync_name(way.sync), fabric_name(fabric));
        const auto run = run_ticks(program, way, cluster);
        REQUIRE((run ? "none" : run.error().to_string()) == "none");
        REQUIRE_FALSE(Sea::difference(run->result.state, alone->result.state));
      }
    }
  }
  const auto refused = run_ticks(program, {.ticks = Tick(3), .threads = 2}, ClusterOptions{});
  REQUIRE_FALSE(refused.has_value());
  CHECK_THAT(refused.error().to_string(), Catch::Contains("cannot be split among threads"));
}

namespace {

FishFoodParameters small_pond() {
  FishFoodParameters settings;
  settings.fish.model = {.width = 50, .height = 40, .visibility = 3, .reach = 0.7};
  settings.fish.count = 160;
  settings.fish.informed = 10;
  settings.fish.goals = 2;
  settings.fish.price = std::chrono::microseconds(5);
  settings.food = 70;
  settings.model.drift = 0.3;
  settings.model.bites = 4;
  return settings;
}

scene::Pond sequential(const FishFoodParameters& settings, std::uint32_t ticks) {
  return reference::pond_after(settings.fish.model, settings.model, first_pond(settings), ticks);
}

bool equal(const FishFoodTables& state, const scene::Pond& pond) {
  const auto fish = state.get<FishFood::kFish>().tuples();
  const auto food = state.get<FishFood::kFood>().tuples();
  return std::equal(fish.begin(), fish.end(), pond.fish.begin(), pond.fish.end()) &&
         std::equal(food.begin(), food.end(), pond.food.begin(), pond.food.end());
}

ClusterOptions pond_cluster(Fabric fabric, std::uint32_t nodes) {
  ClusterOptions options;
  options.fabric = fabric;
  options.nodes = nodes;
  if (fabric == Fabric::Sim) options.network = parse_profile("ec2").value();
  return options;
}

/// Fish with food, of which one function forgets a table.
class Forgetful : public FishFood {
 public:
  enum Fault { Nothing, ReadsFood, ReadsFish, InnerOfFood, InnerOfFish, Drift, KeptFood };

  Forgetful(const FishFoodParameters& parameters, Fault fault)
      : FishFood(parameters, std::make_shared<const scene::Pond>(first_pond(parameters))),
        own_(parameters),
        fault_(fault) {}

  [[nodiscard]] Query rd(const Query& query) const {
    Query found = FishFood::rd(query);
    const Query sight = FishFood::rd(Query(query.get<kFish>(), {}));
    if (fault_ == ReadsFood) found.get<kFood>() = query.get<kFood>();
    if (fault_ == ReadsFish)
      found.get<kFish>() = query.get<kFish>().empty() ? Box{} : sight.get<kFish>();
    return found;
  }
  [[nodiscard]] Query rx(const Query& query) const {
    Query found = FishFood::rx(query);
    if (fault_ == InnerOfFood) found.get<kFood>() = query.get<kFood>();
    if (fault_ == InnerOfFish)
      found.get<kFish>() = query.get<kFish>().shrunk(own_.fish.model.visibility);
    return found;
  }
  [[nodiscard]] Query wd(const Query& query) const {
    Query found = FishFood::wd(query);
    if (fault_ == Drift) found.get<kFood>() = query.get<kFood>();
    return found;
  }
  [[nodiscard]] Query wx(const Query& query) const {
    Query found = FishFood::wx(query);
    if (fault_ == KeptFood) found.get<kFood>() = query.get<kFood>();
    return found;
  }

 private:
  FishFoodParameters own_;
  Fault fault_;
};

/// Fish see other fish at a distance less than that of food, and food reads fish that are farther away.
FishFoodParameters blind_pond() {
  FishFoodParameters settings = small_pond();
  settings.fish.model.visibility = 1.5;
  settings.model.mouth = 2.5;
  return settings;
}

std::string law_broken(Forgetful::Fault fault) {
  const auto found = find_counterexample(Forgetful(blind_pond(), fault), {.ticks = 20}).value();
  return found ? found->law + " | " + found->words : "none";
}

}  // namespace

TEST_CASE("the laws hold for fish with food, in any basin") {
  CHECK(law_broken(Forgetful::Nothing) == "none");
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Random random(seed, 9);
    FishFoodParameters settings;
    settings.fish.model = {.width = 8 + random.unit() * 40,
                           .height = 8 + random.unit() * 40,
                           .visibility = 0.5 + random.unit() * 6,
                           .reach = 0.1 + random.unit() * 2};
    settings.fish.count = static_cast<std::uint32_t>(random.below(150));
    settings.fish.seed = seed;
    settings.fish.partition = seed % 2 == 0 ? FishPartition::Grid : FishPartition::Quadtree;
    settings.food = static_cast<std::uint32_t>(random.below(120));
    settings.model = {.sight = 0.5 + random.unit() * 6,
                      .mouth = 0.2 + random.unit() * 3,
                      .drift = random.unit(),
                      .scatter = random.unit() * 3,
                      .bites = 1 + static_cast<std::uint32_t>(random.below(5))};
    INFO(seed);
    const Forgetful program(settings, Forgetful::Nothing);
    const auto found = find_counterexample(program, {.ticks = 8}).value();
    CHECK((found ? found->law + " | " + found->words : "none") == "none");
  }
}

TEST_CASE("a law that a program violates in one table is named, with table and tuple") {
  using Catch::Contains;
  const auto violates = [](Forgetful::Fault fault, const char* law, const char* table) {
    const std::string found = law_broken(fault);
    CHECK_THAT(found, Catch::StartsWith(law) && Contains(table) && Contains("tuple"));
  };
  violates(Forgetful::ReadsFood, "Definition 1: STEP of Q needs R_D(Q)", "fish: ");
  violates(Forgetful::ReadsFish, "Definition 1: STEP of Q needs R_D(Q)", "food: ");
  violates(Forgetful::InnerOfFood, "Definition 1: STEP of R_X(Q)", "food: ");
  violates(Forgetful::InnerOfFish, "Definition 1: STEP of R_X(Q)", "fish: ");
  violates(Forgetful::Drift, "Definition 2: W_D(Q)", "food: ");
  violates(Forgetful::KeptFood, "Definition 2: Q makes all", "food: ");
}

TEST_CASE("the checking mode reports a table that R_D forgets, with the tuple") {
  const auto error_of = [](Forgetful::Fault fault, bool check) {
    // With replicas, a node has more tuples than R_D of its part selects, and so finds more errors.
    const TickOptions options{.sync = Sync::Replicate, .ticks = Tick(20), .check = check};
    const auto run =
        run_ticks(Forgetful(blind_pond(), fault), options, pond_cluster(Fabric::Sim, 4));
    return run ? "none" : run.error().to_string();
  };
  using Catch::Contains;
  CHECK(error_of(Forgetful::Nothing, true) == "none");
  CHECK(error_of(Forgetful::ReadsFood, false) == "none");
  CHECK_THAT(error_of(Forgetful::ReadsFood, true),
             Contains("STEP reads outside its context") && Contains("fish: tuple"));
  CHECK_THAT(error_of(Forgetful::ReadsFish, true),
             Contains("STEP reads outside its context") && Contains("food: tuple"));
}

TEST_CASE("fish with food are bit-identical to the sequential program, for every synchronization") {
  constexpr std::uint32_t kTicks = 17;
  FishFoodParameters settings = small_pond();
  const scene::Pond expected = sequential(settings, kTicks);
  // The two tables must have affected each other.
  FishFoodParameters hungry = settings;
  hungry.food = 0;
  REQUIRE_FALSE(sequential(hungry, kTicks).fish == expected.fish);
  const auto grown = static_cast<std::size_t>(
      std::count_if(expected.food.begin(), expected.food.end(), [&](const scene::Food& piece) {
        return piece.random != first_pond(settings).food[piece.id].random;
      }));
  REQUIRE(grown > 5);
  const Fabric fabric = GENERATE(Fabric::Loopback, Fabric::Sim);
  for (const std::uint32_t nodes : {1u, 2u, 3u, 4u, 5u, 6u, 23u}) {
    if (fabric == Fabric::Loopback && nodes > 6) continue;
    for (TickOptions way : ways(kTicks)) {
      settings.fish.partition = way.depth == 3u ? FishPartition::Quadtree : FishPartition::Grid;
      way.check = nodes == 3;
      way.rebalance = nodes % 2 == 0 ? 4 : 0;
      CAPTURE(nodes, sync_name(way.sync), fabric_name(fabric));
      const auto run = run_fish_food(settings, way, pond_cluster(fabric, nodes));
      REQUIRE(run.has_value());
      REQUIRE(equal(run->result.state, expected));
    }
  }
}

TEST_CASE("no bite is lost: fish have eaten what the food has lost") {
  FishFoodParameters settings = small_pond();
  settings.model.bites = 1'000'000;  // no piece grows again
  scene::Pond first = first_pond(settings);
  const auto run = run_fish_food(settings, {.ticks = Tick(30)}, pond_cluster(Fabric::Sim, 5));
  REQUIRE(run.has_value());
  std::uint64_t eaten = 0;
  std::uint64_t lost = 0;
  for (const scene::Forager& fish : run->result.state.get<FishFood::kFish>().tuples())
    eaten += fish.eaten;
  for (const scene::Food& piece : run->result.state.get<FishFood::kFood>().tuples())
    lost += first.food[piece.id].bites - piece.bites;
  CHECK(eaten > 100);
  CHECK(eaten == lost);
}

TEST_CASE("ponds without fish, without food or without both are computed") {
  for (const auto& [fish, food] : {std::pair(0u, 30u), {30u, 0u}, {0u, 0u}, {1u, 1u}}) {
    FishFoodParameters settings = small_pond();
    settings.fish.count = fish;
    settings.fish.informed = 0;
    settings.food = food;
    const scene::Pond expected = sequential(settings, 9);
    for (const TickOptions& way : ways(9)) {
      for (const FishPartition partition : {FishPartition::Grid, FishPartition::Quadtree}) {
        settings.fish.partition = partition;
        const auto run = run_fish_food(settings, way, pond_cluster(Fabric::Sim, 6));
        REQUIRE(run.has_value());
        REQUIRE(equal(run->result.state, expected));
      }
    }
  }
}

TEST_CASE("a run from a packed state of both tables continues it") {
  const FishFoodParameters settings = small_pond();
  std::vector<std::pair<Tick, std::vector<std::byte>>> kept;
  FishFoodEnds ends;
  ends.keeper = [&](Tick tick, const FishFoodTables& state) -> Status {
    kept.emplace_back(tick, packed_state(state));
    return {};
  };
  TickOptions options{.sync = Sync::Combined, .ticks = Tick(14), .checkpoint = 5};
  const auto whole = run_fish_food(settings, options, pond_cluster(Fabric::Sim, 4), ends);
  REQUIRE(whole.has_value());
  REQUIRE(kept.size() == 2);
  for (const auto& [tick, bytes] : kept) {
    FishFoodTables first;
    REQUIRE(unpack_state(bytes, FishFood::Query::everywhere(), first));
    options.ticks = Tick(14 - tick.value());
    options.checkpoint = 0;
    FishFoodEnds from;
    from.from = &first;
    from.first = tick;
    const auto rest = run_fish_food(settings, options, pond_cluster(Fabric::Loopback, 3), from);
    REQUIRE(rest.has_value());
    CHECK(equal(rest->result.state, sequential(settings, 14)));
  }
}

TEST_CASE("steps of two tables on several threads give the bits of the sequential program") {
  FishFoodParameters settings = small_pond();
  settings.fish.count = 6000;
  settings.food = 3000;
  const scene::Pond expected = sequential(settings, 12);
  TickOptions options{.sync = Sync::Combined, .ticks = Tick(12), .threads = 3};
  for (const std::uint32_t nodes : {1u, 2u}) {
    const auto run = run_fish_food(settings, options, pond_cluster(Fabric::Loopback, nodes));
    REQUIRE(run.has_value());
    CHECK(equal(run->result.state, expected));
  }
}

TEST_CASE("food that cannot be is refused") {
  const auto error_of = [](const auto& change) {
    FishFoodParameters settings = small_pond();
    change(settings);
    const auto run = run_fish_food(settings, {}, {});
    return run ? "none" : run.error().to_string();
  };
  CHECK_THAT(error_of([](auto& settings) { settings.model.sight = 0; }),
             Catch::Contains("sight 0"));
  CHECK_THAT(error_of([](auto& settings) { settings.model.bites = 0; }),
             Catch::Contains("bites 0"));
  CHECK_THAT(error_of([](auto& settings) { settings.model.scatter = 45; }),
             Catch::Contains("scatter 45"));
  CHECK_THAT(error_of([](auto& settings) { settings.fish.model.reach = 0; }),
             Catch::Contains("reach"));
}
