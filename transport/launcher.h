// What started this process, read from its environment, and how to leave it in peace. MPICH's own launcher
// (Hydra) takes a process that ends before MPI_Finalize for a crash and kills its siblings at once; these
// are the words that keep it calm without calling MPI_Finalize.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "leeway/base/result.h"

namespace leeway {

struct LaunchInfo {
  bool rendezvous = false;      ///< started by `leeway launch`
  bool pmi = false;             ///< started by a launcher MPICH understands
  std::uint32_t processes = 1;  ///< how many the launcher says there are
  std::string foreign;  ///< a launcher whose processes cannot find each other here; empty: none
};

/// From variables as in ::environ.
[[nodiscard]] LaunchInfo read_launch(const char* const* environment);
/// The value of a variable; empty if it is not set.
[[nodiscard]] std::string_view variable(const char* const* environment, std::string_view name);
/// The Input error for processes that believe to be alone and are not.
[[nodiscard]] Error stranded(const LaunchInfo& launch);

/// Tells the launcher that this process is done with it, so that from now on its end is its own affair.
/// Everything the launcher was needed for must be over. False if there is no launcher or it did not answer.
bool part_from_launcher();

/// Puts this process under a guardian: the launcher's child stays behind as a parent that does nothing but
/// wait, and the caller goes on as its child. A process that is killed once it has parted from the launcher ends, for
/// that, with an exit code instead of a signal, so its siblings live long enough to say who died; and if the launcher
/// kills the guardian, the child is told by SIGTERM. Requires: one thread, nothing that a fork would harm.
/// False if that is impossible or not wanted (LEEWAYJOB_GUARDIAN=0); then nothing has changed.
bool stand_under_guardian();

}  // namespace leeway
