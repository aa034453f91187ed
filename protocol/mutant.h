// Deliberate protocol bugs, compiled only into the test build of this folder. The proof campaigns must
// catch every one; in a shipped library LEEWAY_MUTANT is the constant false.
#pragma once

#include <string_view>

namespace leeway {

enum class Mutant {
  None,
  LoseInvalidationWhenFlattening,
  InstallOlderReply,
  ForgetSharerOnRefetch,
  CountHandledTwice,
  ThresholdOffByOne,
  KeepStaleAfterInvalidation,
  EvictIgnoresNumber,
  AnnounceOldVersion,
  ReplyOldVersionAsNew,
  SkipAcknowledgementWait,
  DropRefresh,
  ForgetStaleUse,
  PushToEvicted,
  LoseSecondSharer,
  StopOnFirstVote,
  ForgetLocalWrite,
};

inline constexpr int kMutantCount = static_cast<int>(Mutant::ForgetLocalWrite) + 1;

[[nodiscard]] std::string_view mutant_name(Mutant mutant);

#ifdef LEEWAY_MUTANTS
/// The one bug that is switched on in this process.
inline Mutant active_mutant = Mutant::None;
#define LEEWAY_MUTANT(name) (::leeway::active_mutant == ::leeway::Mutant::name)
#else
#define LEEWAY_MUTANT(name) false
#endif

}  // namespace leeway
