// The list of all tables and figures that can be regenerated. To add one, write its function and a row here; the
// order of rows is that of `leeway replay all`, help and completion.
//
// The command `leeway` reads only names, in constant expressions, so that it does not link the figures.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace leeway::replay {

struct Figure;
class Laboratory;
/// Measures a figure; name and title come from its row.
using ReplayFigure = Result<Figure>(Laboratory& lab);

ReplayFigure replay_table3, replay_table4, replay_table5;
ReplayFigure replay_fig6, replay_fig7, replay_fig8, replay_fig9, replay_fig10, replay_fig11;
ReplayFigure replay_aspire_prices, replay_aspire_threshold, replay_stale_readings;
ReplayFigure replay_fig12, replay_fig13, replay_fig14, replay_fig15, replay_fig16;
ReplayFigure replay_tick_fig1, replay_tick_fig5, replay_tick_fig6, replay_tick_fig7;
ReplayFigure replay_tick_fig8, replay_tick_fig9, replay_tick_fig10, replay_tick_fig11;
ReplayFigure replay_tick_fig12, replay_tick_fig13, replay_tick_loopback;
ReplayFigure replay_aap_fig1, replay_aap_exp1, replay_aap_exp2, replay_aap_exp3, replay_aap_exp7;
ReplayFigure replay_aap_fig6n, replay_aap_fig6o, replay_aap_tables, replay_aap_fig11;
ReplayFigure replay_aap_fig12, replay_aap_workers;
ReplayFigure replay_asytick_fig4, replay_asytick_fig5, replay_asytick_fig6, replay_asytick_fig7;
ReplayFigure replay_asytick_fig8, replay_asytick_fig9, replay_asytick_fig10, replay_asytick_fig11;
ReplayFigure replay_asytick_fig12, replay_asytick_fig13, replay_asytick_fig14;
ReplayFigure replay_asytick_loopback;
ReplayFigure replay_cache, replay_modes, replay_schedules, replay_optimizations, replay_aap_rules;

/// Flags that apply to a figure; a sum of these.
enum FigureFlags : unsigned {
  kTakesGraph = 1,
  kTakesNodes = 2,
  kTakesIterations = 4,
  kTakesNet = 8,
  kTakesFullScale = 16,
  kTakesCache = 32,
  kTakesPrograms = 64,    ///< and schedulers
  kTakesProcesses = 128,  ///< measured if run as a job of processes
};

/// The origin of a figure. Loopback: measured on this machine in real time, so not part of `all`, whose output is the
/// same on every machine. Ours: not from a paper; takes minutes and is not part of `all`.
enum class FigureGroup : std::uint8_t { Aspire, Tick, Aap, AsyTick, Loopback, Ours };

struct FigureRow {
  std::string_view name;
  std::string_view title;
  FigureGroup group;
  unsigned flags;
  ReplayFigure* run;
};

inline constexpr unsigned kOfModels = kTakesGraph | kTakesNodes | kTakesNet;
inline constexpr unsigned kOfTrials = kOfModels | kTakesCache;
inline constexpr unsigned kOfSynthetic = kOfModels | kTakesIterations;
inline constexpr unsigned kOfTicks = kTakesNodes | kTakesIterations | kTakesNet;
inline constexpr unsigned kOfPieces = kTakesNodes | kTakesNet | kTakesFullScale;

// clang-format off
inline constexpr std::array kFigures = {
    // ASPIRE (OOPSLA'14)
    FigureRow{"aspire-prices", "the prices of ASPIRE's machine, from RCP's columns of Tables 3 and 5", FigureGroup::Aspire, kOfTrials, replay_aspire_prices},
    FigureRow{"table3", "SCP and RCP on graphs", FigureGroup::Aspire, kOfTrials, replay_table3},
    FigureRow{"table4", "SCP and RCP on partial differential equations", FigureGroup::Aspire, kOfTrials, replay_table4},
    FigureRow{"fig6", "RCP over SCP as the cluster grows", FigureGroup::Aspire, kTakesGraph | kTakesNet | kTakesCache, replay_fig6},
    FigureRow{"fig7", "times of RCP and Stale-n relative to SCP+RW", FigureGroup::Aspire, kOfTrials, replay_fig7},
    FigureRow{"fig8", "remote fetches that stall, relative to SCP+RW", FigureGroup::Aspire, kOfTrials, replay_fig8},
    FigureRow{"fig9", "staleness of the values used", FigureGroup::Aspire, kOfTrials, replay_fig9},
    FigureRow{"fig10", "iterations until convergence, relative to SCP+RW", FigureGroup::Aspire, kOfTrials, replay_fig10},
    FigureRow{"fig11", "protocol messages, relative to SCP+RW", FigureGroup::Aspire, kOfTrials, replay_fig11},
    FigureRow{"stale-readings", "Stale-n by three readings of the paper", FigureGroup::Aspire, kOfTrials, replay_stale_readings},
    FigureRow{"aspire-threshold", "RCP's time by its threshold", FigureGroup::Aspire, kOfTrials, replay_aspire_threshold},
    FigureRow{"fig12", "several writes per iteration, relative to one write", FigureGroup::Aspire, kOfSynthetic, replay_fig12},
    FigureRow{"fig13", "several writes per iteration, relative to SCP", FigureGroup::Aspire, kOfSynthetic, replay_fig13},
    FigureRow{"fig14", "object sizes", FigureGroup::Aspire, kOfSynthetic, replay_fig14},
    FigureRow{"fig15", "greatest staleness of the values used by RCP, by communication delay", FigureGroup::Aspire, kOfSynthetic, replay_fig15},
    FigureRow{"fig16", "BSP relative to RCP", FigureGroup::Aspire, kOfTrials, replay_fig16},
    FigureRow{"table5", "RCP with filled caches", FigureGroup::Aspire, kOfTrials, replay_table5},
    // Tick (SOCC'11)
    FigureRow{"tick-fig1", "round trips of 16 KB between two nodes", FigureGroup::Tick, kTakesNodes | kTakesNet, replay_tick_fig1},
    FigureRow{"tick-fig5", "Jacobi, seconds of each of 20 rounds", FigureGroup::Tick, kOfTicks, replay_tick_fig5},
    FigureRow{"tick-fig6", "fish, dependency scheduling", FigureGroup::Tick, kOfTicks, replay_tick_fig6},
    FigureRow{"tick-fig7", "PageRank, dependency scheduling", FigureGroup::Tick, kOfTicks, replay_tick_fig7},
    FigureRow{"tick-fig8", "fish, messages every 1 ticks", FigureGroup::Tick, kOfTicks, replay_tick_fig8},
    FigureRow{"tick-fig9", "fish, messages every 2 ticks", FigureGroup::Tick, kOfTicks, replay_tick_fig9},
    FigureRow{"tick-fig10", "fish, messages every 5 ticks", FigureGroup::Tick, kOfTicks, replay_tick_fig10},
    FigureRow{"tick-fig11", "jacobi, the techniques alone and together", FigureGroup::Tick, kOfTicks, replay_tick_fig11},
    FigureRow{"tick-fig12", "fish, the techniques alone and together", FigureGroup::Tick, kOfTicks, replay_tick_fig12},
    FigureRow{"tick-fig13", "fish, equal work per node, 4 to 100 nodes", FigureGroup::Tick, kTakesIterations | kTakesNet, replay_tick_fig13},
    // AAP (TODS 2020)
    FigureRow{"aap-fig1", "connected components on three workers, one a straggler, under four models", FigureGroup::Aap, kTakesNet, replay_aap_fig1},
    FigureRow{"aap-exp1", "time under four models: AAP, BSP, AP and SSP", FigureGroup::Aap, kOfModels, replay_aap_exp1},
    FigureRow{"aap-exp2", "bytes sent under four models, over what AAP sends", FigureGroup::Aap, kOfModels, replay_aap_exp2},
    FigureRow{"aap-workers", "AAP's time with 64 and 192 workers, and that of one thread", FigureGroup::Aap, kTakesGraph | kTakesNet, replay_aap_workers},
    FigureRow{"aap-exp3", "SSSP and PageRank as graph and workers grow together", FigureGroup::Aap, kTakesGraph | kTakesNet, replay_aap_exp3},
    FigureRow{"aap-exp7", "collaborative filtering over the staleness bound c", FigureGroup::Aap, kOfModels, replay_aap_exp7},
    FigureRow{"aap-fig6n", "SSSP on Friendster's stand-in, over the partition's skew r", FigureGroup::Aap, kOfModels, replay_aap_fig6n},
    FigureRow{"aap-fig6o", "PageRank on a synthetic graph, over the number of workers", FigureGroup::Aap, kOfModels, replay_aap_fig6o},
    FigureRow{"aap-tables3-6", "predicting the time of the next round", FigureGroup::Aap, kOfModels, replay_aap_tables},
    FigureRow{"aap-fig11", "estimating arrival rates by the mean of the last windows", FigureGroup::Aap, kOfModels, replay_aap_fig11},
    FigureRow{"aap-fig12", "PageRank on 32 workers with one straggler: timing diagram", FigureGroup::Aap, kOfModels, replay_aap_fig12},
    FigureRow{"aap-rules", "AAP and AP compared with delay rules drawn at random", FigureGroup::Aap, kOfModels, replay_aap_rules},
    // AsyTick
    FigureRow{"asytick-fig4", "computational and communication skew under ComTick", FigureGroup::AsyTick, kOfPieces, replay_asytick_fig4},
    FigureRow{"asytick-fig5", "the asynchronous part of a tick's computing", FigureGroup::AsyTick, kOfPieces, replay_asytick_fig5},
    FigureRow{"asytick-fig6", "where the time goes under AsyTick-PLB", FigureGroup::AsyTick, kOfPieces, replay_asytick_fig6},
    FigureRow{"asytick-fig7", "AsyTick-PLB's cost relative to ComTick's", FigureGroup::AsyTick, kOfPieces, replay_asytick_fig7},
    FigureRow{"asytick-fig8", "what is done of later ticks when tick 9 is over, FS", FigureGroup::AsyTick, kOfPieces, replay_asytick_fig8},
    FigureRow{"asytick-fig9", "ComTick's skew absorbed by AsyTick-PLB", FigureGroup::AsyTick, kOfPieces, replay_asytick_fig9},
    FigureRow{"asytick-fig10", "the scheduler's share of the skew absorbed", FigureGroup::AsyTick, kOfPieces, replay_asytick_fig10},
    FigureRow{"asytick-fig11", "speedups over OriTick", FigureGroup::AsyTick, kOfPieces, replay_asytick_fig11},
    FigureRow{"asytick-fig12", "n-body as workers are added", FigureGroup::AsyTick, kOfPieces, replay_asytick_fig12},
    FigureRow{"asytick-fig13", "n-body as data grows", FigureGroup::AsyTick, kOfPieces, replay_asytick_fig13},
    FigureRow{"asytick-fig14", "n-body as the number of pieces grows", FigureGroup::AsyTick, kOfPieces, replay_asytick_fig14},
    // Measured in real time on threads of this process.
    FigureRow{"tick-loopback", "Jacobi on real threads with real delays", FigureGroup::Loopback, kTakesIterations | kTakesNet, replay_tick_loopback},
    FigureRow{"asytick-loopback", "n-body on real threads with real delays", FigureGroup::Loopback, kTakesIterations | kTakesNet, replay_asytick_loopback},
    // Ours
    FigureRow{"modes", "the eight programs of ASPIRE's Table 1 under every mode, on one graph", FigureGroup::Ours, kOfTrials | kTakesPrograms | kTakesProcesses, replay_modes},
    FigureRow{"schedules", "leeway run with its defaults and under every schedule, on three networks", FigureGroup::Ours, kOfModels | kTakesPrograms | kTakesProcesses | kTakesFullScale, replay_schedules},
    FigureRow{"optimizations", "ASPIRE's four optimizations, each left out in turn, under RCP", FigureGroup::Ours, kOfModels | kTakesPrograms | kTakesProcesses, replay_optimizations},
    FigureRow{"cache", "time over the size of the caches, relative to unbounded caches", FigureGroup::Ours, kTakesNodes, replay_cache},
};
// clang-format on
/// A name for all figures of a group, besides `all`.
struct GroupName {
  std::string_view name;
  FigureGroup group;
};
inline constexpr std::array kGroupNames = {
    GroupName{"aspire", FigureGroup::Aspire},     GroupName{"tick", FigureGroup::Tick},
    GroupName{"aap", FigureGroup::Aap},           GroupName{"asytick", FigureGroup::AsyTick},
    GroupName{"loopback", FigureGroup::Loopback}, GroupName{"ours", FigureGroup::Ours},
};

}  // namespace leeway::replay
