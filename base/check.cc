#include "base/check.h"

#include <cstdio>
#include <cstdlib>

#include "base/unfinished_file.h"

namespace leeway {

namespace {
CheckHandler g_handler = nullptr;
}

CheckHandler set_check_handler(CheckHandler handler) {
  CheckHandler previous = g_handler;
  g_handler = handler;
  return previous;
}

namespace check_detail {

namespace {

[[noreturn]] void end(const std::string& report) {
  if (g_handler != nullptr) g_handler(report);
  std::fprintf(stderr, "%s\n", report.c_str());
  std::fflush(stderr);
  remove_unfinished_files();
  std::abort();
}

}  // namespace

void fail(const char* file, int line, const char* expression, std::string values) {
  end(std::string(file) + ":" + std::to_string(line) + ": check failed: " + expression + " (" +
      values + "); this is a bug in leeway, please report it");
}

void misuse(const std::string& what) { end("leeway: " + what); }

}  // namespace check_detail
}  // namespace leeway
