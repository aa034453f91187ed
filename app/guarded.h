// Exceptions of libraries as errors.
#pragma once

#include <exception>
#include <filesystem>
#include <new>

#include "base/result.h"

namespace leeway::app {

/// Calls `body` and converts exceptions of libraries into Environment errors, so that none ends the process.
template <class Body>
[[nodiscard]] Result<int> guarded(Body&& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return fail(environment_error("memory", "the system refused an allocation",
                                  "leeway plan estimates how much memory a graph needs"));
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(environment_error(error.path1().string(), error.code().message(),
                                  "check the path, its links and its permissions"));
  } catch (const std::exception& error) {
    return fail(environment_error("leeway", error.what(),
                                  "check that the machine has enough memory and disk space"));
  }
}

}  // namespace leeway::app
