// AsyTick's figures, drawn from trials.
#pragma once

#include "leeway/benchmarks/replay/asytick_trials.h"

namespace leeway::replay {

Result<Figure> replay_asytick_fig4(AsyTickTrials& trials);
Result<Figure> replay_asytick_fig5(AsyTickTrials& trials);
Result<Figure> replay_asytick_fig6(AsyTickTrials& trials);
Result<Figure> replay_asytick_fig7(AsyTickTrials& trials);
Result<Figure> replay_asytick_fig8(AsyTickTrials& trials);
Result<Figure> replay_asytick_fig9(AsyTickTrials& trials);
Result<Figure> replay_asytick_fig10(AsyTickTrials& trials);
Result<Figure> replay_asytick_fig11(AsyTickTrials& trials);
Result<Figure> replay_asytick_fig12(AsyTickTrials& trials);
Result<Figure> replay_asytick_fig13(AsyTickTrials& trials);
Result<Figure> replay_asytick_fig14(AsyTickTrials& trials);

/// Of the time that ComTick loses to skew, the share that a run does not spend.
[[nodiscard]] double absorbed(const piece::PieceRecord& comtick, const piece::PieceRecord& run);

}  // namespace leeway::replay
