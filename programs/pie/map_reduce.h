// MapReduce as a PIE program (AAP §4.2, Theorem 4.10). The graph is a clique with one vertex per worker and one
// vertex per fragment, so all vertices are border vertices. An update parameter is the multiset of <r, key, value>
// tuples for its vertex, and f_aggr is their union. PEval maps the first subroutine's input; IncEval reduces the
// received tuples and maps the next subroutine's. A subroutine needs the complete output of its predecessor, so the
// program runs in lockstep: under BSP, or any model with a bound of 0.
//
// A job is a list of subroutines. Keys are assigned to workers by hash. PRAM programs run one step per subroutine,
// with a key per memory cell (Karloff, Suri & Vassilvitskii, SODA 2010).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "leeway/pie.h"
#include "leeway/result.h"

namespace leeway::pie {

struct KeyValue {
  std::string key;
  std::string value;
  friend auto operator<=>(const KeyValue&, const KeyValue&) = default;
};
using KeyValues = std::vector<KeyValue>;
using Emit = std::function<void(std::string key, std::string value)>;

struct Subroutine {
  std::function<void(const KeyValue& pair, const Emit& emit)> map;
  std::function<void(const std::string& key, const std::vector<std::string>& values,
                     const Emit& emit)>
      reduce;
};

struct MapReduceJob {
  KeyValues input;  ///< distributed over the workers round-robin
  std::vector<Subroutine> subroutines;
};

/// Returns the output of the last reducer in ascending order. `options`: cluster and workers; the schedule is always
/// BSP.
Result<KeyValues> map_reduce(const MapReduceJob& job, RunOptions options);

/// Counts the occurrences of each word.
[[nodiscard]] MapReduceJob word_count(const std::vector<std::string>& lines);
/// For each key in both relations, the pairs of its values: "left right".
[[nodiscard]] MapReduceJob equi_join(const KeyValues& left, const KeyValues& right);
/// All prefix sums by a PRAM algorithm in log n steps: cell i receives the sum of numbers 0 to i.
[[nodiscard]] MapReduceJob prefix_sums(const std::vector<std::int64_t>& numbers);

}  // namespace leeway::pie
