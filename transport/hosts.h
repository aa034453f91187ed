// The processors of machines that several nodes of a virtual cluster share (HostProcessor).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "transport/cluster_model.h"

namespace leeway {

/// The processor of one shared host, which serves all computing activities at the same rate. The rate depends only on
/// their number, so one clock of work done (per activity, in picoseconds at full speed) determines every end: an
/// activity is done when the clock has advanced by its work. Reads no clock: time is an argument and must not decrease.
class HostProcessor {
 public:
  explicit HostProcessor(const SharedHosts& hosts) : hosts_(&hosts) {}

  [[nodiscard]] bool idle() const { return loads_.empty(); }
  /// Activity `activity` starts to compute.
  void begin(Instant now, std::uint32_t activity, std::uint64_t picoseconds);
  /// The activity's work is dropped, if it has any.
  void drop(Instant now, std::uint32_t activity);
  /// When the next activity is done if no other begins before, rounded up to nanoseconds.
  [[nodiscard]] std::optional<Instant> next_end() const;
  /// Removes and returns the activities that are done, in the order of their ends, then of their beginnings.
  [[nodiscard]] std::vector<std::uint32_t> take_done(Instant now);

 private:
  struct SharedLoad {
    std::uint64_t end_ps = 0;  // by the clock of work done
    std::uint32_t activity = 0;
  };

  void advance(Instant now);

  const SharedHosts* hosts_;
  std::vector<SharedLoad> loads_;  // ascending by end_ps
  std::uint64_t done_ps_ = 0;      // work done per activity since the host was idle
  Instant advanced_to_{};
};

}  // namespace leeway
