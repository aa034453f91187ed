// Processes: a computation in a child process, the end of this process after an error, saved signal handlers, the
// machine's limits on memory, processes and open files, and the launcher that started this process.
#pragma once

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/array.h"
#include "base/result.h"

namespace leeway {

/// True if the shell would find a program of this name: a path, or a name in a folder of PATH.
[[nodiscard]] bool has_program(const std::string& name);

/// Added to the number of a signal that ended a process: its exit code, as shells report it.
inline constexpr int kEndedBySignal = 128;

namespace child_process_detail {
/// Memory shared with child processes, or null if allocation fails.
std::shared_ptr<void> share_memory(std::size_t bytes);
Result<void> run_in_child(const std::string& where, const std::function<void()>& work);
}  // namespace child_process_detail

/// Calls `work` with `size` zeroed values in a child process, waits for its end, and returns the values. For a library that
/// replaces the signal handlers of the process or may end it. The child is a copy of this process with only the calling
/// thread. It is killed when this process ends, and does not receive signals from the terminal. Only the values are returned
/// from it. An Environment error of `where` if the child cannot be started, or if `work` does not return.
template <class T>
Result<Array<T>> compute_in_child(const std::string& where, std::size_t size,
                                  const std::function<void(std::span<T>)>& work) {
  const std::shared_ptr<void> memory = child_process_detail::share_memory(size * sizeof(T));
  if (memory == nullptr) return fail(array_detail::out_of_memory(size * sizeof(T)));
  const std::span<T> values(static_cast<T*>(memory.get()), size);
  LEEWAY_TRY(child_process_detail::run_in_child(where, [&] { work(values); }));
  return Array<T>::view(values, memory);
}

/// Ends this process after an error, from any thread: prints the error as the last line, removes unfinished files, and exits
/// with the error's exit code. Runs no destructors, because other threads may still be running. Thread-safe.
[[noreturn]] void end_process(const Error& error);

/// Saves all signal handlers and restores them when destroyed: for code that loads a library which installs signal handlers.
/// No other thread may set a handler meanwhile.
class KeptSignalHandlers {
 public:
  KeptSignalHandlers();
  ~KeptSignalHandlers();
  KeptSignalHandlers(const KeptSignalHandlers&) = delete;
  KeptSignalHandlers& operator=(const KeptSignalHandlers&) = delete;

 private:
  static constexpr int kSignals = 32;  // the standard signals
  std::array<struct sigaction, kSignals> actions_{};
};

/// The number after `key` in a file of lines such as "MemAvailable:  123 kB", if there is one.
[[nodiscard]] std::optional<std::uint64_t> number_after(const std::string& path,
                                                        std::string_view key);

/// How much of a resource is available on this machine, so that a large request can be refused before the system kills a
/// process. The functions below only read files and limits, except `raise_descriptor_limit`.
struct Room {
  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t left = kNoLimit;
  std::string by;  ///< source of the limit: "the memory that is free", "ulimit -u", …
};

/// Bytes of memory: the free memory, or the rest of a control group's limit.
[[nodiscard]] Room memory_room();
/// Processes and threads: limits of the system, of this user, and of the control groups of this process.
[[nodiscard]] Room process_room();
/// Maximum number of open files and sockets of a process, including those that this process has open.
[[nodiscard]] Room descriptor_room();

/// Raises the limit of open files of this process and its children to the hard limit, and returns it.
std::uint64_t raise_descriptor_limit();

/// The largest n with n * (each + n * per_pair) <= bytes (at most 2^24). Requires each > 0.
[[nodiscard]] std::uint64_t most_that_fit(std::uint64_t bytes, std::uint64_t each,
                                          std::uint64_t per_pair);

/// The launcher that started this process.
struct LaunchInfo {
  bool rendezvous = false;      ///< started by `leeway launch`
  bool pmi = false;             ///< started by a launcher that MPICH supports
  std::uint32_t processes = 1;  ///< number of processes according to the launcher
  std::string foreign;          ///< name of a launcher that Leeway does not support; empty: none
};

/// `environment`: NAME=VALUE strings as in ::environ.
[[nodiscard]] LaunchInfo read_launch(const char* const* environment);
/// The value of a variable; empty if it is not set.
[[nodiscard]] std::string_view variable(const char* const* environment, std::string_view name);
/// The Input error for processes of one job that an unsupported launcher started, and that would
/// each run a job of one.
[[nodiscard]] Error stranded(const LaunchInfo& launch);

}  // namespace leeway
