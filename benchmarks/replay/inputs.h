// The inputs of the papers' evaluations and our stand-ins for them: a real graph of the folder LEEWAY_DATA, of the
// same kind and smaller, or a generated one. The cache loads and divides each input on first use and shares it
// between figures. Not thread-safe.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "base/result.h"
#include "datasets/graph.h"

namespace leeway::replay {

enum class InputKind { Social, Road, Matrix };

/// An input of ASPIRE's Table 2.
struct Input {
  std::string_view name;  ///< name in the paper
  InputKind kind;
  std::string_view file;  ///< in the data folder; empty: no file
  std::string_view spec;  ///< generated if the file does not exist
  double arcs = 0;        ///< of the paper's input
  double vertices = 0;
  bool one_way = false;  ///< the paper's lists an arc without its reverse
};
[[nodiscard]] std::span<const Input> inputs();
[[nodiscard]] const Input& input_named(std::string_view name);

/// The path of `file` in the data folder if it is there, else `spec`.
[[nodiscard]] std::string place_of(std::string_view file, std::string_view spec);
/// The name of an input in tables: "soc-Slashdot0902.txt.zst", "powerlaw:20000:2.2".
[[nodiscard]] std::string file_name(const std::string& place);
/// A spec of this cache only: ratings from eight factors with noise.
inline constexpr std::string_view kRatings = "ratings";

/// A graph and its read options.
struct GraphRequest {
  std::string place;       ///< path or spec
  bool both_ways = false;  ///< adds every arc's reverse
  bool weights = true;     ///< drawn if the source has none

  friend auto operator<=>(const GraphRequest&, const GraphRequest&) = default;
};

class InputCache {
 public:
  explicit InputCache(std::uint64_t seed) : seed_(seed) {}

  /// The graph's address is valid as long as the cache.
  Result<const Graph*> graph(const GraphRequest& request);
  /// `skew`: AAP's r, by reshuffling; 1: the division is not changed.
  Result<std::shared_ptr<const Partition>> division(const GraphRequest& request,
                                                    std::uint32_t parts, BalanceBy balance,
                                                    PartitionMethod method = PartitionMethod::Metis,
                                                    double skew = 1);

 private:
  Result<const Graph*> graph_locked(const GraphRequest& request);

  using DivisionKey = std::tuple<GraphRequest, std::uint32_t, BalanceBy, PartitionMethod, double>;

  std::uint64_t seed_;
  std::mutex mutex_;
  std::map<GraphRequest, Graph> loaded_;
  std::map<DivisionKey, std::shared_ptr<const Partition>> divided_;
};

}  // namespace leeway::replay
