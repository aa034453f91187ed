#include "benchmarks/replay/claim.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/check.h"
#include "base/format.h"
#include "base/median.h"

namespace leeway::replay {

namespace {

constexpr std::string_view kClaimDigits = ".6g";

std::string number_text(double number) {
  if (std::isnan(number)) return "x";
  if (number != 0 && std::abs(number) < 0.01) return format("{:.2g}", number);
  return std::abs(number) >= 1000 ? format("{:.0f}", number) : format("{:.3g}", number);
}

/// The texts of all measures, each after its measure's name.
template <class Text>
std::string joined(const Claim& claim, Text&& text_of) {
  std::string text;
  for (const Measure& measure : claim.measures) {
    const std::string one = text_of(measure);
    if (one.empty()) continue;
    text += format("{}{}{}{}", text.empty() ? "" : "; ", measure.name,
                   measure.name.empty() ? "" : " ", one);
  }
  return text;
}

Verdict verdict_by(const Claim& claim, const std::function<double(const Measure&)>& number) {
  bool all_agree = true;
  bool any_disagrees = claim.measures.empty();
  for (const Measure& measure : claim.measures) {
    const Verdict verdict = measure.verdict_of(number(measure));
    all_agree = all_agree && verdict == Verdict::Agrees;
    any_disagrees = any_disagrees || verdict == Verdict::Disagrees;
  }
  if (any_disagrees) return Verdict::Disagrees;
  return all_agree ? Verdict::Agrees : Verdict::OtherSize;
}

/// The band ends at the neutral value.
Measure measure_of(std::string name, double paper, double low, double high, double neutral,
                   double here) {
  if (paper > neutral) low = std::max(low, neutral);
  if (paper < neutral) high = std::min(high, neutral);
  return {std::move(name), paper, low, high, neutral, {here}};
}

Measure ratio_measure(std::string name, double paper, double here, double neutral) {
  return measure_of(std::move(name), paper, paper / kRatioBand, paper * kRatioBand, neutral, here);
}

/// True for the number of cases in which an order holds, of which all must.
bool is_count(const Measure& measure) {
  return std::isnan(measure.paper) && measure.low == measure.high;
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::Agrees:
      return "agrees";
    case Verdict::OtherSize:
      return "same direction, other size";
    case Verdict::Disagrees:
      return "disagrees";
  }
  LEEWAY_CHECK(false);
  return "";
}

std::vector<double> Measure::ended() const {
  std::vector<double> ended;
  std::copy_if(here.begin(), here.end(), std::back_inserter(ended),
               [](double number) { return !std::isnan(number); });
  return ended;
}

double Measure::median() const {
  std::vector<double> ended = this->ended();
  // Runs that do not end are the majority's answer, too.
  if (2 * ended.size() <= here.size()) return kNoNumber;
  return leeway::median(std::move(ended));
}

Verdict Measure::verdict_of(double number) const {
  const bool in_band = number >= low && number <= high;
  if (std::isnan(number) || std::isnan(neutral) || paper == neutral)
    return in_band ? Verdict::Agrees : Verdict::Disagrees;
  if (!has_direction(number)) return Verdict::Disagrees;
  return in_band ? Verdict::Agrees : Verdict::OtherSize;
}

bool Measure::has_direction(double number) const {
  const double aim = std::isnan(paper) ? (low + high) / 2 : paper;
  return (number - neutral) * (aim - neutral) > 0;
}

Verdict Claim::verdict() const {
  return verdict_by(*this, [](const Measure& measure) { return measure.median(); });
}

std::vector<Verdict> Claim::verdicts_by_seed() const {
  std::vector<Verdict> verdicts;
  const std::size_t seeds = measures.empty() ? 0 : measures.front().here.size();
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    verdicts.push_back(
        verdict_by(*this, [seed](const Measure& measure) { return measure.here[seed]; }));
  }
  return verdicts;
}

Claim ratio_claim(std::string text, std::string rule, double paper, double here, double neutral) {
  return {std::move(text), std::move(rule), {ratio_measure("", paper, here, neutral)}};
}

Claim share_claim(std::string text, std::string rule, double paper, double here, double neutral) {
  return {std::move(text),
          std::move(rule),
          {measure_of("", paper, paper - kShareBand, paper + kShareBand, neutral, here)}};
}

Claim narrow_share_claim(std::string text, std::string rule, double paper, double here,
                         double points) {
  Measure measure{"", paper, paper - points, paper + points, kNoNumber, {here}};
  return {std::move(text), std::move(rule), {std::move(measure)}};
}

Claim order_claim(std::string text, std::string rule, std::size_t held, std::size_t cases) {
  const auto all = static_cast<double>(cases);
  // Without any case, an order does not hold.
  Measure measure{"",
                  kNoNumber,
                  std::max(all, 1.0),
                  std::max(all, 1.0),
                  kNoNumber,
                  {static_cast<double>(held)}};
  return {std::move(text), std::move(rule), {std::move(measure)}};
}

Claim holds_claim(std::string text, std::string rule, bool holds) {
  return order_claim(std::move(text), std::move(rule), holds ? 1 : 0, 1);
}

Claim band_claim(std::string text, std::string rule, double low, double high, double here,
                 double neutral) {
  return {std::move(text), std::move(rule), {{"", kNoNumber, low, high, neutral, {here}}}};
}

Claim ratios_claim(std::string text, std::string rule, std::span<const NamedRatio> ratios,
                   double neutral) {
  Claim claim{std::move(text), std::move(rule), {}};
  for (const NamedRatio& ratio : ratios)
    claim.measures.push_back(ratio_measure(ratio.name, ratio.paper, ratio.here, neutral));
  return claim;
}

Claim not_testable(std::string text, std::string reason) {
  Claim claim{std::move(text), "", {}, Claim::Kind::NotTestable};
  claim.reason = std::move(reason);
  return claim;
}

Claim as_calibration(Claim claim, std::string reason) {
  claim.kind = Claim::Kind::Calibration;
  claim.reason = std::move(reason);
  return claim;
}

Claim ours(Claim claim) {
  claim.kind = Claim::Kind::Ours;
  return claim;
}

Claim because(Claim claim, std::string reason) {
  claim.reason = std::move(reason);
  return claim;
}

void explain(std::vector<Claim>& claims, std::string_view reason) {
  for (Claim& claim : claims) {
    if (claim.reason.empty()) claim.reason = reason;
  }
}

std::size_t rising_steps(std::span<const double> series) {
  std::size_t steps = 0;
  for (std::size_t i = 1; i < series.size(); ++i) steps += series[i] > series[i - 1] ? 1 : 0;
  return steps;
}

std::size_t falling_steps(std::span<const double> series) {
  std::size_t steps = 0;
  for (std::size_t i = 1; i < series.size(); ++i) steps += series[i] < series[i - 1] ? 1 : 0;
  return steps;
}

std::size_t places_below(std::span<const double> series, std::span<const double> other) {
  LEEWAY_CHECK(series.size() == other.size());
  std::size_t places = 0;
  for (std::size_t i = 0; i < series.size(); ++i) places += series[i] < other[i] ? 1 : 0;
  return places;
}

void add_seed(std::vector<Claim>& claims, const std::vector<Claim>& of_seed) {
  LEEWAY_CHECK(claims.size() == of_seed.size());
  for (std::size_t i = 0; i < claims.size(); ++i) {
    LEEWAY_CHECK(claims[i].text == of_seed[i].text, claims[i].text);
    LEEWAY_CHECK(claims[i].measures.size() == of_seed[i].measures.size(), claims[i].text);
    for (std::size_t m = 0; m < claims[i].measures.size(); ++m) {
      auto& here = claims[i].measures[m].here;
      const auto& more = of_seed[i].measures[m].here;
      here.insert(here.end(), more.begin(), more.end());
    }
  }
}

ClaimCounts count_claims(std::span<const Claim> claims) {
  ClaimCounts counts;
  for (const Claim& claim : claims) {
    if (claim.timed) continue;
    switch (claim.kind) {
      case Claim::Kind::Ours:
        break;
      case Claim::Kind::Calibration:
        ++counts.calibrations;
        break;
      case Claim::Kind::NotTestable:
        ++counts.not_testable;
        break;
      case Claim::Kind::Graded: {
        const Verdict verdict = claim.verdict();
        counts.agree += verdict == Verdict::Agrees ? 1 : 0;
        counts.other_size += verdict == Verdict::OtherSize ? 1 : 0;
        counts.disagree += verdict == Verdict::Disagrees ? 1 : 0;
      }
    }
  }
  return counts;
}

std::string paper_text(const Claim& claim) {
  return joined(claim, [](const Measure& measure) {
    return std::isnan(measure.paper) ? std::string() : number_text(measure.paper);
  });
}

std::string band_text(const Claim& claim) {
  return joined(claim, [](const Measure& measure) {
    if (is_count(measure))
      return measure.low == 1 ? std::string("holds") : format("all {:.0f}", measure.low);
    if (std::isinf(measure.high)) return format("at least {}", number_text(measure.low));
    if (std::isinf(measure.low)) return format("at most {}", number_text(measure.high));
    return format("{} to {}", number_text(measure.low), number_text(measure.high));
  });
}

std::string here_text(const Claim& claim) {
  return joined(claim, [](const Measure& measure) {
    if (is_count(measure) && measure.low == 1)
      return std::string(measure.median() == 1 ? "holds" : "does not hold");
    std::string text = number_text(measure.median());
    const std::vector<double> ended = measure.ended();
    const auto [least, most] = std::minmax_element(ended.begin(), ended.end());
    if (ended.size() > 1 && *least != *most)
      text += format(" ({} to {})", number_text(*least), number_text(*most));
    if (!ended.empty() && ended.size() < measure.here.size())
      text += format(", {} of {} seeds", ended.size(), measure.here.size());
    return text;
  });
}

std::string verdict_text(const Claim& claim) {
  if (claim.kind == Claim::Kind::NotTestable) return "not testable here";
  if (claim.kind == Claim::Kind::Calibration) return "calibration";
  const Verdict verdict = claim.verdict();
  const std::vector<Verdict> by_seed = claim.verdicts_by_seed();
  const auto same = std::count(by_seed.begin(), by_seed.end(), verdict);
  std::string text(verdict_name(verdict));
  if (static_cast<std::size_t>(same) < by_seed.size())
    text += format("; so for {} of {} seeds", same, by_seed.size());
  return text;
}

void write_claim(const Claim& claim, JsonWriter& json) {
  json.member("claim", claim.text).member("rule", claim.rule);
  json.key("measures").array(claim.measures, [&](const Measure& measure) {
    json.object([&] {
      json.member("name", measure.name);
      json.member("paper", measure.paper, kClaimDigits);
      json.member("low", measure.low, kClaimDigits).member("high", measure.high, kClaimDigits);
      json.member("median", measure.median(), kClaimDigits);
      json.key("here").array(measure.here,
                             [&](double number) { json.value(number, kClaimDigits); });
    });
  });
  json.member("ours", claim.kind == Claim::Kind::Ours);
  json.member("paper", paper_text(claim)).member("band", band_text(claim));
  json.member("here", here_text(claim)).member("verdict", verdict_text(claim));
  if (claim.graded()) json.member("agrees", claim.verdict() == Verdict::Agrees);
  if (!claim.reason.empty()) json.member("reason", claim.reason);
  if (claim.timed) json.member("timed", true);
}

}  // namespace leeway::replay
