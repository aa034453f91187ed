// The changed copies that an engine on vertices has not processed yet (Arrivals).
#pragma once

#include <span>
#include <vector>

#include "dsm/space.h"
#include "runtime/vertex/kernel.h"

namespace leeway {

/// The copies that have changed since the engine last processed them. A copy that is current, or that the mode may
/// not use without a fetch, is reported immediately, so that its readers run. A copy that is stale but usable is
/// read once per iteration until its new value arrives; the read requests a refresh, and the stale use keeps the job
/// from ending (ASPIRE §4.2). Not thread-safe.
class Arrivals {
 public:
  /// Requires a space that notes changes.
  explicit Arrivals(Space& space) : space_(space), watched_(space.met_limit(), false) {}

  /// True if something has arrived, for a node that waits. A copy that has become stale but usable counts too: its
  /// new value is requested only when it is read, so an idle node would otherwise get it only at the pace of the
  /// slowest node.
  [[nodiscard]] bool any();
  /// True if nothing but stale copies has arrived, so running updates is useless. Requests their refresh.
  [[nodiscard]] bool only_stale(CopyReader& reader);

  /// The copies whose readers should run; valid until the next call. Requests those that are unusable, unless the cache
  /// is bounded: then vertices request their misses when they run. `reads_stale`: the first call of an iteration.
  std::span<const Handle> take(CopyReader& reader, bool reads_stale = true);
  /// The same for engines that read the copies directly, and request them.
  std::span<const Handle> take_unrequested(CopyReader& reader);
  /// For an iteration that runs all vertices anyway: only keeps track of the stale copies.
  void pass();

 private:
  [[nodiscard]] Handle handle(MetIndex met) const {
    return Handle(space_.local_handles() + met.value());
  }
  [[nodiscard]] bool usable_but_stale(MetIndex met) const {
    const std::uint8_t age = space_.age(met);
    return age != 0 && age != Space::kUnusable;
  }
  void look();
  /// Requests all of them before the first is waited for.
  void request_unusable();
  void look_and_touch(CopyReader& reader);
  void touch_stale(CopyReader& reader);
  /// Moves copies that are no longer stale to fresh_; calls `still(met)` for the others.
  template <class Still>
  void split_stale(Still&& still);
  std::span<const Handle> take_fresh();

  Space& space_;
  std::vector<Handle> fresh_;
  std::vector<MetIndex> stale_;
  std::vector<Handle> missing_;
  std::vector<Handle> taken_;
  std::vector<bool> watched_;  // by met object: is in stale_
  bool newly_stale_ = false;   // a copy has become stale since stale_ was last read
};

}  // namespace leeway
