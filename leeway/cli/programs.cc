#include "leeway/cli/command.h"
#include "leeway/cli/output.h"

namespace leeway::cli {

Result<int> run_programs(const Invocation& invocation) {
  LEEWAY_TRY(print(invocation.options.json ? "[]\n" : "This build ships no programs.\n"));
  return 0;
}

}  // namespace leeway::cli
