// The settings of runs from inside another process, with their help.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace leeway::cli {

struct EmbeddedSetting {
  std::string_view name, value;
  std::string fallback, help;              ///< of `leeway run`
  std::vector<std::string_view> programs;  ///< those with runs that the setting applies to
  std::vector<std::string_view> own_of;    ///< those that the setting names
  bool usual = false;                      ///< short help texts show it
};
/// The settings that run_embedded accepts.
[[nodiscard]] std::vector<EmbeddedSetting> embedded_settings();

}  // namespace leeway::cli
