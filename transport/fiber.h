// Fiber: a function with its own stack that runs until it yields. The virtual cluster runs blocking
// code on fibers. Only fiber.cc uses Boost.Context. All fibers of a cluster run on one
// operating-system thread.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>

namespace leeway {

/// Not movable while running. The destructor of an unfinished fiber unwinds its stack by an
/// exception: the destructors of its objects run and must not yield, and the body must let
/// exceptions of unknown type pass.
class Fiber {
 public:
  Fiber(std::function<void()> body, std::size_t stack_bytes);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs the body until it yields or ends. Requires that it has not ended (checked).
  void resume();
  /// Called by the body: returns to the caller of `resume`.
  void yield();

  [[nodiscard]] bool done() const;
  /// The exception that the body threw, or null.
  [[nodiscard]] std::exception_ptr error() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace leeway
