// A computation in a process of its own: for a library that takes the process's signal handlers for itself, or may
// end the process.
#pragma once

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include "base/array.h"
#include "leeway/result.h"

namespace leeway {

namespace child_process_detail {
/// Memory that child processes share with this one, or nothing where it is refused.
std::shared_ptr<void> share_memory(std::size_t bytes);
Result<void> run_in_child(const std::string& where, const std::function<void()>& work);
}  // namespace child_process_detail

/// Calls `work` with `size` zeroed values in a child process, waits for its end, and gives the values as it left
/// them. The child is a copy of this process with the calling thread alone. It ends with this process, hears no
/// signal that its terminal sends, and nothing but the values comes back from it. An Environment error of `where`
/// if the machine refuses it, or if it ends in another way than by returning.
template <class T>
Result<Array<T>> compute_in_child(const std::string& where, std::size_t size,
                                  const std::function<void(std::span<T>)>& work) {
  const std::shared_ptr<void> memory = child_process_detail::share_memory(size * sizeof(T));
  if (memory == nullptr) return fail(array_detail::out_of_memory(size * sizeof(T)));
  const std::span<T> values(static_cast<T*>(memory.get()), size);
  LEEWAY_TRY(child_process_detail::run_in_child(where, [&] { work(values); }));
  return Array<T>::view(values, memory);
}

// The way out of a process that cannot go on, from whichever thread finds it out.

/// Says the error as the last line, removes what files are unfinished, and ends with the error's exit code. Runs no
/// destructors: other threads may be anywhere. Thread-safe.
[[noreturn]] void end_process(const Error& error);

// Who handles which signal of this process.

/// Every signal's handler as it was, put back when this is destroyed: around what loads a library that
/// installs handlers of its own. Nobody else may set a handler meanwhile.
class KeptSignalHandlers {
 public:
  KeptSignalHandlers();
  ~KeptSignalHandlers();
  KeptSignalHandlers(const KeptSignalHandlers&) = delete;
  KeptSignalHandlers& operator=(const KeptSignalHandlers&) = delete;

 private:
  static constexpr int kSignals = 32;  // those that have names
  std::array<struct sigaction, kSignals> actions_{};
};

// What this machine still has room for, so that whoever is about to ask for very much can be told before,
// and not by the system ending somebody for it. A look at files and limits; only `raise_descriptor_limit` changes any.
struct Room {
  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t left = kNoLimit;
  std::string by;  ///< what sets the limit: "the memory that is free", "ulimit -u", …
};

/// Bytes: what is free, or what a control group leaves of its limit.
[[nodiscard]] Room memory_room();
/// Processes and threads: of the system, of this user, of the control groups this process is in.
[[nodiscard]] Room process_room();
/// Files and sockets that one process may have open, this one's own among them.
[[nodiscard]] Room descriptor_room();

/// Lets this process, and those it starts, open as many files as the hard limit allows. Returns how many that is.
std::uint64_t raise_descriptor_limit();

/// How many things fit into so many bytes, where each takes `each` and `per_pair` more for every one there is.
/// Requires `each` above 0.
[[nodiscard]] std::uint64_t most_that_fit(std::uint64_t bytes, std::uint64_t each,
                                          std::uint64_t per_pair);

}  // namespace leeway
