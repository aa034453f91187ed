#include "leeway/base/end_process.h"

#include <cstdio>
#include <cstdlib>

#include "leeway/base/unfinished_file.h"

namespace leeway {

void end_process(const Error& error) {
  std::fprintf(stderr, "leeway: %s\n", error.to_string().c_str());
  std::fflush(stderr);
  remove_unfinished_files();
  std::_Exit(error.exit_code());
}

}  // namespace leeway
