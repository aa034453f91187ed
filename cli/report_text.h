// What the reports of all engines are written of: numbers, lists, and the beginning that all have alike.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/base/format.h"

namespace leeway::cli {

constexpr std::size_t kLanePieces = 400;  // a screen has few more columns

/// JSON knows no infinity.
inline std::string number(double value) {
  return std::isfinite(value) ? format("{}", value) : "null";
}

/// "a,b,c" of what `show` makes of each.
template <class Range, class Show>
std::string list(const Range& range, Show&& show) {
  std::string text;
  for (const auto& each : range) text += (text.empty() ? "" : ",") + show(each);
  return text;
}

/// A phase of the run among its seconds; nothing for one that nobody measured.
inline std::string phase(std::string_view name, std::optional<double> seconds) {
  return seconds ? format("\"{}\": {}, ", name, number(*seconds)) : "";
}

struct ReportInput {
  std::string_view graph;
  std::string_view hash;
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;
};

using ReportConfiguration = std::vector<std::pair<std::string, std::string>>;

/// Opens a report: who wrote it, the program, the configuration, and the input. An empty `engine` is left out.
[[nodiscard]] std::string report_head(std::string_view engine, std::string_view program,
                                      const ReportConfiguration& configuration,
                                      const ReportInput& input);

}  // namespace leeway::cli
