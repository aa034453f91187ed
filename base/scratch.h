// Room that a function needs while it runs, kept for its next call on the same thread. It is taken away while it is
// used: a function that is left half-way (a fetch may block, and a virtual node gives its thread to another) does not
// share it with the next call.
#pragma once

#include <utility>
#include <vector>

namespace leeway {

/// Empty at first. `User` tells the rooms of different functions apart. One call's own.
template <class T, class User>
class Scratch {
 public:
  Scratch() : room_(std::exchange(kept(), {})) { room_.clear(); }
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
