#include "leeway/cli/admit_memory.h"

#include <unistd.h>

#include "leeway/base/format.h"
#include "leeway/cli/output.h"

namespace leeway::cli {

Status admit_memory(std::string_view flag, std::string_view things, std::uint64_t count,
                    std::uint64_t bytes_each) {
  const auto pages = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES));
  const std::uint64_t has = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  if (count <= has / bytes_each) return {};
  return fail(
      input_error(std::string(flag),
                  format("{} {} take {}, and this machine has {}", format_count(count), things,
                         format_bytes(static_cast<double>(count) * static_cast<double>(bytes_each)),
                         format_bytes(static_cast<double>(has))),
                  "give fewer"));
}

}  // namespace leeway::cli
