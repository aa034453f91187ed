#include "leeway/benchmarks/replay/aap.h"

#include <array>

namespace leeway::replay {

namespace {

constexpr std::array kReplays = {
    AapReplay{"aap-fig1", "three workers, one a straggler, under BSP, AP, SSP and AAP",
              replay_aap_fig1},
    AapReplay{"aap-exp1", "four programs under four models", replay_aap_exp1},
    AapReplay{"aap-exp2", "what the models send", replay_aap_exp2},
    AapReplay{"aap-exp3", "scale-up", replay_aap_exp3},
    AapReplay{"aap-exp7", "collaborative filtering over the staleness bound", replay_aap_exp7},
    AapReplay{"aap-fig6n", "skewed partitions", replay_aap_fig6n},
    AapReplay{"aap-fig6o", "many workers on a synthetic graph", replay_aap_fig6o},
    AapReplay{"aap-tables3-6", "predicting round times", replay_aap_tables},
    AapReplay{"aap-fig11", "estimating arrival rates", replay_aap_fig11},
    AapReplay{"aap-fig12", "timing diagrams with one straggler", replay_aap_fig12},
};

}  // namespace

std::span<const AapReplay> aap_replays() { return kReplays; }

}  // namespace leeway::replay
