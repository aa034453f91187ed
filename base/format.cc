#include "leeway/base/format.h"

#include <array>

namespace leeway {

std::string format_bytes(double bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1024.0 && unit + 1 < kUnits.size()) {
    bytes /= 1024.0;
    ++unit;
  }
  return unit == 0 ? format("{:.0f} {}", bytes, kUnits[unit])
                   : format("{:.1f} {}", bytes, kUnits[unit]);
}

std::string format_count(unsigned long long count) {
  std::string digits = std::to_string(count);
  for (std::size_t place = digits.size(); place > 3; place -= 3) digits.insert(place - 3, ",");
  return digits;
}

}  // namespace leeway
