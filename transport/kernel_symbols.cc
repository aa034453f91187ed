#include "leeway/transport/kernel_symbols.h"

#include <dlfcn.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace leeway {

namespace {

thread_local bool hidden = false;

}  // namespace

NoKernelSymbols::NoKernelSymbols() : before_(std::exchange(hidden, true)) {}
NoKernelSymbols::~NoKernelSymbols() { hidden = before_; }

}  // namespace leeway

/// In front of the C library's fopen, which opens all else. By its name for the linker: where files may be large, <cstdio>
/// gives `fopen` another one.
extern "C" std::FILE* leeway_fopen(const char* path, const char* mode) __asm__("fopen");

std::FILE* leeway_fopen(const char* path, const char* mode) {
  using Open = std::FILE* (*)(const char*, const char*);
  static const auto open = reinterpret_cast<Open>(::dlsym(RTLD_NEXT, "fopen"));
  if (leeway::hidden && std::strcmp(path, "/proc/kallsyms") == 0) {
    errno = ENOENT;
    return nullptr;
  }
  return open(path, mode);
}
