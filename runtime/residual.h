// How far the values of a round moved: what tells how near a program that iterates numbers is to its end. Of
// programs that say how far one value has: a vertex program by
//
//   double moved(const LocalVertex&, const Value& old, const Value& now) const;
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>

namespace leeway {

struct Residual {
  double sum = 0;
  double most = 0;  ///< of one value

  void add(double moved) {
    sum += moved;
    most = std::max(most, moved);
  }
  void add(const Residual& other) {
    sum += other.sum;
    most = std::max(most, other.most);
  }
};

/// None plus none is none.
inline void add_to(std::optional<Residual>& whole, const std::optional<Residual>& part) {
  if (!part) return;
  if (!whole) whole.emplace();
  whole->add(*part);
}

/// Rounds in a row without progress after which a run is given up, unless it was told another number.
inline constexpr std::uint32_t kPatience = 100'000;

/// Counts the rounds in a row that brought a run no nearer to rest. A round brings it nearer if it changes fewer values than
/// every round before, or moves them by less. The count ends a run that does not converge. The number of rounds alone
/// does not: a path takes as many as it has arcs, and each of them is progress. One thread's own.
class StallCounter {
 public:
  /// To measure a residual takes time, so one is looked at only after so many rounds without progress, or half the patience.
  static constexpr std::uint32_t kUnmeasured = 1'000;

  explicit StallCounter(std::uint32_t patience)
      : unmeasured_(std::min(kUnmeasured, patience / 2)) {}

  /// Whether a round that changed so many values brought the run nearer to rest.
  [[nodiscard]] bool nearer(std::uint64_t changed, const std::optional<Residual>& residual) {
    const bool fewer = changed < least_changed_;
    least_changed_ = std::min(least_changed_, changed);
    if (!residual || !wants_residual()) return fewer;
    const bool less = residual->sum < least_moved_;
    least_moved_ = std::min(least_moved_, residual->sum);
    return fewer || less;
  }
  void count(bool nearer) { rounds_ = nearer ? 0 : rounds_ + 1; }
  [[nodiscard]] std::uint32_t rounds() const { return rounds_; }
  /// The residual of the next round decides whether it is progress.
  [[nodiscard]] bool wants_residual() const { return rounds_ >= unmeasured_; }

 private:
  std::uint32_t unmeasured_;
  std::uint64_t least_changed_ = std::numeric_limits<std::uint64_t>::max();
  double least_moved_ = std::numeric_limits<double>::infinity();
  std::uint32_t rounds_ = 0;
};

/// Of all threads of a node together.
class SharedResidual {
 public:
  void add(const std::optional<Residual>& part) {
    if (!part) return;
    const std::lock_guard locked(mutex_);
    add_to(whole_, part);
  }
  /// None if nobody measured any. Requires that nobody adds any more.
  [[nodiscard]] const std::optional<Residual>& whole() const { return whole_; }

 private:
  std::mutex mutex_;
  std::optional<Residual> whole_;
};

}  // namespace leeway
