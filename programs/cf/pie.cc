#include "programs/cf/pie.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/bytes.h"
#include "base/check.h"
#include "base/format.h"

namespace leeway::pie {

namespace {

float product(const Factor& a, const Factor& b) {
  float sum = 0;
  for (std::size_t k = 0; k < kFactors; ++k) sum += a[k] * b[k];
  return sum;
}

}  // namespace

Filtering::Filtering(const Graph& ratings, const FilteringParameters& options)
    : options_(options), users_(ratings.left_count()) {
  LEEWAY_CHECK((users_ > 0 && ratings.weighted()));
  if (ratings.arc_count() == 0) return;
  double sum = 0;
  double squares = 0;
  for (const double rating : ratings.weights()) {
    sum += rating;
    squares += rating * rating;
  }
  const auto count = static_cast<double>(ratings.arc_count());
  const double mean = sum / count;
  const double deviation = std::sqrt(std::max(0.0, squares / count - mean * mean));
  spread_ = static_cast<float>(std::max(1.0, deviation));
  middle_ = static_cast<float>(mean) / spread_;
}

void Filtering::aggregate(Value& kept, const Value& come) {
  if (come.pull == 0) {
    if (kept.pull == 0 && come.time >= kept.time) kept = come;
    return;
  }
  if (kept.pull == 0) {
    kept = come;
    return;
  }
  for (std::size_t k = 0; k < kFactors; ++k) kept.factor[k] += come.factor[k];
  kept.pull += come.pull;
}

/// Initial factors, equal on every node: values such that the product of two is about a mean rating. They differ by
/// up to half; if they were nearly equal, all components would descend alike and stay near a solution of rank one.
Factor Filtering::first_factor(VertexId vertex) const {
  const float base = std::sqrt(std::abs(middle_) / kFactors);
  Factor factor;
  for (std::size_t k = 0; k < kFactors; ++k) {
    const std::uint64_t bits =
        mix64(vertex.value() * kFactors + k + options_.seed * 0x9e3779b97f4a7c15U);
    const float noise = static_cast<float>(bits >> 40) / static_cast<float>(1U << 24U) - 0.5F;
    factor[k] = base * (1 + noise);
    // If ratings are centred at 0, estimates must be, too.
    if (k % 2 == 1 && vertex.value() < users_ && middle_ < 0) factor[k] = -factor[k];
  }
  return factor;
}

bool Filtering::tests(VertexId user, VertexId item) const {
  return mix64((std::uint64_t{user.value()} << 32U) ^ item.value() ^ options_.seed) % 10 == 0;
}

/// The weight of one rating's pull on the factor at its other end.
float Filtering::pull_of(const Factor& other) const {
  constexpr float kLeast = 1e-6F;  // 0 would mark the value as a factor
  return std::max(kLeast, options_.rate * (product(other, other) + options_.regulariser));
}

/// The share of the distance to its target that a factor moves: each step covers a share of the remaining distance.
/// Adding simultaneous changes of several copies would overshoot, and their mean would learn more slowly with more
/// workers; this moves as far as sequential steps do.
float Filtering::moved_by(float pull) { return -std::expm1(-pull); }

/// One step of the descent for one rating; returns the squared error before the step.
float Filtering::step(Factor& user, Factor& item, float rating) const {
  const float error = rating - product(user, item);
  for (std::size_t k = 0; k < kFactors; ++k) {
    const float u = user[k];
    user[k] += options_.rate * (error * item[k] - options_.regulariser * u);
    item[k] += options_.rate * (error * u - options_.regulariser * item[k]);
  }
  return error * error;
}

Work Filtering::descend(const Fragment& fragment, Partial& partial, Changes& changes) const {
  Work work;
  const std::uint32_t inner = fragment.inner_count();
  for (std::uint32_t o = 0; o < fragment.outer_count(); ++o)
    partial.before[o] = partial.factor[inner + o];
  std::fill(partial.pull.begin(), partial.pull.end(), 0.0F);
  double loss = 0;
  // Under an edge cut, the ratings of copies belong to the home, which trains with them.
  const bool shared = fragment.cut() == Cut::Vertex;
  for (Place p = 0; p < (shared ? fragment.listed_count() : inner); ++p) {
    const VertexId user = fragment.vertex(p);
    if (user.value() >= users_) continue;
    ++work.vertices;
    for (std::uint64_t arc = fragment.offsets()[p]; arc < fragment.offsets()[p + std::size_t{1}];
         ++arc) {
      const Place item = fragment.targets()[arc];
      if (tests(user, fragment.vertex(item))) continue;
      if (shared && p >= inner) partial.pull[p - inner] += pull_of(partial.factor[item]);
      if (item >= inner) partial.pull[item - inner] += pull_of(partial.factor[p]);
      loss += step(partial.factor[p], partial.factor[item],
                   static_cast<float>(fragment.weights()[arc]) / spread_);
      ++work.edges;
      changes.mark(item);
      if (shared) changes.mark(p);
    }
  }
  work.bytes = work.edges * 4 * sizeof(Factor);  // two vectors, read and written
  ++partial.rounds;
  const bool first = partial.rounds == options_.rounds_before + 1;
  const double gain = partial.loss > 0 ? 1 - loss / partial.loss : 0;  // none without ratings
  const bool gained = first || gain > options_.least_gain;
  partial.idle_rounds = gained ? 0 : partial.idle_rounds + 1;
  partial.loss = loss;
  return work;
}

Work Filtering::peval(const Fragment& fragment, Partial& partial, Changes& changes) const {
  partial.factor.reserve(fragment.vertex_count());
  for (Place p = 0; p < fragment.vertex_count(); ++p)
    partial.factor.push_back(first_factor(fragment.vertex(p)));
  return begin(fragment, partial, changes);
}

Work Filtering::peval_from(const Fragment& fragment, Partial& partial,
                           std::span<const Factor> saved, Changes& changes) const {
  partial.factor.assign(saved.begin(), saved.end());
  return begin(fragment, partial, changes);
}

Work Filtering::begin(const Fragment& fragment, Partial& partial, Changes& changes) const {
  partial.rounds = options_.rounds_before;
  partial.before.resize(fragment.outer_count());
  partial.pull.resize(fragment.outer_count());
  partial.time.assign(fragment.vertex_count(), 0);
  Work work;
  if (unfinished(partial)) work = descend(fragment, partial, changes);
  if (options_.watch) options_.watch(fragment.id(), partial.loss);
  return work;
}

Work Filtering::inceval(const Fragment& fragment, Partial& partial,
                        std::span<Update<Value>> updates, Changes& changes) const {
  for (const auto& [place, value] : updates) {
    Factor& factor = partial.factor[place];
    if (!fragment.is_inner(place)) {
      factor = value.factor;
      partial.time[place] = value.time;
      continue;
    }
    const float weight = moved_by(value.pull) / value.pull;
    for (std::size_t k = 0; k < kFactors; ++k) factor[k] += weight * value.factor[k];
    changes.mark(place);
  }
  Work work;
  if (unfinished(partial)) work = descend(fragment, partial, changes);
  work.vertices += updates.size();
  if (options_.watch) options_.watch(fragment.id(), partial.loss);
  return work;
}

Filtering::Value Filtering::parameter(const Fragment& fragment, Partial& partial,
                                      Place place) const {
  if (fragment.is_inner(place)) return {partial.factor[place], ++partial.time[place], 0};
  const std::size_t copy = place - fragment.inner_count();
  Value change{.time = partial.rounds, .pull = partial.pull[copy]};
  const float target = change.pull / moved_by(change.pull);
  for (std::size_t k = 0; k < kFactors; ++k)
    change.factor[k] = target * (partial.factor[place][k] - partial.before[copy][k]);
  return change;
}

std::uint64_t Filtering::count(const Graph& ratings, bool test) const {
  std::uint64_t count = 0;
  for (VertexId user(0); user.value() < users_; user = user.next()) {
    for (const VertexId item : ratings.neighbors(user)) count += tests(user, item) == test ? 1 : 0;
  }
  return count;
}

double Filtering::rmse(const Graph& ratings, std::span<const Factor> factors, bool test) const {
  double sum = 0;
  std::uint64_t count = 0;
  for (VertexId user(0); user.value() < users_; user = user.next()) {
    const auto items = ratings.neighbors(user);
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (tests(user, items[i]) != test) continue;
      const double error = ratings.weights(user)[i] -
                           spread_ * product(factors[user.index()], factors[items[i].index()]);
      sum += error * error;
      ++count;
    }
  }
  return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
}

std::vector<Factor> Filtering::descend(const Graph& ratings, std::uint32_t passes) const {
  std::vector<Factor> factors;
  for (VertexId v(0); v.value() < ratings.vertex_count(); v = v.next())
    factors.push_back(first_factor(v));
  for (std::uint32_t pass = 0; pass < passes; ++pass) {
    for (VertexId user(0); user.value() < users_; user = user.next()) {
      const auto items = ratings.neighbors(user);
      for (std::size_t i = 0; i < items.size(); ++i) {
        if (tests(user, items[i])) continue;
        (void)step(factors[user.index()], factors[items[i].index()],
                   static_cast<float>(ratings.weights(user)[i]) / spread_);
      }
    }
  }
  return factors;
}

}  // namespace leeway::pie
