#include "transport/fiber.h"

#include <utility>

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>

#include "base/check.h"

// The build names the thread sanitizer itself: this file is built without its instruments.
#if defined(__SANITIZE_ADDRESS__)
#define LEEWAY_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LEEWAY_ADDRESS_SANITIZER 1
#endif
#endif
#ifdef LEEWAY_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef LEEWAY_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace leeway {

namespace context = boost::context;

struct Fiber::State {
  std::function<void()> body;
  context::fiber inside;   // the suspended body
  context::fiber outside;  // the caller of resume, while the body runs
  std::exception_ptr error;
  bool done = false;
  bool abandoned = false;  // the owner destroys the fiber before the body has returned
  // The stacks' bounds, because the address sanitizer must be notified of every switch.
  const void* outside_stack = nullptr;
  std::size_t outside_size = 0;
  const void* inside_stack = nullptr;
  std::size_t inside_size = 0;
  void* outside_fake = nullptr;
  void* inside_fake = nullptr;
  // The thread sanitizer's handles of both stacks.
  void* outside_name = nullptr;
  void* inside_name = nullptr;
};

namespace {

/// Thrown by `yield` to unwind the body of a fiber that is destroyed unfinished.
struct Abandoned {};

void start_switch([[maybe_unused]] void** save, [[maybe_unused]] const void* stack,
                  [[maybe_unused]] std::size_t size) {
#ifdef LEEWAY_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(save, stack, size);
#endif
}

void finish_switch([[maybe_unused]] void* saved, [[maybe_unused]] const void** old_stack,
                   [[maybe_unused]] std::size_t* old_size) {
#ifdef LEEWAY_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(saved, old_stack, old_size);
#endif
}

void* name_fiber() {
#ifdef LEEWAY_THREAD_SANITIZER
  return __tsan_create_fiber(0);
#else
  return nullptr;
#endif
}

void* current_name() {
#ifdef LEEWAY_THREAD_SANITIZER
  return __tsan_get_current_fiber();
#else
  return nullptr;
#endif
}

void switch_name([[maybe_unused]] void* to) {
#ifdef LEEWAY_THREAD_SANITIZER
  __tsan_switch_to_fiber(to, 0);
#endif
}

void forget_name([[maybe_unused]] void* name) {
#ifdef LEEWAY_THREAD_SANITIZER
  __tsan_destroy_fiber(name);
#endif
}

/// A finished stack's memory may come back as anything else.
void forget_stack([[maybe_unused]] const void* stack, [[maybe_unused]] std::size_t size) {
#ifdef LEEWAY_ADDRESS_SANITIZER
  __asan_unpoison_memory_region(stack, size);
#endif
}

}  // namespace

Fiber::Fiber(std::function<void()> body, std::size_t stack_bytes)
    : state_(std::make_unique<State>()) {
  State* state = state_.get();
  state->body = std::move(body);
  state->inside_name = name_fiber();
  context::protected_fixedsize_stack allocator(stack_bytes);
  const context::stack_context stack = allocator.allocate();
  state->inside_stack = static_cast<const char*>(stack.sp) - stack.size;
  state->inside_size = stack.size;
  state->inside =
      context::fiber(std::allocator_arg, context::preallocated(stack.sp, stack.size, stack),
                     allocator, [state](context::fiber&& outside) {
                       finish_switch(nullptr, &state->outside_stack, &state->outside_size);
                       state->outside = std::move(outside);
                       try {
                         if (!state->abandoned) state->body();
                       } catch (const Abandoned&) {
                         // The unwinding has run the destructors of the body's objects.
                       } catch (...) {
                         state->error = std::current_exception();
                       }
                       state->done = true;
                       start_switch(nullptr, state->outside_stack, state->outside_size);
                       switch_name(state->outside_name);
                       return std::move(state->outside);
                     });
}

Fiber::~Fiber() {
  state_->abandoned = true;
  if (!state_->done) resume();
  forget_name(state_->inside_name);
}

void Fiber::resume() {
  LEEWAY_CHECK(!state_->done);
  start_switch(&state_->outside_fake, state_->inside_stack, state_->inside_size);
  state_->outside_name = current_name();
  switch_name(state_->inside_name);
  state_->inside = std::move(state_->inside).resume();
  finish_switch(state_->outside_fake, nullptr, nullptr);
  if (state_->done) forget_stack(state_->inside_stack, state_->inside_size);
}

void Fiber::yield() {
  State* state = state_.get();
  start_switch(&state->inside_fake, state->outside_stack, state->outside_size);
  switch_name(state->outside_name);
  state->outside = std::move(state->outside).resume();
  finish_switch(state->inside_fake, &state->outside_stack, &state->outside_size);
  if (state->abandoned) throw Abandoned{};
}

bool Fiber::done() const { return state_->done; }
std::exception_ptr Fiber::error() const { return state_->error; }

}  // namespace leeway
