// What the C++ heap of this process may hold. The campaign's executable replaces operator new to count it, so
// that a case that takes far more memory than its sixty vertices can need is a failure, not a slow success.
#pragma once

#include <atomic>
#include <cstdint>

namespace leeway::answers {

/// From now on whoever asks for more is refused with std::bad_alloc, and `exceeded` is set first; it may lie in
/// memory that another process reads. Call before other threads start.
void bound_memory(std::uint64_t bytes, std::atomic<bool>* exceeded);

}  // namespace leeway::answers
