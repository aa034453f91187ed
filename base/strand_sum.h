// A sum in four strands, added up at the end. A single strand costs a long list most of its time, because
// each addition waits for the last. The order is fixed, so the result is the same each time.
#pragma once

namespace leeway {

class StrandSum {
 public:
  /// In a loop unrolled by four the strands cost no moves.
  void add(double term) {
    const double grown = a_ + term;
    a_ = b_;
    b_ = c_;
    c_ = d_;
    d_ = grown;
  }
  [[nodiscard]] double total() const { return (a_ + b_) + (c_ + d_); }

 private:
  double a_ = 0;
  double b_ = 0;
  double c_ = 0;
  double d_ = 0;
};

}  // namespace leeway
