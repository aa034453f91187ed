// Checks with libfabric's method of opening files: it looks `fopen` up like any library that is
// loaded later.
#include "transport/ofi.h"

#include <dlfcn.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <string>
#include <thread>

using namespace leeway;

namespace {

bool opens(const std::string& path) {
  using Open = std::FILE* (*)(const char*, const char*);
  const auto open = reinterpret_cast<Open>(::dlsym(RTLD_DEFAULT, "fopen"));
  REQUIRE(open != nullptr);
  std::FILE* const file = open(path.c_str(), "r");
  if (file != nullptr) std::fclose(file);
  return file != nullptr;
}

}  // namespace

TEST_CASE("the kernel's table of symbols can be hidden from one thread") {
  const std::string table = "/proc/kallsyms";
  if (!opens(table)) return;  // no process may read it on this machine
  {
    const NoKernelSymbols hidden;
    CHECK_FALSE(opens(table));
    { const NoKernelSymbols again; }
    CHECK_FALSE(opens(table));
    CHECK(opens("/proc/self/stat"));
    bool elsewhere = false;
    std::thread([&] { elsewhere = opens(table); }).join();
    CHECK(elsewhere);
  }
  CHECK(opens(table));
}
