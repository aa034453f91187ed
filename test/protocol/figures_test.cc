// The examples of ASPIRE §2 replayed on the shipped machines. In both, c computes d(c) = min(20 +
// d(a), 16 + d(b)); iteration i uses the values of a and b at the end of i-1.
//
// The rule of Figure 2, derived from its table: before iteration i every write of i-1 has been
// announced. A read uses the copy if its staleness is at most the threshold and fetches the current
// value otherwise. Nothing is refreshed. All 27 cells of the paper's table follow from this rule.
#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>

#include "test/support/machines.h"

using namespace leeway;
using testing::HandWired;
using testing::policy_of;

namespace {

constexpr std::uint32_t kHomeOfA = 0;
constexpr std::uint32_t kHomeOfB = 1;
constexpr std::uint32_t kReader = 2;  // computes c

class Example {
 public:
  explicit Example(std::string_view mode)
      : machines(3, policy_of(mode)),
        a(machines.meet(kReader, kHomeOfA, 0)),
        b(machines.meet(kReader, kHomeOfB, 0)) {}

  std::uint64_t compute_c() {
    const std::uint64_t from_a = 20 + machines.read(kReader, a);
    const std::uint64_t from_b = 16 + machines.read(kReader, b);
    return std::min(from_a, from_b);
  }

  HandWired machines;
  SlotIndex a;
  SlotIndex b;
};

using Cells = std::vector<std::optional<std::uint64_t>>;
constexpr std::nullopt_t _ = std::nullopt;

const Cells kA = {20, _, 16, _, _, 15, 14, 13, _};
const Cells kB = {28, 22, 21, _, _, 18, 17, 9, _};

/// A row as printed in the paper, with a dash for a value equal to the previous one.
Cells figure_2(std::uint64_t threshold) {
  Example example("stale-" + std::to_string(threshold));
  example.machines.store(kHomeOfA, 0, *kA[0]);
  example.machines.store(kHomeOfB, 0, *kB[0]);
  Cells row = {example.compute_c()};
  std::uint64_t before = *row[0];
  for (std::size_t i = 1; i < kA.size(); ++i) {
    const std::uint64_t now = example.compute_c();
    row.push_back(now == before ? std::optional<std::uint64_t>() : now);
    before = now;
    if (kA[i]) example.machines.store(kHomeOfA, 0, *kA[i]);
    if (kB[i]) example.machines.store(kHomeOfB, 0, *kB[i]);
    REQUIRE(example.machines.settle());
  }
  return row;
}

}  // namespace

TEST_CASE("ASPIRE Figure 1: c combines current and stale values and still converges") {
  Example example("rcp");
  HandWired& machines = example.machines;
  const auto hear = [&](std::uint32_t home) {
    machines.flush(home);
    while (machines.under_way(home, kReader) > 0) REQUIRE(machines.deliver(home, kReader));
  };
  const auto refresh = [&](SlotIndex slot, std::uint32_t home) {
    machines.cache(kReader).refresh(slot);
    machines.flush(kReader);
    while (machines.under_way(kReader, home) > 0) REQUIRE(machines.deliver(kReader, home));
  };

  machines.store(kHomeOfA, 0, 20);
  machines.store(kHomeOfB, 0, 28);
  REQUIRE(example.compute_c() == 40);  // i = 1: d0(a) = 20, d0(b) = 28

  machines.store(kHomeOfB, 0, 20);  // at its end d1(b) = 20, which a refresh delivers
  hear(kHomeOfB);
  refresh(example.b, kHomeOfB);
  hear(kHomeOfB);
  REQUIRE(example.compute_c() == 36);  // i = 2: only the update of b has arrived

  machines.store(kHomeOfA, 0, 15);  // d2(a) = 15 and d2(b) = 10
  machines.store(kHomeOfB, 0, 10);
  hear(kHomeOfA);
  hear(kHomeOfB);
  refresh(example.a, kHomeOfA);
  hear(kHomeOfA);
  refresh(example.b, kHomeOfB);  // the answer with d2(b) is still in flight
  REQUIRE(machines.cache(kReader).state(example.b) == CopyState::Refreshing);
  REQUIRE(example.compute_c() == 35);  // i = 3: d2(a), without the change of b

  hear(kHomeOfB);
  REQUIRE(example.compute_c() == 26);  // i = 4: d2(b) = 10
}

TEST_CASE("ASPIRE Figure 2, threshold 0: every change is seen in the next iteration") {
  REQUIRE(figure_2(0) == Cells{40, _, 38, 36, _, _, 34, 33, 25});
}

TEST_CASE("ASPIRE Figure 2, threshold 1: 22 is never seen and 21 directly in iteration 3") {
  REQUIRE(figure_2(1) == Cells{40, _, _, 37, _, _, 35, 33, _});
}

TEST_CASE("ASPIRE Figure 2, threshold 2: two changes of d(c) in eight iterations") {
  REQUIRE(figure_2(2) == Cells{40, _, _, _, _, _, 34, _, _});
}
