// What one node's wire knows of its way to one peer: what it has sent there, what of it the peer's wire has
// acknowledged, and how long the oldest that wants an answer has waited. Sends that a network library takes
// prove nothing: TCP takes megabytes for a host that is cut off. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>

#include "leeway/base/clock.h"

namespace leeway {

class Link {
 public:
  /// The number of the next that is sent.
  [[nodiscard]] std::uint64_t next() const { return sent_; }
  /// One more was sent, which the peer acknowledges by itself or need not.
  void sent(bool wants_answer) {
    ++sent_;
    if (wants_answer) wanted_ = sent_;
  }
  /// The peer has taken in so many.
  void heard(std::uint64_t acknowledged) {
    if (acknowledged > sent_ || acknowledged <= acknowledged_) return;
    acknowledged_ = acknowledged;
    waited_ = {};
  }
  /// Time passes; `held`: something could not even be sent.
  void age(Duration awake, bool held) {
    waited_ = held || acknowledged_ < wanted_ ? waited_ + awake : Duration::zero();
  }
  /// How long something has waited without a sign from the peer.
  [[nodiscard]] Duration waited() const { return waited_; }
  [[nodiscard]] bool in_touch() const { return sent_ > 0; }

  /// From now on, until something that is sent after this was acknowledged, the peer is asked.
  void ask() { asking_ = Asking::ToSend; }
  [[nodiscard]] bool should_ask() const { return asking_ == Asking::ToSend; }
  /// The question went out under this number.
  void asked(std::uint64_t number) {
    asking_ = Asking::Sent;
    question_ = number;
  }
  [[nodiscard]] bool answered() const {
    return asking_ == Asking::No || (asking_ == Asking::Sent && acknowledged_ > question_);
  }

 private:
  enum class Asking : std::uint8_t { No, ToSend, Sent };
  std::uint64_t sent_ = 0;
  std::uint64_t wanted_ = 0;  // all before this number should be acknowledged
  std::uint64_t acknowledged_ = 0;
  Duration waited_{};
  Asking asking_ = Asking::No;
  std::uint64_t question_ = 0;
};

}  // namespace leeway
