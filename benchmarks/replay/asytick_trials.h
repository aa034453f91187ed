// The runs that AsyTick's evaluation (§5) is made of: a benchmark under one of the four systems, in the
// virtual cluster. Each is run once, however many figures show it. Workloads and prices are fixed here,
// from the paper's data sets and platform; what each stands for, docs/replays.md tells. One thread's own.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "leeway/base/result.h"
#include "leeway/benchmarks/replay/figure.h"
#include "leeway/runtime/piece/options.h"
#include "leeway/runtime/piece/record.h"
#include "leeway/transport/network_profile.h"

namespace leeway::replay {

enum class AsyTickBenchmark { Fish, PageRank, NBody, Jacobi };
inline constexpr std::array kAsyTickBenchmarks = {
    AsyTickBenchmark::Fish, AsyTickBenchmark::PageRank, AsyTickBenchmark::NBody,
    AsyTickBenchmark::Jacobi};
/// "FS", "PageRank", "n-body", "Jacobi": as the paper writes them.
[[nodiscard]] std::string_view paper_name(AsyTickBenchmark benchmark);

struct AsyTickTrial {
  AsyTickBenchmark benchmark = AsyTickBenchmark::NBody;
  piece::System system = piece::System::AsyTickPlb;
  bool scheduler = true;
  std::uint32_t workers = 256;
  std::uint32_t pieces = 0;  ///< a worker's; 0: the benchmark's own
  std::uint32_t percent_of_data = 100;
  std::uint32_t disturbed_tick = 0;  ///< one worker takes six times as long then; 0: none
  std::uint32_t skew = 1;            ///< times as many disturbances
  std::uint32_t ticks = 0;           ///< 0: the benchmark's own

  friend auto operator<=>(const AsyTickTrial&, const AsyTickTrial&) = default;
};

struct AsyTickSettings {
  NetworkProfile network;
  std::uint64_t seed = 1;
  std::uint32_t workers = 256;
};

class AsyTickTrials {
 public:
  using Say = std::function<void(const std::string&)>;
  AsyTickTrials(AsyTickSettings settings, Say say)
      : settings_(std::move(settings)), say_(std::move(say)) {}

  [[nodiscard]] AsyTickTrial trial(AsyTickBenchmark benchmark, piece::System system) const;
  Result<const piece::PieceRecord*> run(const AsyTickTrial& trial);
  /// A figure with its configuration and what all of them must say, otherwise empty.
  [[nodiscard]] Figure blank(std::string name, std::string title) const;

 private:
  Result<piece::PieceRecord> measure(const AsyTickTrial& trial) const;

  AsyTickSettings settings_;
  Say say_;
  std::map<AsyTickTrial, piece::PieceRecord> results_;
};

struct AsyTickReplay {
  std::string_view name;
  std::string_view summary;
  Result<Figure> (*run)(AsyTickTrials& trials);
};
/// asytick-fig4 … asytick-fig14.
[[nodiscard]] std::span<const AsyTickReplay> asytick_replays();

}  // namespace leeway::replay
