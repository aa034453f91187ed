// A value or an Error, for everything the outside world can spoil. Handled at the edge; never ignored.
#pragma once

#include <tl/expected.hpp>
#include <utility>

#include "leeway/base/error.h"

namespace leeway {

template <class T>
using Result = tl::expected<T, Error>;

using Status = Result<void>;

inline auto fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

}  // namespace leeway

#define LEEWAY_CONCAT_INNER(a, b) a##b
#define LEEWAY_CONCAT(a, b) LEEWAY_CONCAT_INNER(a, b)

/// Returns the error of `expression` (a Status or Result) to the caller, if it has one.
#define LEEWAY_TRY(expression)                                 \
  do {                                                         \
    if (auto leeway_status = (expression); !leeway_status)     \
      return ::leeway::fail(std::move(leeway_status).error()); \
  } while (false)

/// `LEEWAY_ASSIGN(auto graph, read(path));` declares or assigns the value, or returns the error.
#define LEEWAY_ASSIGN(target, expression) \
  LEEWAY_ASSIGN_NAMED(LEEWAY_CONCAT(leeway_result_, __LINE__), target, expression)
#define LEEWAY_ASSIGN_NAMED(name, target, expression)        \
  auto name = (expression);                                  \
  if (!name) return ::leeway::fail(std::move(name).error()); \
  target = std::move(*name)
