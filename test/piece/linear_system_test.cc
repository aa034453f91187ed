#include "programs/linear_system/piece.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "datasets/build_graph.h"
#include "test/piece/piece_support.h"

using namespace leeway;
using namespace leeway::piece;
using namespace leeway::testing;

namespace {

using Rows = std::vector<std::vector<double>>;

/// The graph of a matrix; zeros off the diagonal are no entries.
Graph graph_of(const Rows& rows) {
  EdgeChunkBuilder edges;
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    for (std::uint32_t j = 0; j < rows.size(); ++j)
      if (rows[i][j] != 0 || i == j) edges.add(VertexId(i), VertexId(j), rows[i][j]);
  }
  EdgeList list;
  list.chunks.push_back(edges.finish().value());
  list.weight_kind = WeightKind::Real;
  GraphShape shape;
  shape.vertex_count = static_cast<std::uint32_t>(rows.size());
  shape.directed = true;
  shape.names = VertexNames::sequence(1, shape.vertex_count);
  return build_graph(std::move(list), std::move(shape), {}).value();
}

/// A strictly diagonally dominant matrix with rows of different sizes and about `share` of its entries.
Rows draw_rows(std::uint32_t size, double share, std::uint64_t seed) {
  Random random(seed, 0x6A61636F);
  Rows rows(size, std::vector<double>(size));
  for (std::uint32_t i = 0; i < size; ++i) {
    double sum = 0;
    for (std::uint32_t j = 0; j < size; ++j) {
      if (i == j || !random.chance(share)) continue;
      rows[i][j] = 2 * random.unit() - 1;
      sum += std::abs(rows[i][j]);
    }
    rows[i][i] = (random.chance(0.5) ? 1.3 : -1.3) * (sum + random.unit());
    const double scale = std::pow(10.0, 4 * random.unit() - 2);
    for (double& entry : rows[i]) entry *= scale;
  }
  return rows;
}

std::vector<double> draw_side(std::uint32_t size, std::uint64_t seed) {
  Random random(seed, 0x73696465);
  std::vector<double> side(size);
  for (double& each : side) each = 20 * random.unit() - 10;
  return side;
}

/// Gaussian elimination with partial pivoting.
std::vector<double> solved(Rows rows, std::vector<double> side) {
  const std::size_t n = rows.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(rows[i][k]) > std::abs(rows[pivot][k])) pivot = i;
    std::swap(rows[k], rows[pivot]);
    std::swap(side[k], side[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = rows[i][k] / rows[k][k];
      for (std::size_t j = k; j < n; ++j) rows[i][j] -= factor * rows[k][j];
      side[i] -= factor * side[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) side[k] -= rows[k][j] * side[j];
    side[k] /= rows[k][k];
  }
  return side;
}

/// Jacobi's method, with the products of a row added in ascending order.
std::vector<double> relaxed(const Rows& rows, const std::vector<double>& side,
                            const std::vector<double>& x) {
  std::vector<double> next(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j)
      if (i != j) sum += rows[i][j] * x[j];
    next[i] = (side[i] - sum) / rows[i][i];
  }
  return next;
}

double farthest(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

double largest(const std::vector<double>& a) { return farthest(a, std::vector<double>(a.size())); }

LinearSystemResult run_of(const LinearSystem& system, const LinearSystemJob& job,
                          const ClusterOptions& cluster, const PieceOptions& options) {
  auto run = run_linear_system(system, job, cluster, options);
  INFO((run ? std::string() : run.error().to_string()));
  REQUIRE(run.has_value());
  return std::move(*run);
}

}  // namespace

TEST_CASE("one piece gives the bits of sequential Jacobi, dense and sparse") {
  for (const double share : {1.0, 0.7, 0.1, 0.0}) {
    for (const std::uint32_t size : {1u, 2u, 3u, 6u, 50u}) {
      CAPTURE(share, size);
      const Rows rows = draw_rows(size, share, size);
      const Graph matrix = graph_of(rows);
      const LinearSystem system{
          .matrix = matrix, .right_side = draw_side(size, 3), .start = draw_side(size, 4)};
      std::vector<double> expected = system.start;
      for (int tick = 0; tick < 7; ++tick) expected = relaxed(rows, system.right_side, expected);
      const auto run =
          run_of(system, {.pieces = 1}, piece_cluster(Fabric::Loopback, 1, "ideal"), {.ticks = 7});
      CHECK(run.x == expected);
      CHECK_FALSE(run.diverged);
    }
  }
}

TEST_CASE("systems of any density agree with elimination on any number of nodes and pieces") {
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    Random random(seed, 0x6C696E);
    const std::uint32_t size = 1 + static_cast<std::uint32_t>(random.below(90));
    const double share = random.chance(0.4) ? 1 : random.unit() * random.unit();
    const Rows rows = draw_rows(size, share, seed);
    const Graph matrix = graph_of(rows);
    const LinearSystem system{.matrix = matrix, .right_side = draw_side(size, seed)};
    const std::vector<double> expected = solved(rows, system.right_side);
    const auto nodes = 1 + static_cast<std::uint32_t>(random.below(6));
    LinearSystemJob job{.pieces = 1 + static_cast<std::uint32_t>(random.below(7)),
                        .tolerance = 1e-13};
    job.partition.method = random.chance(0.5) ? PartitionMethod::Block : PartitionMethod::Hash;
    std::vector<double> first;
    for (const System variant : kSystems) {
      for (const Fabric fabric : {Fabric::Loopback, Fabric::Sim}) {
        CAPTURE(seed, size, share, nodes, job.pieces, system_name(variant));
        const char* const network = fabric == Fabric::Sim ? "ec2" : "ideal";
        const auto run = run_of(system, job, piece_cluster(fabric, nodes, network, seed),
                                {.system = variant, .ticks = 10'000, .balance_every = 3});
        CHECK(run.record.terminated);
        CHECK_FALSE(run.diverged);
        CHECK(farthest(run.x, expected) <= 1e-11 * largest(expected));
        if (first.empty()) first = run.x;
        CHECK(run.x == first);  // one division: the same bits everywhere
      }
    }
  }
}

TEST_CASE("late messages and stragglers change no bit of a solution") {
  const Rows rows = draw_rows(70, 0.15, 9);
  const Graph matrix = graph_of(rows);
  const LinearSystem system{.matrix = matrix, .right_side = draw_side(70, 9)};
  LinearSystemJob job{.pieces = 4};
  job.partition.method = PartitionMethod::Hash;
  const auto expected = run_of(system, job, piece_cluster(Fabric::Sim, 4, "ideal"), {.ticks = 9}).x;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    auto cluster = piece_cluster(
        Fabric::Sim, 4,
        "custom:latency_us=40,jitter_us=200,spike_per_million=60000,spike_us=9000,gbit=1", seed);
    cluster.faults.slowdown_percent = {100, 700, 100, 300};
    CAPTURE(seed);
    const auto run = run_of(system, job, cluster,
                            {.system = kSystems[seed % 4],
                             .ticks = 9,
                             .scheduler = seed % 3 != 0,
                             .balance_every = 2 + static_cast<std::uint32_t>(seed % 3)});
    CHECK(run.x == expected);
  }
}

TEST_CASE("a run ends at the tick at which the sequential method has converged") {
  const Rows rows = draw_rows(40, 0.3, 5);
  const Graph matrix = graph_of(rows);
  const LinearSystem system{.matrix = matrix, .right_side = draw_side(40, 6)};
  double scale = 0;
  for (std::size_t i = 0; i < 40; ++i)
    scale = std::max(scale, std::abs(system.right_side[i] / rows[i][i]));
  std::vector<double> x(40);
  std::uint32_t ticks = 0;
  for (double change = 1; change > 1e-6; ++ticks) {
    const auto next = relaxed(rows, system.right_side, x);
    change = farthest(next, x) / scale;
    x = next;
  }
  for (const System variant : kSystems) {
    const auto run =
        run_of(system, {.pieces = 3, .tolerance = 1e-6}, piece_cluster(Fabric::Sim, 3, "gigabit"),
               {.system = variant, .ticks = 10'000});
    CHECK(run.record.terminated);
    CHECK(run.record.ticks == ticks);
    CHECK(farthest(run.x, x) <= 1e-13 * largest(x));
  }
}

TEST_CASE("a worker sends only the values that the other worker's rows refer to") {
  Rows rows(400, std::vector<double>(400));
  for (std::size_t i = 0; i < 400; ++i) {
    rows[i][i] = 4;
    if (i > 0) rows[i][i - 1] = -1;
    if (i + 1 < 400) rows[i][i + 1] = -1;
  }
  const Graph matrix = graph_of(rows);
  const LinearSystem system{.matrix = matrix, .right_side = std::vector<double>(400, 1.0)};
  LinearSystemJob job{.pieces = 1};
  job.partition.method = PartitionMethod::Block;
  const auto run = run_of(system, job, piece_cluster(Fabric::Sim, 2, "ideal"),
                          {.system = System::AsyTick, .ticks = 10});
  // One value in each direction in each tick, not 200; and at the end 200 from worker 1 to worker 0.
  CHECK(run.record.nodes.at(0).counters[Counter::BytesSent] < 10 * 100);
  CHECK(run.record.nodes.at(1).counters[Counter::BytesSent] < 10 * 100 + 8 * 200);
  CHECK(run.record.nodes.at(1).counters[Counter::BytesSent] > 8 * 200);
}

TEST_CASE("a method that diverges says so") {
  const Graph matrix = graph_of({{1, 3}, {3, 1}});
  const LinearSystem system{.matrix = matrix, .right_side = {1, 1}};
  for (const double tolerance : {1e-9, 0.0}) {
    const auto run = run_of(system, {.pieces = 1, .tolerance = tolerance},
                            piece_cluster(Fabric::Sim, 2, "ideal"), {.ticks = 2'000});
    CHECK(run.diverged);
    CHECK(run.record.ticks < (tolerance > 0 ? 60 : 2'001));
  }
  // Neither convergence nor growth.
  const Graph swings = graph_of({{1, 1}, {1, 1}});
  const auto run = run_of({.matrix = swings, .right_side = {1, 1}}, {.tolerance = 1e-9},
                          piece_cluster(Fabric::Sim, 2, "ideal"), {.ticks = 500});
  CHECK_FALSE(run.diverged);
  CHECK_FALSE(run.record.terminated);
}

TEST_CASE("the residual is relative to the right side") {
  const Graph matrix = graph_of({{2, 0}, {1, 4}});
  CHECK(relative_residual({.matrix = matrix, .right_side = {2, 9}}, std::vector<double>{1, 2}) ==
        0);
  CHECK(relative_residual({.matrix = matrix, .right_side = {3, 4}}, std::vector<double>{0, 0}) ==
        Approx(1));
  CHECK(relative_residual({.matrix = matrix, .right_side = {3e200, 4e200}},
                          std::vector<double>{1.5e200, 0}) == Approx(0.5));
  CHECK(relative_residual({.matrix = matrix, .right_side = {0, 0}}, std::vector<double>{1, 1}) ==
        Approx(std::sqrt(29.0)));
}

TEST_CASE("matrices without a solution by Jacobi's method are refused by row") {
  const auto refusal = [](const Graph& matrix) {
    const Status admitted = admit_matrix(matrix);
    return admitted ? std::string("admitted") : admitted.error().to_string();
  };
  CHECK_THAT(refusal(graph_of({{1, 2}, {3, 0}})), Catch::Contains("row 2: its diagonal"));
  CHECK_THAT(refusal(graph_of({{std::nan(""), 2}, {3, 1}})), Catch::Contains("row 1"));
  CHECK_THAT(refusal(graph_of({{1, 0}, {std::numeric_limits<double>::infinity(), 1}})),
             Catch::Contains("row 2: its entry in column 1"));
  CHECK_THAT(refusal(graph_of({})), Catch::Contains("no rows"));
  CHECK_THAT(refusal(generate("path:4", {}).value()), Catch::Contains("no numbers"));
  CHECK(refusal(graph_of({{1}})) == "admitted");
}
