// What libraries throw, as errors: nothing of that reaches a user as a crash.
#pragma once

#include <exception>
#include <new>

#include "leeway/base/result.h"

namespace leeway::cli {

template <class Body>
[[nodiscard]] Result<int> guarded(Body&& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return fail(environment_error("memory", "the system refused more",
                                  "leeway plan says how much a graph takes"));
  } catch (const std::exception& error) {
    return fail(
        environment_error("leeway", error.what(), "check that the machine has room for it"));
  }
}

}  // namespace leeway::cli
