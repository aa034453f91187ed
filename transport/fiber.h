// A stack of its own that runs until it yields: what blocking code in the virtual cluster runs on. The
// only user of Boost.Context. Everything happens on one operating-system thread.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>

namespace leeway {

/// Not movable while running. A fiber that is destroyed unfinished is unwound: its objects' destructors
/// run, so they must not yield, and its body must let an unknown exception pass.
class Fiber {
 public:
  Fiber(std::function<void()> body, std::size_t stack_bytes);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs the body until it yields or ends. Requires that it has not ended (checked).
  void resume();
  /// Called by the body: goes back to whoever resumed it.
  void yield();

  [[nodiscard]] bool done() const;
  /// What the body threw, if it did.
  [[nodiscard]] std::exception_ptr error() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace leeway
