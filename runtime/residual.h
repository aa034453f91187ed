// How far the values of a round moved: what tells how near a program that iterates numbers is to its end. Of
// programs that say how far one value has: a vertex program by
//
//   double moved(const LocalVertex&, const Value& old, const Value& now) const;
#pragma once

#include <algorithm>
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
