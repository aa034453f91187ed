// What a step of the sharer's machine wants done to its node's memory, and what it may ask of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "leeway/protocol/ids.h"
#include "leeway/protocol/value.h"

namespace leeway {

/// Slots in a row.
struct SlotRun {
  SlotIndex first{0};
  std::uint32_t count = 0;

  [[nodiscard]] SlotIndex operator[](std::uint32_t i) const { return SlotIndex(first.value() + i); }
  [[nodiscard]] bool ends_before(SlotIndex slot) const {
    return first.value() + count == slot.value();
  }
};

/// Values for slots in a row, which lie one behind the other inside the event's bytes.
struct Install {
  SlotRun slots;
  ValueView values;

  [[nodiscard]] ValueView value(std::uint32_t i) const {
    const std::size_t bytes = values.size() / slots.count;
    return values.subspan(i * bytes, bytes);
  }
};

/// What a step wants done to the node's memory, in order.
struct CacheEffects {
  std::vector<Install> installs;
  std::vector<SlotRun> current;   ///< slots whose copies are current now
  std::vector<SlotRun> changed;   ///< others whose classification may have changed
  std::vector<SlotRun> restored;  ///< dropped copies that are back, and no newer than was known
  std::vector<SlotIndex>
      watched;  ///< of these, nobody asked for the installs: remember whether they get read

  void install(SlotIndex slot, ValueView value) {
    if (!installs.empty()) {
      Install& last = installs.back();
      if (last.slots.ends_before(slot) && last.values.data() + last.values.size() == value.data()) {
        ++last.slots.count;
        last.values = {last.values.data(), last.values.size() + value.size()};
        return;
      }
    }
    installs.push_back({{slot, 1}, value});
  }
  void change(SlotIndex slot) { add(changed, slot); }
  void restore(SlotIndex slot) { add(restored, slot); }
  /// Values that lie one behind the other, and are current.
  void install_current(const SlotRun& slots, ValueView values) {
    installs.push_back({slots, values});
    current.push_back(slots);
  }
  void clear() {
    installs.clear();
    current.clear();
    changed.clear();
    restored.clear();
    watched.clear();
  }

 private:
  static void add(std::vector<SlotRun>& runs, SlotIndex slot) {
    if (!runs.empty() && runs.back().ends_before(slot)) {
      ++runs.back().count;
    } else {
      runs.push_back({slot, 1});
    }
  }
};

/// Lets the machine ask whether a pushed value has been read since it was installed.
class ReadMarks {
 public:
  virtual ~ReadMarks() = default;
  [[nodiscard]] virtual bool unread(SlotIndex slot) const = 0;
};

}  // namespace leeway
