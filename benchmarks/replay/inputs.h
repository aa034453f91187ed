// The inputs of ASPIRE's evaluation (Table 2) and what stands in for each here: a real graph of the folder
// that LEEWAY_DATA names, of the same kind and smaller, or a generated one. Loaded when first asked for.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "leeway/base/result.h"
#include "leeway/datasets/graph.h"
#include "leeway/datasets/partition.h"

namespace leeway::replay {

enum class InputKind { Social, Road, Matrix };

struct Input {
  std::string_view name;  ///< the paper's
  InputKind kind;
  std::string_view file;  ///< of the data folder; empty: none stands in
  std::string_view spec;  ///< generated, where there is no folder or no file
};
[[nodiscard]] std::span<const Input> inputs();
[[nodiscard]] const Input& input_named(std::string_view name);

/// One thread's own.
class InputShelf {
 public:
  /// `instead`: one graph, a file or a spec, that stands in for every input.
  explicit InputShelf(std::optional<std::string> instead, std::uint64_t seed)
      : instead_(std::move(instead)), seed_(seed) {}

  /// Graphs have weights, drawn by seed where the source has none. `both_ways`: with every arc's reverse,
  /// for programs that ask for it.
  Result<const Graph*> graph(const Input& input, bool both_ways);
  /// Such a graph's division by METIS, one part a node.
  Result<std::shared_ptr<const Partition>> division(const Input& input, bool both_ways,
                                                    std::uint32_t nodes);
  /// What really is read: "soc-Slashdot0902.txt.zst", "powerlaw:20000:2.2".
  [[nodiscard]] std::string source(const Input& input) const;
  /// True where every input is one and the same.
  [[nodiscard]] bool single() const { return instead_.has_value(); }

 private:
  std::optional<std::string> instead_;
  std::uint64_t seed_;
  /// A path or a spec.
  [[nodiscard]] std::string place_of(const Input& input) const;
  [[nodiscard]] std::string key_of(const Input& input, bool both_ways) const;

  std::map<std::string, Graph, std::less<>> loaded_;
  std::map<std::string, std::shared_ptr<const Partition>, std::less<>> divided_;
};

}  // namespace leeway::replay
