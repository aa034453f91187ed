// Snapshots of a run by pieces, and runs that resume from them.
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include "base/random.h"
#include "leeway/graph.h"
#include "programs/jacobi/piece.h"
#include "programs/pagerank/piece.h"
#include "programs/reference/oracles.h"
#include "programs/scene/spatial.h"
#include "snapshot/folder.h"
#include "test/piece/piece_support.h"
#include "test/support/test_folder.h"

using namespace leeway;
using namespace leeway::piece;
using namespace leeway::testing;

namespace {

template <class Thing>
using Kept = std::map<std::uint32_t, std::vector<Thing>>;

/// Every tick occurs at most once.
template <class Thing>
PieceEnds<Thing> keep_in(Kept<Thing>& kept, std::uint32_t every) {
  return {.every = every, .keep = [&kept](TickId tick, const std::vector<Thing>& things) {
            REQUIRE(kept.emplace(tick.value(), things).second);
          }};
}

/// Runs `run` on random clusters, and resumes it from each kept tick on other clusters;
/// `expected(tick)` is the state of that tick.
template <class Thing, class Run, class Expected>
void check_ends(std::uint32_t ticks, const Run& run, const Expected& expected) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Random random(seed, 0x6B657074);
    const auto cluster = [&] {
      ClusterOptions drawn =
          piece_cluster(seed % 4 == 0 ? Fabric::Loopback : Fabric::Sim,
                        1 + static_cast<std::uint32_t>(random.below(5)), "gigabit", seed);
      for (std::uint32_t node = 0; node < drawn.nodes; ++node) {
        drawn.faults.slowdown_percent.push_back(100 *
                                                (1 + static_cast<std::uint32_t>(random.below(9))));
      }
      drawn.faults.pauses.push_back({NodeId(static_cast<std::uint32_t>(random.below(drawn.nodes))),
                                     Instant(std::chrono::microseconds(random.below(3'000))),
                                     std::chrono::milliseconds(2)});
      return drawn;
    };
    const auto options = [&](std::uint32_t left) {
      return PieceOptions{.system = kSystems[random.below(4)], .ticks = left, .balance_every = 2};
    };
    const auto every = 1 + static_cast<std::uint32_t>(random.below(4));
    Kept<Thing> kept;
    CAPTURE(seed, every);
    REQUIRE(run(cluster(), options(ticks), keep_in(kept, every)) == expected(ticks));
    REQUIRE(kept.size() == (ticks - 1) / every);
    for (const auto& [tick, things] : kept) {
      CAPTURE(tick);
      REQUIRE(tick % every == 0);
      REQUIRE(things == expected(tick));
      const PieceEnds<Thing> from{.from = &things};
      REQUIRE(run(cluster(), options(ticks - tick), from) == expected(ticks));
    }
  }
}

/// Five pieces in a ring; a piece's number depends on every tick and on its neighbours. Ends by itself.
class TickSums {
 public:
  using Object = std::uint64_t;
  struct Partial {
    std::uint64_t sum = 0;
    Partial& operator+=(const Partial& more) {
      sum += more.sum;
      return *this;
    }
  };
  TickSums(std::uint32_t pieces, std::uint32_t workers) {
    std::vector<NodeId> homes;
    std::vector<std::vector<PieceId>> needs(pieces);
    for (std::uint32_t i = 0; i < pieces; ++i) {
      homes.emplace_back(i * workers / pieces);
      needs[i] = {PieceId((i + 1) % pieces)};
    }
    layout_ = PieceLayout(homes, needs);
  }
  [[nodiscard]] const PieceLayout& layout() const { return layout_; }
  [[nodiscard]] std::vector<std::uint64_t> load(PieceId piece) const { return {piece.value()}; }
  void process(Piece<TickSums>& piece) const {
    piece.expect(1);
    piece.update(0, {piece.get().objects[0]});
    if (!piece.barrier()) return;
    piece.set(0, piece.update(0).sum * 3 + piece.tick().value());
    piece.diffuse();
  }
  [[nodiscard]] double change(const Object& before, const Object& now) const {
    return before == now ? 0 : 1;
  }
  [[nodiscard]] bool termination(TickId tick, double change) const {
    return tick.value() >= kLast || change == 0;
  }

  static constexpr std::uint32_t kLast = 47;

 private:
  PieceLayout layout_;
};

Result<PieceResult> sum_ticks(std::uint32_t pieces, std::uint32_t nodes, System system,
                              const Saving& saving) {
  PieceOptions options{.system = system, .ticks = 1000};
  options.saving = saving;
  const TickSums program(pieces, nodes);
  return run_pieces_of(program, piece_cluster(Fabric::Loopback, nodes, "gigabit", 1), options);
}

}  // namespace

TEST_CASE("fish resume from every kept tick, in another system on other nodes") {
  FishJob job{.pieces = 4};
  job.model.width = 60;
  job.model.height = 40;
  job.model.reach = 1.5;
  job.things = scene::school(job.model, 120, 12, 2, 5);
  check_ends<scene::Fish>(
      8,
      [&](const auto& cluster, const auto& options, const auto& ends) {
        return run_spatial(job, cluster, options, ends).value().things;
      },
      [&](std::uint32_t ticks) {
        std::vector<scene::Fish> fish = job.things;
        fish = reference::fish_after(job.model, fish, ticks);
        return fish;
      });
}

TEST_CASE("bodies resume from every kept tick") {
  NBodyJob job{.pieces = 4};
  job.model.width = 120;
  job.model.height = 100;
  job.things = scene::nbody_scene({.bodies = 120, .groups = 3, .seed = 4}, job.model);
  check_ends<scene::Body>(
      8,
      [&](const auto& cluster, const auto& options, const auto& ends) {
        return run_spatial(job, cluster, options, ends).value().things;
      },
      [&](std::uint32_t ticks) { return reference::bodies_after(job.model, job.things, ticks); });
}

TEST_CASE("a plate resumes from every kept tick, cut into other blocks") {
  const JacobiJob job{.plate = {.columns = 19, .rows = 13}, .pieces = 3};
  check_ends<double>(
      9,
      [&](const ClusterOptions& cluster, const auto& options, const auto& ends) {
        JacobiJob cut = job;
        cut.pieces = 1 + static_cast<std::uint32_t>(cluster.seed % 7);
        return run_jacobi(cut, cluster, options, ends).value().heat;
      },
      [&](std::uint32_t ticks) {
        return reference::plate_after(job.plate, scene::first_plate(job.plate, 1), ticks);
      });
}

TEST_CASE("a run until convergence keeps and shows each tick before its end once") {
  const JacobiJob job{.plate = {.columns = 9, .rows = 8}, .pieces = 3, .tolerance = 1e-3};
  for (const System system : kSystems) {
    for (const std::uint32_t shown : {0u, 1u}) {
      Kept<double> kept;
      const auto run =
          run_jacobi(job, piece_cluster(Fabric::Sim, 3, "gigabit"),
                     {.system = system, .ticks = 10'000, .frame_every = shown}, keep_in(kept, 1));
      REQUIRE(run.has_value());
      REQUIRE(run->record.terminated);
      CAPTURE(system_name(system), shown, run->record.ticks);
      REQUIRE(kept.size() == run->record.ticks - 1);
      const auto middle = std::next(kept.begin(), static_cast<std::ptrdiff_t>(kept.size() / 2));
      const auto rest = run_jacobi(job, piece_cluster(Fabric::Sim, 2, "ec2"), {.ticks = 10'000},
                                   {.from = &middle->second});
      REQUIRE(rest.has_value());
      CHECK(rest->heat == run->heat);
      CHECK(middle->first + rest->record.ticks == run->record.ticks);
    }
  }
}

TEST_CASE("ranks resume from a kept tick, with the graph cut into other pieces") {
  const Graph graph = generate("kron:7:8", {}).value();
  const auto expected = reference::pagerank(graph, {.tolerance = 1e-15});
  Kept<double> kept;
  REQUIRE(run_pagerank(graph, {.pieces = 3}, piece_cluster(Fabric::Sim, 3, "gigabit"),
                       {.ticks = 5'000}, keep_in(kept, 20))
              .has_value());
  REQUIRE_FALSE(kept.empty());
  const auto run = run_pagerank(graph, {.pieces = 5}, piece_cluster(Fabric::Sim, 2, "gigabit"),
                                {.ticks = 5'000}, {.from = &kept.rbegin()->second});
  REQUIRE(run.has_value());
  for (std::size_t v = 0; v < expected.size(); ++v)
    CHECK(std::abs(run->ranks[v] - expected[v]) < 1e-12);
}

TEST_CASE(
    "an own program resumes from each of its snapshots, and sees the ticks of the whole run") {
  const auto whole = sum_ticks(5, 3, System::OriTick, {});
  REQUIRE(whole.has_value());
  const auto expected = objects_of<std::uint64_t>(whole->snapshots.back().pieces);
  CHECK(whole->snapshots.back().tick == TickId(TickSums::kLast + 1));
  const System first = GENERATE(System::OriTick, System::AsyTickPlb);
  const TestFolder folder;
  Saving saving{.folder = folder.inside("kept"), .every_rounds = 6, .kept = 100};
  saving.program = "sums";
  const auto saved = sum_ticks(5, 3, first, saving);
  REQUIRE(saved.has_value());
  CHECK(saved->record.nodes.front().snapshots.taken >= 1);
  CHECK(objects_of<std::uint64_t>(saved->snapshots.back().pieces) == expected);
  const auto numbers = snapshot::numbers_in(saving.folder);
  REQUIRE(numbers.has_value());
  for (const std::uint64_t number : *numbers) {
    CAPTURE(number);
    Saving resume{.resume = snapshot::folder_of(saving.folder, number)};
    resume.program = "sums";
    const auto resumed = sum_ticks(5, 2, System::AsyTick, resume);
    REQUIRE(resumed.has_value());
    CHECK(resumed->record.rounds_before >= 6);
    CHECK(resumed->snapshots.back().tick == TickId(TickSums::kLast + 1));
    CHECK(objects_of<std::uint64_t>(resumed->snapshots.back().pieces) == expected);
    // Another number of pieces, and another name.
    const auto misfit = sum_ticks(4, 2, System::AsyTick, resume);
    REQUIRE_FALSE(misfit.has_value());
    CHECK(misfit.error().what == "it contains no state of this program");
    resume.program = "others";
    CHECK_FALSE(sum_ticks(5, 2, System::AsyTick, resume).has_value());
  }
}
