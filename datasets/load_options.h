// How a graph is to be read or generated: every choice has a default that is stated here and in
// `--help`, and none changes what a file says unless asked to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "leeway/datasets/share.h"

namespace leeway {

class Progress;

/// Direction::Auto: what the format or the file's header says; an edge list that says nothing is
/// directed.
enum class Direction { Auto, Directed, Undirected };
/// Auto: kept, but refused where the format says that there are none (Matrix Market).
enum class Duplicates { Auto, Keep, Merge };
/// Which weight a merged edge has.
enum class MergeWeights { Sum, Min, Max, First, Last };
enum class SelfLoops { Keep, Drop };
/// File: as the file has them (if it has any); None: leave them out; Random: drawn by seed.
enum class Weights { File, None, Random };

struct LoadOptions {
  std::optional<std::string> format;  ///< a format's name; detected when absent
  // Of CSV alone:
  std::string
      columns;         ///< "A,B" or "A,B,W", each a title or a place from 1; empty: by their titles
  char delimiter = 0;  ///< 0: detected
  std::optional<bool> header;  ///< whether the first row holds titles; by its content when absent
  Direction direction = Direction::Auto;
  bool symmetrize = false;  ///< add every arc's reverse; the graph becomes undirected
  Duplicates duplicates = Duplicates::Auto;
  MergeWeights merge_weights = MergeWeights::Sum;
  SelfLoops self_loops = SelfLoops::Keep;
  Weights weights = Weights::File;
  std::uint64_t seed = 1;   ///< for random weights and generated graphs
  double weight_low = 1.0;  ///< random weights are whole numbers in [low, high]
  double weight_high = 100.0;
  /// Whether something is said that only CSV can heed.
  [[nodiscard]] bool speaks_of_csv() const {
    return !columns.empty() || delimiter != 0 || header.has_value();
  }
  Share share;           ///< what of the edges to list, where a graph is read or made by several
  unsigned threads = 0;  ///< 0 = every core this process may use
  Progress* progress = nullptr;  ///< told how far the work has come, if somebody watches
};

}  // namespace leeway
