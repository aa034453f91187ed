// A virtual worker on its node, with what the statistics collector and the forecaster know of it. One thread's
// own.
#pragma once

#include <memory>
#include <optional>

#include "leeway/runtime/pie/options.h"
#include "leeway/runtime/pie/virtual_worker.h"
#include "leeway/runtime/schedule/round_statistics.h"

namespace leeway::pie {

class WorkerSlot {
 public:
  WorkerSlot(PartId id, std::unique_ptr<VirtualWorker> worker, const Options& options)
      : id_(id),
        worker_(std::move(worker)),
        options_(options),
        statistics_(options.rate_window, options.exchange),
        stall_(options.patience) {}

  [[nodiscard]] PartId id() const { return id_; }
  [[nodiscard]] VirtualWorker& worker() { return *worker_; }
  [[nodiscard]] const VirtualWorker& worker() const { return *worker_; }
  [[nodiscard]] RoundStatistics& statistics() { return statistics_; }
  [[nodiscard]] const RoundStatistics& statistics() const { return statistics_; }
  /// r_i.
  [[nodiscard]] Round round() const { return statistics_.round(); }
  /// Rounds that were iterations of the program.
  [[nodiscard]] std::uint32_t iterations() const { return iterations_; }

  /// Has something to do, now or once its scheduler lets it.
  [[nodiscard]] bool active() const {
    return statistics_.rounds_run() == 0 || worker_->staleness() > 0 || worker_->unfinished();
  }

  void arrived(Instant at, const RoundNews& from);
  /// A round has run; what `record` says of it.
  void ran(const RoundRecord& record);
  /// It has run as many rounds, or as many without progress, as a query may.
  [[nodiscard]] bool gives_up() const;

  /// Everything but what concerns the others' rounds; `senders` as RoundStatistics::progress.
  [[nodiscard]] WorkerProgress progress(Instant now, bool senders);
  /// t_i: what the coming round is predicted to take, with what is in the buffer.
  [[nodiscard]] double predicted_seconds() const;
  /// For how many seconds peers that owe an answer are worth waiting for yet; 0 or less if for none.
  [[nodiscard]] double left_for_answers(Instant now, const WorkerProgress& progress);
  /// What a forecaster says of the coming round with what is in the buffer; it goes before what the last
  /// rounds tell.
  void forecast(double seconds) { forecast_ = seconds; }
  [[nodiscard]] std::optional<double> forecast() const { return forecast_; }

 private:
  PartId id_;
  std::unique_ptr<VirtualWorker> worker_;
  const Options& options_;
  RoundStatistics statistics_;
  StallCounter stall_;
  std::uint32_t iterations_ = 0;
  std::optional<double> forecast_;
  Instant round_ended_{};
  bool waits_for_answers_ = false;  // since then
  Duration longest_wait_{};         // for answers that came
  Duration longest_round_{};
};

}  // namespace leeway::pie
