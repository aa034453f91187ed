// Any bytes as a configuration file: accepted, or refused with a position, but never a crash.
#include "base/check.h"
#include "cli/command.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  leeway::cli::CommandOptions options;
  const auto applied = leeway::cli::apply_configuration(text, "fuzz.toml", "info", options);
  if (!applied) {
    LEEWAY_CHECK(applied.error().where.starts_with("fuzz.toml:"));
    LEEWAY_CHECK(applied.error().exit_code() == 2);
  }
  return 0;
}
