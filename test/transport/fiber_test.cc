#include "transport/fiber.h"

#include <catch2/catch.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "test/support/check_catcher.h"

using namespace leeway;

namespace {

constexpr std::size_t kStack = std::size_t{256} << 10U;

struct Goodbye {
  explicit Goodbye(std::string& to) : text(to) {}
  ~Goodbye() { text += "gone"; }
  std::string& text;
};

int deep(int depth) {
  volatile char room[64] = {};
  return depth == 0 ? room[0] : deep(depth - 1) + 1;
}

}  // namespace

TEST_CASE("a fiber and its owner take turns") {
  std::string text;
  std::unique_ptr<Fiber> fiber;
  fiber = std::make_unique<Fiber>(
      [&] {
        for (const char* word : {"b", "d", "f"}) {
          text += word;
          fiber->yield();
        }
      },
      kStack);
  for (const char* word : {"a", "c", "e"}) {
    text += word;
    fiber->resume();
    REQUIRE_FALSE(fiber->done());
  }
  fiber->resume();
  CHECK(fiber->done());
  CHECK(fiber->error() == nullptr);
  CHECK(text == "abcdef");
}

TEST_CASE("many fibers keep their own stacks") {
  constexpr int kFibers = 200;
  std::vector<std::unique_ptr<Fiber>> fibers(kFibers);
  std::vector<int> sums(kFibers, 0);
  for (int i = 0; i < kFibers; ++i) {
    fibers[static_cast<std::size_t>(i)] = std::make_unique<Fiber>(
        [&, i] {
          const auto at = static_cast<std::size_t>(i);
          int mine = i;
          for (int round = 0; round < 5; ++round) {
            fibers[at]->yield();
            mine += round + (deep(100) - 100);
          }
          sums[at] = mine;
        },
        kStack);
  }
  for (int round = 0; round < 6; ++round) {
    for (const auto& fiber : fibers) fiber->resume();
  }
  for (int i = 0; i < kFibers; ++i) REQUIRE(sums[static_cast<std::size_t>(i)] == i + 10);
}

TEST_CASE("an exception of the body is passed to the owner") {
  Fiber fiber([] { throw std::runtime_error("oh"); }, kStack);
  fiber.resume();
  REQUIRE(fiber.done());
  CHECK_THROWS_WITH(std::rethrow_exception(fiber.error()), "oh");
}

TEST_CASE("destroying a suspended fiber unwinds it; one that never ran runs nothing") {
  std::string text;
  {
    std::unique_ptr<Fiber> fiber;
    fiber = std::make_unique<Fiber>(
        [&] {
          const Goodbye goodbye(text);
          fiber->yield();
          text += "never";
        },
        kStack);
    fiber->resume();
    const Fiber unused([&] { text += "never"; }, kStack);
  }
  CHECK(text == "gone");
}

#ifdef __SANITIZE_THREAD__
extern "C" std::size_t __tsan_testonly_shadow_stack_current_size();

TEST_CASE("fibers leave the stack depth of the thread sanitizer unchanged") {
  const std::size_t before = __tsan_testonly_shadow_stack_current_size();
  for (int i = 0; i < 50; ++i) {
    std::unique_ptr<Fiber> fiber;
    fiber = std::make_unique<Fiber>([&] { fiber->yield(); }, kStack);
    fiber->resume();
    if (i % 2 == 0) fiber->resume();  // the others are unwound
  }
  CHECK(__tsan_testonly_shadow_stack_current_size() == before);
}
#endif

TEST_CASE("resuming a fiber that has ended fails a check") {
  Fiber fiber([] {}, kStack);
  fiber.resume();
  const testing::CheckCatcher catcher;
  CHECK_THROWS_AS(fiber.resume(), testing::CheckFailed);
}
