#include "benchmarks/replay/claim.h"

#include <catch2/catch.hpp>

#include <array>
#include <cmath>

#include "benchmarks/replay/figure.h"

using namespace leeway::replay;

using Series = std::vector<double>;
using Histogram = std::vector<std::uint64_t>;

namespace {

/// The claim with these numbers, one per seed.
Claim over_seeds(const Series& numbers) {
  std::vector<Claim> claims = {ratio_claim("faster", "time", 4, numbers.front())};
  for (std::size_t i = 1; i < numbers.size(); ++i)
    add_seed(claims, {ratio_claim("faster", "time", 4, numbers[i])});
  return claims.front();
}

}  // namespace

TEST_CASE("a ratio agrees within a factor of 1.5 on both sides") {
  for (const double here : {2.67, 4.0, 6.0}) {
    CHECK(ratio_claim("", "", 4, here).verdict() == Verdict::Agrees);
  }
  for (const double here : {1.01, 2.6, 6.1, 100.0}) {
    CHECK(ratio_claim("", "", 4, here).verdict() == Verdict::OtherSize);
  }
  for (const double here : {1.0, 0.9, 0.25}) {
    CHECK(ratio_claim("", "", 4, here).verdict() == Verdict::Disagrees);
  }
  CHECK(ratio_claim("", "", 0.25, 0.8).verdict() == Verdict::OtherSize);
  CHECK(ratio_claim("", "", 0.25, 1.2).verdict() == Verdict::Disagrees);
}

TEST_CASE("a share agrees within 15 percentage points, and has no direction unless one is given") {
  CHECK(share_claim("", "", 41.8, 27.0).verdict() == Verdict::Agrees);
  CHECK(share_claim("", "", 41.8, 56.7).verdict() == Verdict::Agrees);
  CHECK(share_claim("", "", 41.8, 12.0).verdict() == Verdict::Disagrees);
  CHECK(share_claim("", "", 41.8, 12.0, 100).verdict() == Verdict::OtherSize);
  CHECK(share_claim("", "", 41.8, 101.0, 100).verdict() == Verdict::Disagrees);
}

TEST_CASE("a number without an effect agrees with no band") {
  CHECK(ratio_claim("", "", 1.2, 0.95).verdict() == Verdict::Disagrees);
  CHECK(ratio_claim("", "", 1.2, 1.0).verdict() == Verdict::Disagrees);
  CHECK(ratio_claim("", "", 1.2, 1.01).verdict() == Verdict::Agrees);
  CHECK(band_text(ratio_claim("", "", 1.2, 1.01)) == "1 to 1.8");
  CHECK(share_claim("", "", 95, 101, 100).verdict() == Verdict::Disagrees);
  CHECK(share_claim("", "", 95, 99, 100).verdict() == Verdict::Agrees);
  // Where the paper's number is itself the neutral one, the whole band agrees.
  CHECK(ratio_claim("", "", 1, 0.9).verdict() == Verdict::Agrees);
  CHECK(ratio_claim("", "", 1, 0.5).verdict() == Verdict::Disagrees);
}

TEST_CASE("an order agrees if it holds in every case") {
  CHECK(order_claim("", "", 8, 8).verdict() == Verdict::Agrees);
  CHECK(order_claim("", "", 7, 8).verdict() == Verdict::Disagrees);
  CHECK(order_claim("", "", 4, 8).verdict() == Verdict::Disagrees);
  CHECK(order_claim("", "", 0, 0).verdict() == Verdict::Disagrees);
  CHECK(holds_claim("", "", true).verdict() == Verdict::Agrees);
  CHECK(holds_claim("", "", false).verdict() == Verdict::Disagrees);
}

TEST_CASE("a claim with several numbers agrees if all of them do") {
  const std::array both = {NamedRatio{"2 nodes", 1.6, 1.5}, NamedRatio{"16 nodes", 3.3, 3.0}};
  CHECK(ratios_claim("", "", both).verdict() == Verdict::Agrees);
  const std::array one = {NamedRatio{"2 nodes", 1.6, 1.5}, NamedRatio{"16 nodes", 3.3, 30.0}};
  CHECK(ratios_claim("", "", one).verdict() == Verdict::OtherSize);
  const std::array none = {NamedRatio{"2 nodes", 1.6, 0.5}, NamedRatio{"16 nodes", 3.3, 30.0}};
  CHECK(ratios_claim("", "", none).verdict() == Verdict::Disagrees);
}

TEST_CASE("the median over the seeds decides, and a verdict that depends on the seed says so") {
  const Claim same = over_seeds({3.9, 4.2, 4.0, 4.4, 3.7});
  CHECK(same.measures.front().median() == 4.0);
  CHECK(verdict_text(same) == "agrees");
  CHECK(here_text(same) == "4 (3.7 to 4.4)");
  CHECK(verdict_text(over_seeds({3.9, 9.2, 4.0, 9.4, 3.7})) == "agrees; so for 3 of 5 seeds");
  CHECK(verdict_text(over_seeds({9.9, 9.2, 4.0, 9.4, 3.7})) ==
        "same direction, other size; so for 3 of 5 seeds");
}

TEST_CASE("a run that does not end has no number, and most runs must end") {
  const Claim mostly = over_seeds({4.0, NAN, 4.1});
  CHECK(mostly.verdict() == Verdict::Agrees);
  CHECK(verdict_text(mostly) == "agrees; so for 2 of 3 seeds");
  const Claim hardly = over_seeds({4.0, NAN, NAN});
  CHECK(hardly.verdict() == Verdict::Disagrees);
  CHECK(here_text(hardly) == "x, 1 of 3 seeds");
  CHECK(here_text(mostly) == "4.1 (4 to 4.1), 2 of 3 seeds");
}

TEST_CASE("only claims of the papers that can be tested are counted") {
  std::vector<Claim> claims = {holds_claim("", "", true),
                               holds_claim("", "", false),
                               ratio_claim("", "", 4, 40),
                               ours(holds_claim("", "", true)),
                               as_calibration(holds_claim("", "", true), "put in"),
                               not_testable("", "no such machine")};
  const ClaimCounts counts = count_claims(claims);
  CHECK(counts.agree == 1);
  CHECK(counts.other_size == 1);
  CHECK(counts.disagree == 1);
  CHECK(counts.graded() == 3);
  CHECK(counts.not_testable == 1);
  CHECK(counts.calibrations == 1);
}

TEST_CASE("steps and places are counted, and a tie is neither") {
  CHECK(rising_steps(Series{1, 1.1, 1.1, 1.2}) == 2);
  CHECK(falling_steps(Series{3, 3, 1}) == 1);
  CHECK(places_below(Series{1, 3, 3}, Series{2, 3, 4}) == 2);
  CHECK(places_similar(Series{0.8, 1.21, 1.2}, Series{1, 1, 1}) == 2);
}

TEST_CASE("a constant series does not vary") {
  CHECK_FALSE(varies(Histogram{4, 4, 4}));
  CHECK(varies(Histogram{4, 4, 5}));
  CHECK(varies(Histogram{5, 4, 5}));
}

TEST_CASE("shares of a histogram count values up to a bound, and values far above it") {
  const Histogram copies = {50, 30, 0, 0, 10, 0, 6, 0, 0, 0, 4, 0, 0};
  CHECK(greatest(copies) == 10);
  CHECK(share_at_most(copies, 1) == Approx(0.8));
  CHECK(share_at_most(copies, 100) == Approx(1.0));
  CHECK(share_very_stale(copies) == Approx(0.10));  // above 5: half of 10
  CHECK_FALSE(mostly_low(copies));
  CHECK(mostly_low(Histogram{51, 30, 0, 0, 10, 0, 6, 0, 0, 0, 3}));
}

TEST_CASE("nothing is very stale where nothing is above the low bound") {
  CHECK(share_very_stale(Histogram{1, 0, 0, 0, 99}) == 0);
  CHECK(mostly_low(Histogram{0, 100}));
}

TEST_CASE("most means more than half") {
  CHECK_FALSE(mostly_low(Histogram{50, 0, 0, 0, 0, 50}));
  CHECK_FALSE(mostly_low(Histogram{0, 0, 0, 0, 0, 0}));
}
