// A random forest for round times (AAP §6): regression trees (CART) that minimize the mean squared relative error of
// equation (6), cost-complexity pruning, and the cross-validation that chooses how much to prune.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace leeway::pie {

/// A node of a tree, stored in preorder: the left child of a split follows it.
struct TreeNode {
  static constexpr std::uint32_t kLeaf = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t feature = kLeaf;  ///< a split compares this feature; kLeaf: a leaf
  std::uint32_t right = 0;        ///< index of the right child
  double threshold = 0;           ///< features up to this go left
  // Means over the training rows that reach the node, for targets t. A node alone would estimate first / second.
  double first = 0;   ///< of 1/t
  double second = 0;  ///< of 1/t^2
  double error =
      0;  ///< sum of the training rounds' squared relative errors, divided by their number in the tree

  [[nodiscard]] bool leaf() const { return feature == kLeaf; }
};

/// A matrix of features with target values, prepared for training: each column is cut into at most 255 intervals at
/// quantiles. Read-only after construction; shared by all threads.
class TrainingTable {
 public:
  /// Rows of equal length, targets above 0 (checked). At most 2^32 rows.
  TrainingTable(std::span<const std::span<const double>> rows, std::span<const double> targets);

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(inverse_.size()); }
  [[nodiscard]] std::uint32_t features() const {
    return static_cast<std::uint32_t>(bounds_.size());
  }
  /// The interval of each row's value.
  [[nodiscard]] std::span<const std::uint8_t> column(std::uint32_t feature) const {
    return std::span(cells_).subspan(std::size_t{feature} * rows(), rows());
  }
  /// Upper bounds of a column's intervals, except the last.
  [[nodiscard]] std::span<const double> bounds(std::uint32_t feature) const {
    return bounds_[feature];
  }
  /// The reciprocal of the row's target.
  [[nodiscard]] double inverse(std::uint32_t row) const { return inverse_[row]; }
  /// Columns with more than one interval.
  [[nodiscard]] std::span<const std::uint32_t> informative() const { return informative_; }

 private:
  std::vector<std::vector<double>> bounds_;  // by column
  std::vector<std::uint8_t> cells_;          // column after column
  std::vector<double> inverse_;
  std::vector<std::uint32_t> informative_;
};

/// Ten regression trees. The leaves that a row reaches weight the training rows; the forest's estimate is the value with
/// the least mean squared relative error over them, sum(1/t) / sum(1/t^2), and not the mean of the trees' estimates:
/// one tree that takes a short round for a long one would make that mean too high by orders of magnitude.
/// Immutable; any thread may predict.
class RegressionForest {
 public:
  static constexpr std::size_t kTrees = 10;

  RegressionForest() = default;
  /// Grows the trees on `rows` of the table, each on a bootstrap sample of them and each split by one of two thirds of
  /// the features that differ there, drawn at random: the one that reduces the mean squared relative error most. Nodes
  /// whose error is at most `cost` are not split, because pruning at that cost or a higher one would remove the split.
  /// The result does not depend on `threads`.
  RegressionForest(const TrainingTable& table, std::span<const std::uint32_t> rows, double cost,
                   unsigned threads);

  [[nodiscard]] bool trained() const { return !trees_.front().empty(); }
  /// Requires trained() and as many features as in training (checked).
  [[nodiscard]] double predict(std::span<const double> features) const;
  /// The same forest with every subtree replaced by a leaf that reduces the mean squared relative error by at most
  /// `cost` for each leaf that it has more.
  [[nodiscard]] RegressionForest pruned(double cost) const;
  [[nodiscard]] std::size_t leaves() const;
  [[nodiscard]] std::uint32_t features() const { return features_; }

  /// A line for each node, and one before each tree.
  [[nodiscard]] std::string text() const;
  /// Reads `text`. Returns what is wrong, and sets `line` to the line's number in the text, from 0; empty: nothing.
  [[nodiscard]] std::string parse(std::string_view text, std::uint32_t features, std::size_t& line);

 private:
  std::uint32_t features_ = 0;
  std::array<std::vector<TreeNode>, kTrees> trees_;
};

/// A degree of pruning and its error on rows that the forest was not trained on.
struct PruningStep {
  double cost = 0;
  double error = 0;   ///< mean squared relative error
  double leaves = 0;  ///< of a forest, mean over the folds
};

struct CrossValidation {
  std::uint32_t folds = 0;
  std::vector<PruningStep> steps;  ///< from none to most pruning
  std::size_t chosen = 0;  ///< the most pruning whose error exceeds the least by at most 1 %
};

/// Cross-validation over degrees of pruning: a forest for each fold, trained on the others. `fold_of`: the fold of each
/// row, below `folds`.
[[nodiscard]] CrossValidation cross_validate(const TrainingTable& table,
                                             std::span<const std::span<const double>> rows,
                                             std::span<const std::uint32_t> fold_of,
                                             std::uint32_t folds, unsigned threads);

}  // namespace leeway::pie
