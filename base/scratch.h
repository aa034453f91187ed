// Room that a function needs while it runs, kept for its next call on the same thread. It is taken away while it is
// used: a function that is left half-way (a fetch may block, and a virtual node gives its thread to another) does not
// share it with the next call.
#pragma once

#include <utility>
#include <vector>

namespace leeway {

enum class ScratchBegins { Empty, AsLeft };

/// `User` tells the rooms of different functions apart. One call's own. AsLeft: it holds what the call before left there,
/// or nothing; for what would cost too much to fill anew.
template <class T, class User, ScratchBegins kBegins = ScratchBegins::Empty>
class Scratch {
 public:
  Scratch() : room_(std::exchange(kept(), {})) {
    if constexpr (kBegins == ScratchBegins::Empty) room_.clear();
  }
  ~Scratch() { kept() = std::move(room_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::vector<T>& operator*() { return room_; }

 private:
  static std::vector<T>& kept() {
    thread_local std::vector<T> room;
    return room;
  }

  std::vector<T> room_;
};

}  // namespace leeway
