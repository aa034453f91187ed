// Claims of the papers and how our numbers compare with them. A claim has one or more measures: the paper's number, a band
// around it in which ours agrees, and ours for each seed. Bands are fixed by rules, not chosen per result:
//
// - a ratio agrees within a factor of 1.5;
// - a share agrees within 15 percentage points;
// - an order ("faster than", "rises with") agrees if it holds in every case, and otherwise disagrees.
//
// A band ends at the neutral value (1 for a ratio), at which nothing is gained, so that no number without an effect agrees. A
// number outside the band that is on the same side of the neutral value as the paper's is of another size; all others
// disagree.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"

namespace leeway::replay {

/// Factor within which two ratios agree.
inline constexpr double kRatioBand = 1.5;
/// Percentage points within which two shares agree.
inline constexpr double kShareBand = 15;
/// No number of the paper, or no neutral value.
inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

enum class Verdict : std::uint8_t { Agrees, OtherSize, Disagrees };
[[nodiscard]] std::string_view verdict_name(Verdict verdict);

/// One number of a claim.
struct Measure {
  std::string name;          ///< empty if the claim has only one
  double paper = kNoNumber;  ///< absent where the paper gives an order
  double low = 0;            ///< the band, both ends included, except for the neutral value
  double high = 0;
  double neutral = kNoNumber;  ///< separates the two directions
  std::vector<double> here;    ///< one number per seed; NaN: a run did not end

  /// The numbers that are not NaN.
  [[nodiscard]] std::vector<double> ended() const;
  /// The median over the seeds whose runs ended; NaN if half of them or more did not.
  [[nodiscard]] double median() const;
  [[nodiscard]] Verdict verdict_of(double number) const;

 private:
  /// False if the number is on the other side of the neutral value, or equal to it.
  [[nodiscard]] bool has_direction(double number) const;
};

struct Claim {
  enum class Kind : std::uint8_t {
    Graded,
    Ours,         ///< a claim of this project; graded, but not counted with the paper's
    Calibration,  ///< measures what was put in, or a number that the prices were fitted to
    NotTestable,
  };

  std::string text;  ///< the claim, rephrased
  std::string rule;  ///< what was measured, and when it agrees
  std::vector<Measure> measures;
  Kind kind = Kind::Graded;
  /// For NotTestable: why. For other kinds: the cause of a difference, which is shown only if there is one.
  std::string reason = {};
  bool timed = false;  ///< decided by real time, so that runs and machines differ

  /// By the medians over all seeds: agrees if every measure does; of another size if every measure has the paper's
  /// direction.
  [[nodiscard]] Verdict verdict() const;
  /// The verdict that each seed alone would give.
  [[nodiscard]] std::vector<Verdict> verdicts_by_seed() const;
  [[nodiscard]] bool graded() const { return kind == Kind::Graded || kind == Kind::Ours; }
};

// Makers of claims, each with the number of one seed.

/// A ratio; `neutral`: the value at which nothing is gained.
[[nodiscard]] Claim ratio_claim(std::string text, std::string rule, double paper, double here,
                                double neutral = 1);
/// A share in per cent; `neutral`: absent where a share has no direction.
[[nodiscard]] Claim share_claim(std::string text, std::string rule, double paper, double here,
                                double neutral = kNoNumber);
/// A share in per cent that is within `points` of 0 or 100, where 15 points would accept everything.
[[nodiscard]] Claim narrow_share_claim(std::string text, std::string rule, double paper,
                                       double here, double points);
/// An order that holds in `held` of `cases` cases.
[[nodiscard]] Claim order_claim(std::string text, std::string rule, std::size_t held,
                                std::size_t cases);
/// The same for a single case.
[[nodiscard]] Claim holds_claim(std::string text, std::string rule, bool holds);
/// One number in a band that the paper's words define; `neutral` as in Measure.
[[nodiscard]] Claim band_claim(std::string text, std::string rule, double low, double high,
                               double here, double neutral = kNoNumber);
/// Ratios with names, each within kRatioBand.
struct NamedRatio {
  std::string name;
  double paper;
  double here;
};
[[nodiscard]] Claim ratios_claim(std::string text, std::string rule,
                                 std::span<const NamedRatio> ratios, double neutral = 1);
[[nodiscard]] Claim not_testable(std::string text, std::string reason);
[[nodiscard]] Claim as_calibration(Claim claim, std::string reason);
[[nodiscard]] Claim ours(Claim claim);
/// Adds the cause of a difference.
[[nodiscard]] Claim because(Claim claim, std::string reason);

/// The same for all claims of a figure that have no cause yet.
void explain(std::vector<Claim>& claims, std::string_view reason);

// The number of cases in which an order holds.

/// Steps at which the series rises.
[[nodiscard]] std::size_t rising_steps(std::span<const double> series);
[[nodiscard]] std::size_t falling_steps(std::span<const double> series);
/// Places where `series` is below `other`.
[[nodiscard]] std::size_t places_below(std::span<const double> series,
                                       std::span<const double> other);

/// Appends the numbers of another seed. Requires the same claims (checked).
void add_seed(std::vector<Claim>& claims, const std::vector<Claim>& of_seed);

/// Counts of the graded claims of the papers.
struct ClaimCounts {
  std::size_t agree = 0, other_size = 0, disagree = 0, not_testable = 0, calibrations = 0;

  [[nodiscard]] std::size_t graded() const { return agree + other_size + disagree; }
};
[[nodiscard]] ClaimCounts count_claims(std::span<const Claim> claims);

// The parts of a claim as text, for tables and terminals.

/// "4.2", "2 4.6", or "" for an order.
[[nodiscard]] std::string paper_text(const Claim& claim);
/// "2.8 to 6.3"; for an order "all 8".
[[nodiscard]] std::string band_text(const Claim& claim);
/// "3.9 (3.7 to 4.4)": the median and the spread over the seeds.
[[nodiscard]] std::string here_text(const Claim& claim);
/// "agrees", and with several seeds that differ "agrees; 4 of 5 seeds".
[[nodiscard]] std::string verdict_text(const Claim& claim);

/// The members of a claim, in an open object.
void write_claim(const Claim& claim, JsonWriter& json);

}  // namespace leeway::replay
