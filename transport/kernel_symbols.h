// libfabric's provider for InfiniBand looks through the kernel's table of symbols, twice a process, a KiB a read, to see
// whether an adapter can reach the memory of a graphics card. The kernel makes that table up as it is read: 0.15 s of a
// start, with or without an adapter, and no setting turns it off. Leeway sends from plain memory alone.
#pragma once

namespace leeway {

/// For so long as it lives, this thread finds no such table. Where the process does not look up `fopen` here first, as in
/// a Python that has loaded Leeway, it changes nothing.
class NoKernelSymbols {
 public:
  NoKernelSymbols();
  ~NoKernelSymbols();
  NoKernelSymbols(const NoKernelSymbols&) = delete;
  NoKernelSymbols& operator=(const NoKernelSymbols&) = delete;

 private:
  bool before_;
};

}  // namespace leeway
