#include "programs/catalog/continuation.h"

#include <cmath>

#include "base/format.h"

namespace leeway {

Status check_old_numbers(const Continuation& from, std::uint64_t end) {
  for (const double value : from.old) {
    if (value >= 0 && value < static_cast<double>(end) && value == std::floor(value)) continue;
    return fail(input_error("--from", format("{} is not a value of this program", value),
                            "give the answer of the same program"));
  }
  return {};
}

}  // namespace leeway
