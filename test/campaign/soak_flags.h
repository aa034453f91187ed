// The flags of a campaign's programs: switches, numbers and strings, each with the variable that it
// sets. Any other argument prints the usage and ends the program with exit code 2.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

namespace leeway::campaign {

struct SoakFlag {
  std::string_view name;
  std::variant<bool*, std::uint64_t*, std::string*> sets;
};

[[noreturn]] inline void end_with_usage(const char* usage, const std::string& what) {
  std::fprintf(stderr, "%s; usage: %s\n", what.c_str(), usage);
  std::exit(2);
}

inline void parse_soak_flags(int argc, char** argv, const char* usage,
                             std::initializer_list<SoakFlag> flags) {
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const SoakFlag* found = nullptr;
    for (const SoakFlag& flag : flags) {
      if (flag.name == name) found = &flag;
    }
    if (found == nullptr) end_with_usage(usage, "unknown flag '" + name + "'");
    if (bool* const* on = std::get_if<bool*>(&found->sets)) {
      **on = true;
      continue;
    }
    if (++i == argc) end_with_usage(usage, "'" + name + "' needs a value");
    const std::string value = argv[i];
    if (std::string* const* text = std::get_if<std::string*>(&found->sets)) {
      **text = value;
      continue;
    }
    char* end = nullptr;
    *std::get<std::uint64_t*>(found->sets) = std::strtoull(value.c_str(), &end, 10);
    if (value.empty() || *end != '\0') end_with_usage(usage, "'" + value + "' is not a number");
  }
}

}  // namespace leeway::campaign
