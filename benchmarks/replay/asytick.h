// The runs of AsyTick's evaluation (§5): a benchmark under one of the four systems, in the virtual cluster. The study
// keeps each run. Workloads and prices are derived from the paper's data sets and platform; docs/studies/set-up.md
// describes the derivation.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "benchmarks/replay/figure.h"
#include "benchmarks/replay/study.h"
#include "leeway/piece.h"
#include "transport/cluster_model.h"

namespace leeway::replay {

enum class AsyTickBenchmark { Fish, PageRank, NBody, Jacobi };
inline constexpr std::array kAsyTickBenchmarks = {
    AsyTickBenchmark::Fish, AsyTickBenchmark::PageRank, AsyTickBenchmark::NBody,
    AsyTickBenchmark::Jacobi};
/// "FS", "PageRank", "n-body", "Jacobi", as in the paper.
[[nodiscard]] std::string_view paper_name(AsyTickBenchmark benchmark);

struct AsyTickTrial {
  AsyTickBenchmark benchmark = AsyTickBenchmark::NBody;
  piece::System system = piece::System::AsyTickPlb;
  bool scheduler = true;
  std::uint32_t workers = 256;
  std::uint32_t pieces = 0;  ///< per worker; 0: the benchmark's default
  std::uint32_t percent_of_data = 100;
  std::uint32_t disturbed_tick = 0;  ///< one worker takes six times as long in this tick; 0: none
  std::uint32_t skew = 1;            ///< multiplies the number of disturbances
  std::uint32_t ticks = 0;           ///< 0: the default
};

struct AsyTickRun : piece::PieceRecord {};
/// Frames of all workers.
[[nodiscard]] std::uint64_t frames_of(const piece::PieceRecord& run);
/// Totals, and lambda_L and lambda_C of each tick.
[[nodiscard]] std::vector<RawCell> raw_cells(const AsyTickRun& run);

class Laboratory;

/// A trial with the laboratory's number of workers.
[[nodiscard]] AsyTickTrial asytick_trial(const Laboratory& lab, AsyTickBenchmark benchmark,
                                         piece::System system);
Result<const AsyTickRun*> run_asytick(Laboratory& lab, const AsyTickTrial& trial);
Result<const AsyTickRun*> run_asytick(Laboratory& lab, AsyTickBenchmark benchmark,
                                      piece::System system);
/// A figure with its configuration and the notes common to all; the study's runs of the figure begin here.
[[nodiscard]] Figure blank_asytick(Laboratory& lab);

}  // namespace leeway::replay
