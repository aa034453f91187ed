// Limits the C++ heap of this process. The campaign's executable replaces operator new to count
// bytes, so a case that allocates far more than its sixty vertices need fails instead of passing
// slowly.
#pragma once

#include <atomic>
#include <cstdint>

namespace leeway::answers {

/// From now on an allocation above the limit throws std::bad_alloc after setting `exceeded`, which
/// may be in memory shared with another process. Must be called before other threads start.
void bound_memory(std::uint64_t bytes, std::atomic<bool>* exceeded);

}  // namespace leeway::answers
