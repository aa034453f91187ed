#include "leeway/datasets/graphblas_type.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <vector>

#include "leeway/base/format.h"
#include "leeway/base/nearest.h"

namespace leeway {

namespace {

constexpr std::string_view kMark = "%%graphblas";

struct Known {
  std::string_view name, other;  // GraphBLAS' name besides C's
  bool complex, whole;
  double least, most;
};

constexpr std::array kTypes = {
    Known{"bool", "bool", false, true, 0, 1},
    Known{"int8", "int8", false, true, -0x1p7, 0x1p7 - 1},
    Known{"int16", "int16", false, true, -0x1p15, 0x1p15 - 1},
    Known{"int32", "int32", false, true, -0x1p31, 0x1p31 - 1},
    Known{"int64", "int64", false, true, -0x1p63, 0x1p63},
    Known{"uint8", "uint8", false, true, 0, 0x1p8 - 1},
    Known{"uint16", "uint16", false, true, 0, 0x1p16 - 1},
    Known{"uint32", "uint32", false, true, 0, 0x1p32 - 1},
    Known{"uint64", "uint64", false, true, 0, 0x1p64},
    Known{"float", "fp32", false, false, 0, 0},
    Known{"double", "fp64", false, false, 0, 0},
    Known{"float complex", "fc32", true, false, 0, 0},
    Known{"double complex", "fc64", true, false, 0, 0},
};

std::string without(std::string text, std::string_view begin, std::string_view end) {
  if (text.starts_with(begin)) text.erase(0, begin.size());
  if (text.ends_with(end)) text.resize(text.size() - end.size());
  return text;
}

}  // namespace

bool GraphBlasType::holds(double value) const {
  return !whole || (value >= least && value <= most && value == std::floor(value));
}

Result<std::optional<GraphBlasType>> read_graphblas_type(std::string_view line,
                                                         const std::string& where) {
  std::string text(line);
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (!text.starts_with(kMark)) return std::nullopt;
  std::string said;  // the words behind the mark, with one blank between them
  for (std::size_t at = kMark.size(); at < text.size(); ++at) {
    if (std::isspace(static_cast<unsigned char>(text[at])) == 0) {
      said += text[at];
    } else if (!said.empty() && said.back() != ' ') {
      said += ' ';
    }
  }
  if (said.ends_with(' ')) said.pop_back();
  const bool must = said.starts_with("type ");
  if (must) said.erase(0, 5);
  const std::string name = without(without(said, "grb_", "_t"), "gxb_", "");
  const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](const Known& each) {
    return each.name == name || each.other == name;
  });
  if (found != kTypes.end()) {
    return GraphBlasType{said, found->complex, found->whole, found->least, found->most};
  }
  if (!must) return std::nullopt;
  std::vector<std::string_view> names;
  for (const Known& each : kTypes) names.push_back(each.name);
  return fail(
      input_error(where, format("GraphBLAS has no type '{}'", said), did_you_mean(name, names)));
}

}  // namespace leeway
