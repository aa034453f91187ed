// A computation in a process of its own: for a library that takes the process's signal handlers for itself, or may
// end the process.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "leeway/base/array.h"
#include "leeway/base/result.h"

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

}  // namespace leeway
