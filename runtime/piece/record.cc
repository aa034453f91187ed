#include "leeway/runtime/piece/record.h"

#include <algorithm>

namespace leeway::piece {

namespace {

constexpr double kNano = 1e-9;

/// max / mean − 1 of what workers have for a tick; 0 where there is nothing.
template <class Measure>
double imbalance(const PieceRecord& record, TickId tick, Measure&& measure) {
  double greatest = 0;
  double sum = 0;
  for (const WorkerRecord& worker : record.workers) {
    if (tick.index() >= worker.ticks.size()) continue;
    const auto one = static_cast<double>(measure(worker.ticks[tick.index()]));
    greatest = std::max(greatest, one);
    sum += one;
  }
  return sum > 0 ? greatest * static_cast<double>(record.workers.size()) / sum - 1 : 0;
}

}  // namespace

std::int64_t WorkerRecord::computing() const {
  std::int64_t sum = 0;
  for (const TickSample& tick : ticks) sum += tick.computing();
  return sum;
}

double PieceRecord::seconds() const {
  if (workers.empty()) return 0;
  std::int64_t last = 0;
  std::int64_t longest = 0;
  std::int64_t first = workers.front().begin;
  for (const WorkerRecord& worker : workers) {
    first = std::min(first, worker.begin);
    last = std::max(last, worker.finished);
    longest = std::max(longest, worker.finished - worker.begin);
  }
  return static_cast<double>(one_clock ? last - first : longest) * kNano;
}

double PieceRecord::asynchronous_share() const {
  double asynchronous = 0;
  double all = 0;
  for (const WorkerRecord& worker : workers) {
    for (const TickSample& tick : worker.ticks) {
      asynchronous += static_cast<double>(tick.asynchronous);
      all += static_cast<double>(tick.computing());
    }
  }
  return all > 0 ? asynchronous / all : 0;
}

double PieceRecord::lambda_l(TickId tick) const {
  return imbalance(*this, tick, [](const TickSample& sample) { return sample.computing(); });
}

double PieceRecord::lambda_c(TickId tick) const {
  return imbalance(*this, tick, [](const TickSample& sample) { return sample.flight; });
}

double PieceRecord::overhead_share() const {
  double overhead = 0;
  double all = 0;
  for (const WorkerRecord& worker : workers) {
    all += static_cast<double>(worker.finished - worker.begin);
    overhead +=
        static_cast<double>(worker.finished - worker.begin - worker.waited - worker.computing());
  }
  return all > 0 ? std::max(overhead, 0.0) / all : 0;
}

double PieceRecord::barrier_seconds() const {
  double sum = 0;
  for (TickId tick(0); tick.value() < ticks; tick = tick.next()) {
    std::int64_t greatest = 0;
    for (const WorkerRecord& worker : workers) {
      if (tick.index() < worker.ticks.size())
        greatest = std::max(greatest, worker.ticks[tick.index()].computing());
    }
    sum += static_cast<double>(greatest) * kNano;
  }
  return sum;
}

double PieceRecord::even_seconds() const {
  double sum = 0;
  for (const WorkerRecord& worker : workers) sum += static_cast<double>(worker.computing()) * kNano;
  return workers.empty() ? 0 : sum / static_cast<double>(workers.size());
}

double PieceRecord::absorbed_skew() const {
  const double skew = barrier_seconds() - even_seconds();
  return skew > 0 ? (barrier_seconds() - seconds()) / skew : 0;
}

}  // namespace leeway::piece
