// What one node may have on the way to another, and what it lets the other have: credits. The sender counts what
// is under way and stops at the window; the receiver counts what it has handed on and returns that as credit,
// with a frame of its own or, once it is worth one, in a message. Both sides of one peer; not thread-safe.
//
// Invariant: at most `window` plus one frame is under way, wherever it lies. The receiver keeps up to a quarter of
// the window to itself before it returns credit, so less than that under way may mean nothing at all is, and then
// even a frame larger than the window must pass.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace leeway {

class CreditWindow {
 public:
  explicit CreditWindow(std::uint64_t window) : window_(window) {}

  /// What a frame of so many bytes takes: a flood of empty frames is bounded, too.
  [[nodiscard]] static std::uint64_t weight(std::size_t bytes) { return bytes + kFrameOverhead; }

  // As sender.

  /// Whether a frame of this weight may go now; if not, credit that comes is worth telling.
  [[nodiscard]] bool admits(std::uint64_t weight) {
    const bool room = under_way_ < threshold() || under_way_ + weight <= window_;
    refused_ = refused_ || !room;
    return room;
  }
  void sent(std::uint64_t weight) { under_way_ += weight; }
  /// Credit has come; true if a frame was refused before that may pass now.
  bool credited(std::uint64_t credit) {
    under_way_ -= std::min(under_way_, credit);
    return std::exchange(refused_, false);
  }
  [[nodiscard]] std::uint64_t under_way() const { return under_way_; }

  // As receiver.

  /// A frame of this weight was handed on; true if with it credit has become worth a message.
  bool handed_on(std::uint64_t weight) {
    const bool before = worth_a_message();
    unreturned_ += weight;
    return !before && worth_a_message();
  }
  [[nodiscard]] bool worth_a_message() const { return unreturned_ >= threshold(); }
  /// The credit that the next message to the sender carries; `returned` says that it went out.
  [[nodiscard]] std::uint64_t unreturned() const { return unreturned_; }
  void returned() { unreturned_ = 0; }

 private:
  static constexpr std::uint64_t kFrameOverhead = 64;
  [[nodiscard]] std::uint64_t threshold() const { return window_ / 4; }

  std::uint64_t window_;
  std::uint64_t under_way_ = 0;   // bytes sent for which no credit has come
  std::uint64_t unreturned_ = 0;  // bytes handed on for which none was returned
  bool refused_ = false;
};

}  // namespace leeway
