// A reusable fiber. Single-threaded.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/check.h"
#include "transport/fiber.h"

namespace leeway::testing {

/// Runs bodies one after another on one fiber, because creating a fiber takes longer than most
/// bodies, and hundreds of times longer under the thread sanitizer.
class Lane {
 public:
  Lane() : fiber_([this] { run(); }, std::size_t{64} << 10U) {}

  /// A free lane, or a new one.
  static std::unique_ptr<Lane> take(std::function<void()> body) {
    std::unique_ptr<Lane> lane;
    if (free().empty()) {
      lane = std::make_unique<Lane>();
    } else {
      lane = std::move(free().back());
      free().pop_back();
    }
    lane->body_ = std::move(body);
    lane->done_ = false;
    return lane;
  }
  /// A body that has not ended is unwound.
  static void give_back(std::unique_ptr<Lane> lane) {
    if (!lane->done_) {
      lane->abandoned_ = true;
      lane->resume();
      lane->abandoned_ = false;
    }
    lane->body_ = nullptr;
    free().push_back(std::move(lane));
  }

  void resume() {
    fiber_.resume();
    LEEWAY_CHECK(!fiber_.error());
  }
  void yield() {
    fiber_.yield();
    if (abandoned_) throw Abandoned{};
  }
  [[nodiscard]] bool done() const { return done_; }

 private:
  struct Abandoned {};

  static std::vector<std::unique_ptr<Lane>>& free() {
    static std::vector<std::unique_ptr<Lane>> lanes;
    return lanes;
  }
  void run() {
    while (true) {
      try {
        body_();
      } catch (const Abandoned&) {
        // Unwinding has destroyed its objects, as intended.
      }
      done_ = true;
      fiber_.yield();
    }
  }

  std::function<void()> body_;
  bool done_ = true;
  bool abandoned_ = false;
  Fiber fiber_;
};

}  // namespace leeway::testing
