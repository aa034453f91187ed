#include "leeway/runtime/piece/forecast.h"

#include <algorithm>
#include <cmath>

namespace leeway::piece {

void Forecast::take(PieceId piece, std::uint64_t nanoseconds, std::uint32_t ticks) {
  if (ticks == 0) return;
  Told& told = pieces_[piece.index()];
  const double count = ticks;
  told.load += static_cast<double>(nanoseconds);
  told.ticks += count;
  const bool due = told.ticks >= ahead_;
  // What was judged is half forgotten when every piece has been judged about ten times since.
  const double kept_errors = 1 - 1 / (16.0 * static_cast<double>(pieces_.size()));
  if (due && told.judged) judgements_ = judgements_ * kept_errors + 1;
  for (std::size_t i = 0; i < kKept.size(); ++i) {
    Memory& memory = told.memories[i];
    const double kept = std::pow(kKept[i], count);
    const double weight = (1 - kept) / (1 - kKept[i]);
    memory.load = memory.load * kept + static_cast<double>(nanoseconds) / count * weight;
    memory.ticks = memory.ticks * kept + weight;
    if (!due) continue;
    if (told.judged) {
      const double error = told.load / told.ticks - told.foretold[i];
      errors_[i] = errors_[i] * kept_errors + error * error;
    }
    told.foretold[i] = memory.rate();
  }
  if (!due) return;
  told.judged = true;
  told.load = told.ticks = 0;
  best_ =
      static_cast<std::size_t>(std::min_element(errors_.begin(), errors_.end()) - errors_.begin());
}

std::uint64_t Forecast::rate(PieceId piece) const {
  return static_cast<std::uint64_t>(pieces_[piece.index()].memories[best_].rate());
}

std::vector<std::uint64_t> Forecast::rates() const {
  std::vector<std::uint64_t> rates;
  rates.reserve(pieces_.size());
  for (PieceId piece(0); piece.index() < pieces_.size(); piece = piece.next())
    rates.push_back(rate(piece));
  return rates;
}

std::uint32_t Forecast::slack_percent(std::uint32_t workers) const {
  constexpr double kLeast = 2;
  constexpr double kMost = 15;
  double all = 0;
  for (const Told& told : pieces_) all += told.memories[best_].rate();
  if (judgements_ == 0 || all == 0) return static_cast<std::uint32_t>(kLeast);
  // Pieces err each for itself, so a worker's error grows as the root of how many it has. Half of it is let
  // be: what is uneven beyond that is more likely than not to be so.
  const double each = static_cast<double>(pieces_.size()) / workers;
  const double error = std::sqrt(errors_[best_] / judgements_ * each);
  return static_cast<std::uint32_t>(std::clamp(50 * error / (all / workers), kLeast, kMost));
}

}  // namespace leeway::piece
