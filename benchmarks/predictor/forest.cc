#include "benchmarks/predictor/forest.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "base/parallel.h"
#include "base/random.h"

namespace leeway::pie {

namespace {

constexpr std::size_t kIntervals = 255;
constexpr std::size_t kQuantileRows = 20'000;
constexpr std::size_t kDeepest = 48;
constexpr std::uint64_t kSeed = 6;  // of bootstrap samples and feature choices

/// Upper bounds of at most kIntervals intervals with about equal numbers of the values; halfway between two values.
std::vector<double> bounds_of(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  std::vector<double> bounds;
  const double share = static_cast<double>(values.size()) / static_cast<double>(kIntervals);
  double next = 0;  // values before the next bound
  for (std::size_t i = 1; i < values.size() && bounds.size() + 1 < kIntervals; ++i) {
    if (values[i] == values[i - 1] || static_cast<double>(i) < next) continue;
    bounds.push_back(values[i - 1] + (values[i] - values[i - 1]) / 2);
    next = static_cast<double>(i) + share;
  }
  return bounds;
}

std::size_t least_leaf(std::size_t rows) {
  constexpr std::size_t kFewRows = 30, kManyRows = 5'000;
  return rows < kFewRows ? 1 : rows < kManyRows ? 3 : 5;
}

}  // namespace

TrainingTable::TrainingTable(std::span<const std::span<const double>> rows,
                             std::span<const double> targets) {
  LEEWAY_CHECK(!rows.empty());
  LEEWAY_CHECK(rows.size() == targets.size());
  for (const double target : targets) {
    LEEWAY_CHECK(target > 0);
    inverse_.push_back(1 / target);
  }
  const std::size_t features = rows.front().size();
  bounds_.resize(features);
  cells_.resize(features * rows.size());
  const std::size_t step = (rows.size() + kQuantileRows - 1) / kQuantileRows;
  for (std::size_t f = 0; f < features; ++f) {
    std::vector<double> values;
    for (std::size_t row = 0; row < rows.size(); row += step) {
      LEEWAY_CHECK(rows[row].size() == features);
      values.push_back(rows[row][f]);
    }
    bounds_[f] = bounds_of(values);
    if (bounds_[f].empty()) continue;
    informative_.push_back(static_cast<std::uint32_t>(f));
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const auto at = std::lower_bound(bounds_[f].begin(), bounds_[f].end(), rows[row][f]);
      cells_[f * rows.size() + row] = static_cast<std::uint8_t>(at - bounds_[f].begin());
    }
  }
}

namespace {

/// Number of rows, sum(1/t) and sum(1/t^2).
struct InverseSums {
  double count = 0;
  double first = 0;
  double second = 0;

  void add(double inverse) {
    count += 1;
    first += inverse;
    second += inverse * inverse;
  }
  void add(const InverseSums& other) {
    count += other.count;
    first += other.first;
    second += other.second;
  }
  [[nodiscard]] InverseSums without(const InverseSums& other) const {
    return {count - other.count, first - other.first, second - other.second};
  }
  /// The error is `count` minus this.
  [[nodiscard]] double explained() const { return second > 0 ? first * first / second : 0; }
};

struct TreeSplit {
  std::uint32_t feature = TreeNode::kLeaf;
  std::uint8_t interval = 0;  ///< the last of the left side
  double explained = 0;
};

/// Grows one tree.
class TreeGrower {
 public:
  TreeGrower(const TrainingTable& table, std::span<const std::uint32_t> rows, double cost,
             std::uint64_t tree)
      : table_(table), cost_(cost), random_(kSeed, tree), total_(static_cast<double>(rows.size())) {
    for (std::size_t i = 0; i < rows.size(); ++i) rows_.push_back(rows[random_.below(rows.size())]);
    std::sort(rows_.begin(), rows_.end());
    inverse_.resize(rows_.size());
    least_leaf_ = static_cast<double>(least_leaf(rows.size()));
  }

  std::vector<TreeNode> grown() {
    const auto all = table_.informative();
    grow(0, rows_.size(), {all.begin(), all.end()}, 0);
    return std::move(nodes_);
  }

 private:
  /// Grows the subtree of rows_[begin, end). `varied`: features that differed among the parent's rows.
  void grow(std::size_t begin, std::size_t end, std::vector<std::uint32_t> varied,
            std::size_t depth) {
    InverseSums sums;
    for (std::size_t i = begin; i < end; ++i) {
      inverse_[i] = table_.inverse(rows_[i]);
      sums.add(inverse_[i]);
    }
    const std::size_t self = nodes_.size();
    nodes_.push_back({.first = sums.first / sums.count,
                      .second = sums.second / sums.count,
                      .error = std::max(0.0, sums.count - sums.explained()) / total_});
    if (depth == kDeepest || sums.count < 2 * least_leaf_ || nodes_[self].error <= cost_) return;
    const TreeSplit split = best_split(begin, end, sums, varied);
    if (split.feature == TreeNode::kLeaf) return;
    const auto column = table_.column(split.feature);
    const auto middle =
        std::stable_partition(rows_.begin() + static_cast<std::ptrdiff_t>(begin),
                              rows_.begin() + static_cast<std::ptrdiff_t>(end),
                              [&](std::uint32_t row) { return column[row] <= split.interval; });
    const auto at = static_cast<std::size_t>(middle - rows_.begin());
    nodes_[self].feature = split.feature;
    nodes_[self].threshold = table_.bounds(split.feature)[split.interval];
    grow(begin, at, varied, depth + 1);
    nodes_[self].right = static_cast<std::uint32_t>(nodes_.size());
    grow(at, end, std::move(varied), depth + 1);
  }

  /// The best split by two thirds of the features that differ among the rows, drawn at random. Removes features that do not differ
  /// from `varied`.
  TreeSplit best_split(std::size_t begin, std::size_t end, const InverseSums& sums,
                       std::vector<std::uint32_t>& varied) {
    constexpr double kLeastGain = 1e-12;  // of the rows' number; rounding errors are smaller
    TreeSplit best{.explained = sums.explained() + kLeastGain * sums.count};
    std::vector<std::uint32_t> tried;
    std::size_t most_tried = (2 * varied.size() + 2) / 3;
    while (tried.size() < most_tried && !varied.empty()) {
      std::swap(varied[random_.below(varied.size())], varied.back());
      const std::uint32_t feature = varied.back();
      varied.pop_back();
      if (!split_by(feature, begin, end, sums, best)) {
        most_tried = std::min(most_tried, (2 * (varied.size() + tried.size()) + 2) / 3);
        continue;
      }
      tried.push_back(feature);
    }
    varied.insert(varied.end(), tried.begin(), tried.end());
    return best;
  }

  /// Improves `best` by splits of one feature. False if the feature does not differ among the rows.
  bool split_by(std::uint32_t feature, std::size_t begin, std::size_t end, const InverseSums& sums,
                TreeSplit& best) {
    const std::uint8_t* const column = table_.column(feature).data();
    std::uint8_t low = column[rows_[begin]], high = low;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint8_t interval = column[rows_[i]];
      low = std::min(low, interval);
      high = std::max(high, interval);
      counts_[interval].add(inverse_[i]);
    }
    InverseSums left;
    for (std::size_t interval = low; interval < high; ++interval) {
      const InverseSums here = std::exchange(counts_[interval], {});
      left.add(here);
      const InverseSums right = sums.without(left);
      if (here.count == 0 || left.count < least_leaf_ || right.count < least_leaf_) continue;
      const double explained = left.explained() + right.explained();
      if (explained > best.explained)
        best = {feature, static_cast<std::uint8_t>(interval), explained};
    }
    counts_[high] = {};
    return low < high;
  }

  const TrainingTable& table_;
  double cost_;
  Random random_;
  double total_;
  double least_leaf_ = 1;
  std::vector<std::uint32_t> rows_;
  std::vector<double> inverse_;  // of rows_
  std::vector<TreeNode> nodes_;
  std::array<InverseSums, kIntervals + 1> counts_{};  // by interval; all zero between splits
};

/// Copies the subtree at `node` to `out`, pruned.
struct Pruner {
  const std::vector<TreeNode>& tree;
  double cost;
  std::vector<TreeNode> out = {};

  /// Returns the error and the leaves of the pruned subtree.
  std::pair<double, double> prune(std::size_t node) {
    const std::size_t self = out.size();
    out.push_back(tree[node]);
    if (tree[node].leaf()) return {tree[node].error, 1};
    const auto [left_error, left_leaves] = prune(node + 1);
    out[self].right = static_cast<std::uint32_t>(out.size());
    const auto [right_error, right_leaves] = prune(tree[node].right);
    const double error = left_error + right_error;
    const double leaves = left_leaves + right_leaves;
    if (tree[node].error > error + cost * (leaves - 1)) return {error, leaves};
    out.resize(self + 1);
    out[self].feature = TreeNode::kLeaf;
    return {tree[node].error, 1};
  }
};

}  // namespace

RegressionForest::RegressionForest(const TrainingTable& table, std::span<const std::uint32_t> rows,
                                   double cost, unsigned threads)
    : features_(table.features()) {
  LEEWAY_CHECK(!rows.empty());
  parallel_chunks(kTrees, threads, [&](unsigned, std::size_t begin, std::size_t end) {
    for (std::size_t tree = begin; tree < end; ++tree)
      trees_[tree] = TreeGrower(table, rows, cost, tree).grown();
  });
}

double RegressionForest::predict(std::span<const double> features) const {
  LEEWAY_CHECK(trained());
  LEEWAY_CHECK(features.size() == features_);
  double first = 0, second = 0;
  for (const std::vector<TreeNode>& tree : trees_) {
    std::size_t at = 0;
    while (!tree[at].leaf())
      at = features[tree[at].feature] <= tree[at].threshold ? at + 1 : tree[at].right;
    first += tree[at].first;
    second += tree[at].second;
  }
  return first / second;
}

RegressionForest RegressionForest::pruned(double cost) const {
  RegressionForest smaller;
  smaller.features_ = features_;
  for (std::size_t tree = 0; tree < kTrees; ++tree) {
    Pruner pruner{.tree = trees_[tree], .cost = cost};
    pruner.prune(0);
    smaller.trees_[tree] = std::move(pruner.out);
  }
  return smaller;
}

std::size_t RegressionForest::leaves() const {
  std::size_t leaves = 0;
  for (const auto& tree : trees_) leaves += (tree.size() + 1) / 2;
  return leaves;
}

std::string RegressionForest::text() const {
  std::string text;
  for (const auto& tree : trees_) {
    text += format("tree {}\n", tree.size());
    for (const TreeNode& node : tree) {
      text += node.leaf() ? format("leaf {} {}\n", node.first, node.second)
                          : format("split {} {}\n", node.feature, node.threshold);
    }
  }
  return text;
}

namespace {

/// Takes the next line from `text`.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// Removes `word` and a number from the front of a line. False if they are not there.
template <class T>
bool take_number(std::string_view& line, std::string_view word, T& value) {
  if (!line.starts_with(word)) return false;
  const std::string_view rest = line.substr(word.size());
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc()) return false;
  line = rest.substr(static_cast<std::size_t>(end - rest.data()));
  return true;
}

std::string parse_node(std::string_view line, std::uint32_t features, TreeNode& node) {
  if (take_number(line, "leaf ", node.first)) {
    const bool whole = take_number(line, " ", node.second) && line.empty();
    const auto positive = [](double value) { return std::isfinite(value) && value > 0; };
    if (!whole || !positive(node.first) || !positive(node.second))
      return "the line of a leaf must have two numbers above 0";
    return {};
  }
  if (!take_number(line, "split ", node.feature) || !take_number(line, " ", node.threshold) ||
      !line.empty() || !std::isfinite(node.threshold))
    return "this line is not a node of a tree";
  if (node.feature >= features)
    return format("a split by feature {} of {}", node.feature, features);
  return {};
}

/// Reads the nodes of a tree; preorder decides the structure.
std::string parse_tree(std::string_view& text, std::size_t size, std::uint32_t features,
                       std::vector<TreeNode>& tree, std::size_t& line) {
  std::vector<std::uint32_t> open;  // splits whose right child is still to come
  for (std::size_t i = 0; i < size; ++i, ++line) {
    if (text.empty()) return "the file ends within a tree";
    TreeNode node;
    if (std::string wrong = parse_node(next_line(text), features, node); !wrong.empty())
      return wrong;
    const bool last = i + 1 == size;
    tree.push_back(node);
    if (!node.leaf()) {
      if (last || open.size() == kDeepest) return "a tree is not complete, or too deep";
      open.push_back(static_cast<std::uint32_t>(i));
    } else if (last != open.empty()) {
      return "a tree has another number of nodes than it states";
    } else if (!last) {
      tree[open.back()].right = static_cast<std::uint32_t>(i + 1);
      open.pop_back();
    }
  }
  return {};
}

}  // namespace

std::string RegressionForest::parse(std::string_view text, std::uint32_t features,
                                    std::size_t& line) {
  constexpr std::size_t kMostNodes = 100'000'000;
  features_ = features;
  for (auto& tree : trees_) {
    tree.clear();
    if (text.empty()) return "the file ends before the last tree";
    std::string_view head = next_line(text);
    std::size_t size = 0;
    if (!take_number(head, "tree ", size) || !head.empty() || size == 0 || size > kMostNodes)
      return "this line does not begin a tree";
    ++line;
    if (std::string wrong = parse_tree(text, size, features, tree, line); !wrong.empty())
      return wrong;
  }
  return text.empty() ? std::string() : "text follows the last tree";
}

CrossValidation cross_validate(const TrainingTable& table,
                               std::span<const std::span<const double>> rows,
                               std::span<const std::uint32_t> fold_of, std::uint32_t folds,
                               unsigned threads) {
  static constexpr std::array kCosts = {1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1};
  CrossValidation result{.folds = folds};
  for (const double cost : kCosts) result.steps.push_back({.cost = cost});
  for (std::uint32_t fold = 0; fold < folds; ++fold) {
    std::vector<std::uint32_t> training, held;
    for (std::uint32_t row = 0; row < table.rows(); ++row)
      (fold_of[row] == fold ? held : training).push_back(row);
    LEEWAY_CHECK(!training.empty());
    const RegressionForest whole(table, training, kCosts.front(), threads);
    for (PruningStep& step : result.steps) {
      const RegressionForest forest = whole.pruned(step.cost);
      step.leaves += static_cast<double>(forest.leaves()) / folds;
      for (const std::uint32_t row : held) {
        const double error = 1 - forest.predict(rows[row]) * table.inverse(row);
        step.error += error * error / table.rows();
      }
    }
  }
  const auto least =
      std::min_element(result.steps.begin(), result.steps.end(),
                       [](const auto& a, const auto& b) { return a.error < b.error; });
  for (std::size_t i = 0; i < result.steps.size(); ++i) {
    if (result.steps[i].error <= 1.01 * least->error) result.chosen = i;
  }
  return result;
}

}  // namespace leeway::pie
