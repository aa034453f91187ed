// The buffer B of a virtual worker (AAP §3): what messages said of its update parameters since its last
// round, folded by f_aggr as they come. A round takes all of it at once and leaves it empty, so that no
// message is seen twice or in part. Costs nothing for parameters nobody spoke of. One thread's own.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "leeway/runtime/pie/program.h"

namespace leeway::pie {

template <class P>
class Buffer {
  using Value = typename P::Value;

 public:
  explicit Buffer(std::uint32_t places) : slots_(places, kNone) {}

  void fold(Place place, Value value) {
    ++folded_;
    std::uint32_t& slot = slots_[place];
    if (slot == kNone) {
      slot = static_cast<std::uint32_t>(updates_.size());
      updates_.push_back({place, std::move(value)});
    } else {
      P::aggregate(updates_[slot].value, value);
    }
  }
  void count_message() { ++messages_; }

  [[nodiscard]] bool empty() const { return messages_ == 0; }
  /// eta: messages since the last take.
  [[nodiscard]] std::uint64_t messages() const { return messages_; }
  /// Parameters that they speak of.
  [[nodiscard]] std::size_t size() const { return updates_.size(); }
  [[nodiscard]] const std::vector<Update<Value>>& updates() const { return updates_; }

  /// How many parameters came, some of them more than once.
  [[nodiscard]] std::uint64_t folded() const { return folded_; }

  /// All of it; the buffer is empty afterwards. What `into` held is dropped.
  void take(std::vector<Update<Value>>& into) {
    into.clear();
    std::swap(into, updates_);
    for (const Update<Value>& update : into) slots_[update.place] = kNone;
    messages_ = 0;
    folded_ = 0;
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  std::vector<std::uint32_t> slots_;  // by place
  std::vector<Update<Value>> updates_;
  std::uint64_t messages_ = 0;
  std::uint64_t folded_ = 0;
};

}  // namespace leeway::pie
