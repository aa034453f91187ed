#include "leeway/runtime/pie/worker_slot.h"

namespace leeway::pie {

void WorkerSlot::arrived(Instant at, const Sender& from) {
  forecast_.reset();
  statistics_.arrived(at, from);
}

void WorkerSlot::ran(const RoundRecord& record) {
  forecast_.reset();
  statistics_.ran(record.begin, record.end, record.taken);
}

double WorkerSlot::predicted_seconds() const {
  if (forecast_) return *forecast_;
  if (!options_.round_times.empty()) return seconds(options_.round_times[id_.index()]);
  return statistics_.predicted_seconds(worker_->pending());
}

WorkerProgress WorkerSlot::progress(Instant now) {
  return statistics_.progress(now, worker_->staleness(), predicted_seconds());
}

}  // namespace leeway::pie
