// Fork-join over an index range with plain threads, for loading and generating. The split depends on
// `threads`, so work that must not differ by thread count keys its random numbers by index.
#pragma once

#include <cstddef>
#include <functional>

namespace leeway {

/// `requested`, or the cores this process may use when 0.
[[nodiscard]] unsigned thread_count(unsigned requested);

/// Calls `work(chunk, begin, end)` for `threads` contiguous chunks of [0, count), each on a thread of
/// its own (the caller's among them); returns when all are done. Chunks may be empty.
void parallel_chunks(
    std::size_t count, unsigned threads,
    const std::function<void(unsigned chunk, std::size_t begin, std::size_t end)>& work);

}  // namespace leeway
