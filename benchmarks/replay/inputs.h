// Skew as AAP's evaluation makes it: a small portion of a partitioned graph is reshuffled, at random, until
// one fragment is r times the median (AAP §8, Exp-4: r = ||F_max|| / ||F_median||).
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "leeway/graph.h"
#include "leeway/result.h"

namespace leeway::replay {

/// Moves vertices drawn at random from all other parts into part 0 until its size, vertices and arcs, is
/// `ratio` times the median part's. Requires a ratio of at least 1. Same arguments: same partition.
void reshuffle(const Graph& graph, double ratio, std::uint64_t seed, Partition& partition);

// The inputs of the papers' evaluations and what stands in for each here: a real graph of the folder that LEEWAY_DATA
// names, of the same kind and smaller, or a generated one. Loaded, and divided, when first asked for, once for all
// figures. One thread's own.
enum class InputKind { Social, Road, Matrix };

/// Of ASPIRE's Table 2.
struct Input {
  std::string_view name;  ///< the paper's
  InputKind kind;
  std::string_view file;  ///< of the data folder; empty: none stands in
  std::string_view spec;  ///< generated, where there is no folder or no file
};
[[nodiscard]] std::span<const Input> inputs();
[[nodiscard]] const Input& input_named(std::string_view name);

/// The path of `file` in the data folder if it is there, else `spec`.
[[nodiscard]] std::string place_of(std::string_view file, std::string_view spec);
/// What tables call a place: "soc-Slashdot0902.txt.zst", "powerlaw:20000:2.2".
[[nodiscard]] std::string file_name(const std::string& place);
/// A spec of this cache alone: ratings that have eight factors, and noise.
inline constexpr std::string_view kRatings = "ratings";

/// A graph, and how it is read.
struct GraphRequest {
  std::string place;       ///< a path or a spec
  bool both_ways = false;  ///< with every arc's reverse, each once
  bool weights = true;     ///< drawn by seed where the source has none

  friend auto operator<=>(const GraphRequest&, const GraphRequest&) = default;
};

class InputCache {
 public:
  explicit InputCache(std::uint64_t seed) : seed_(seed) {}

  /// Stays where it is for as long as the cache.
  Result<const Graph*> graph(const GraphRequest& request);
  /// `skew`: AAP's r, by reshuffling into part 0; 1 leaves the division as it is.
  Result<std::shared_ptr<const Partition>> division(const GraphRequest& request,
                                                    std::uint32_t parts, BalanceBy balance,
                                                    PartitionMethod method = PartitionMethod::Metis,
                                                    double skew = 1);

 private:
  using DivisionKey = std::tuple<GraphRequest, std::uint32_t, BalanceBy, PartitionMethod, double>;

  std::uint64_t seed_;
  std::map<GraphRequest, Graph> loaded_;
  std::map<DivisionKey, std::shared_ptr<const Partition>> divided_;
};

}  // namespace leeway::replay
