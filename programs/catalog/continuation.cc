#include "programs/catalog/continuation.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <variant>

#include "base/format.h"
#include "programs/catalog/program.h"
#include "runtime/cluster/group.h"

namespace leeway {

namespace {

std::vector<double> numbers_of(const ProgramValues& values) {
  if (const auto* reals = std::get_if<std::vector<double>>(&values.by_vertex)) return *reals;
  constexpr auto kNone = std::numeric_limits<std::uint64_t>::max();
  std::vector<double> numbers;
  for (const std::uint64_t each : std::get<std::vector<std::uint64_t>>(values.by_vertex))
    numbers.push_back(each == kNone ? std::numeric_limits<double>::infinity()
                                    : static_cast<double>(each));
  return numbers;
}

}  // namespace

Result<std::vector<double>> old_values(const ProgramValues& values, const ClusterOptions& cluster) {
  std::vector<double> numbers = numbers_of(values);
  if (cluster.job == nullptr) return numbers;
  LEEWAY_TRY(with_group(cluster, [&](Group& group) -> Status {
    const auto bytes = group.broadcast_bytes(std::as_bytes(std::span(numbers)), NodeId(0));
    numbers.resize(bytes.size() / sizeof(double));
    if (!bytes.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return {};
  }));
  return numbers;
}

Status check_old_numbers(const Continuation& from, std::uint64_t end) {
  for (const double value : from.old) {
    if (value >= 0 && value < static_cast<double>(end) && value == std::floor(value)) continue;
    return fail(input_error("--from", format("{} is not a value of this program", value),
                            "give the answer of the same program"));
  }
  return {};
}

}  // namespace leeway
