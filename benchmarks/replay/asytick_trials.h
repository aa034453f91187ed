// The runs of AsyTick's evaluation (§5): a benchmark under one of the four systems, in the virtual cluster. Each run
// is done once and shared by all figures. Workloads and prices are derived from the paper's data sets and platform;
// docs/studies/set-up.md describes the derivation. Not thread-safe.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <string_view>

#include "benchmarks/replay/figure.h"
#include "leeway/piece.h"
#include "leeway/result.h"
#include "transport/network_profile.h"

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

  friend auto operator<=>(const AsyTickTrial&, const AsyTickTrial&) = default;
};

class Laboratory;

class AsyTickTrials {
 public:
  explicit AsyTickTrials(Laboratory& lab);

  [[nodiscard]] AsyTickTrial trial(AsyTickBenchmark benchmark, piece::System system) const;
  Result<const piece::PieceRecord*> run(const AsyTickTrial& trial);
  Result<const piece::PieceRecord*> run(AsyTickBenchmark benchmark, piece::System system) {
    return run(trial(benchmark, system));
  }
  /// A figure with its configuration and the notes common to all.
  [[nodiscard]] Figure blank() const;

 private:
  Result<piece::PieceRecord> measure(const AsyTickTrial& trial) const;

  Laboratory& lab_;
  std::uint32_t workers_;
  NetworkProfile network_;
  std::map<AsyTickTrial, piece::PieceRecord> results_;
};

}  // namespace leeway::replay
