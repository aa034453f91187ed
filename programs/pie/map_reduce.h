// MapReduce as a PIE program (AAP §4.2, Theorem 4.10): the fragments are a clique of as many vertices as
// workers, one each, so that all are border vertices; an update parameter is the multiset of <r, key,
// value> tuples meant for its vertex, and f_aggr is their union. PEval maps the first subroutine's input;
// IncEval reduces what came and maps the next. Subroutines need each other's whole output, so the program
// runs in step: under BSP, or any model that is given a bound of 0.
//
// A job is a list of subroutines. Keys go to workers by hash. PRAM programs run on it step by step, a key a
// cell of memory (Karloff, Suri & Vassilvitskii, SODA 2010).
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
  KeyValues input;  ///< dealt out to the workers in turn
  std::vector<Subroutine> subroutines;
};

/// The output of the last reducer, ascending. `options`: cluster and workers; the schedule is BSP's.
Result<KeyValues> map_reduce(const MapReduceJob& job, SessionOptions options);

/// How often each word of the lines occurs.
[[nodiscard]] MapReduceJob word_count(const std::vector<std::string>& lines);
/// Pairs of values of a key that is in both relations: "left right".
[[nodiscard]] MapReduceJob equi_join(const KeyValues& left, const KeyValues& right);
/// PRAM's sums of all prefixes, in log n steps: cell i gets the sum of numbers 0 to i.
[[nodiscard]] MapReduceJob prefix_sums(const std::vector<std::int64_t>& numbers);

}  // namespace leeway::pie
