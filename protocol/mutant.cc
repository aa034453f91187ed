#include "leeway/protocol/mutant.h"

#include <array>

#include "leeway/base/check.h"

namespace leeway {

namespace {

constexpr std::array<std::string_view, kMutantCount> kNames = {
    "none",
    "lose-invalidation-when-flattening",
    "install-older-reply",
    "forget-sharer-on-refetch",
    "count-handled-twice",
    "threshold-off-by-one",
    "keep-stale-after-invalidation",
    "evict-ignores-number",
    "announce-old-version",
    "reply-old-version-as-new",
    "skip-acknowledgement-wait",
    "drop-refresh",
    "forget-stale-use",
    "push-to-evicted",
    "lose-second-sharer",
    "stop-on-first-vote",
    "forget-local-write",
};

}  // namespace

std::string_view mutant_name(Mutant mutant) {
  const auto index = static_cast<std::size_t>(mutant);
  LEEWAY_CHECK(index < kNames.size());
  return kNames[index];
}

}  // namespace leeway
