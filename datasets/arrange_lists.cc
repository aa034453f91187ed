#include "leeway/datasets/arrange_lists.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "leeway/base/array.h"
#include "leeway/base/format.h"
#include "leeway/base/parallel.h"
#include "leeway/base/random.h"

namespace leeway {

namespace {

constexpr double kLargestExact = 9007199254740992.0;  // 2^53

/// One vertex's arcs, writable.
struct List {
  std::span<VertexId> targets;
  std::span<double> weights;
  std::span<double> imaginary;
};

List list_of(GraphParts& parts, std::size_t vertex) {
  const std::uint64_t begin = parts.offsets[vertex];
  const std::uint64_t count = parts.offsets[vertex + 1] - begin;
  const auto part = [&](auto& array) {
    return array.empty() ? array.mutable_span() : array.mutable_span().subspan(begin, count);
  };
  return {part(parts.targets), part(parts.weights), part(parts.imaginary)};
}

void for_each_list(GraphParts& parts, const std::vector<std::size_t>& shares,
                   const std::function<void(std::size_t vertex, List list)>& work) {
  const auto threads = static_cast<unsigned>(shares.size() - 1);
  parallel_chunks(threads, threads, [&](unsigned thread, std::size_t, std::size_t) {
    for (std::size_t v = shares[thread]; v < shares[thread + 1]; ++v) work(v, list_of(parts, v));
  });
}

template <class T>
void permute(std::span<T> values, const std::vector<std::size_t>& order, std::vector<T>& scratch) {
  if (values.empty()) return;
  scratch.assign(values.begin(), values.end());
  for (std::size_t i = 0; i < order.size(); ++i) values[i] = scratch[order[i]];
}

void sort_list(List list) {
  if (std::is_sorted(list.targets.begin(), list.targets.end())) return;
  if (list.weights.empty()) {
    std::sort(list.targets.begin(), list.targets.end());  // equal targets are alike
    return;
  }
  std::vector<std::size_t> order(list.targets.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return list.targets[a] < list.targets[b]; });
  std::vector<VertexId> targets;
  std::vector<double> numbers;
  permute(list.targets, order, targets);
  permute(list.weights, order, numbers);
  permute(list.imaginary, order, numbers);
}

double merged(double kept, double next, MergeWeights how) {
  switch (how) {
    case MergeWeights::Sum:
      return kept + next;
    case MergeWeights::Min:
      return std::min(kept, next);
    case MergeWeights::Max:
      return std::max(kept, next);
    case MergeWeights::First:
      return kept;
    case MergeWeights::Last:
      return next;
  }
  LEEWAY_UNREACHABLE("merge rule", static_cast<int>(how));
}

/// A complex weight counts as smaller or larger by its magnitude.
void merge_into(List list, std::size_t kept, std::size_t next, MergeWeights how) {
  if (list.weights.empty()) return;
  if (list.imaginary.empty()) {
    list.weights[kept] = merged(list.weights[kept], list.weights[next], how);
    return;
  }
  const auto size_of = [&](std::size_t i) {
    return std::hypot(list.weights[i], list.imaginary[i]);
  };
  if (how == MergeWeights::Sum) {
    list.weights[kept] += list.weights[next];
    list.imaginary[kept] += list.imaginary[next];
  } else if (how == MergeWeights::Last ||
             (how == MergeWeights::Min && size_of(next) < size_of(kept)) ||
             (how == MergeWeights::Max && size_of(next) > size_of(kept))) {
    list.weights[kept] = list.weights[next];
    list.imaginary[kept] = list.imaginary[next];
  }
}

/// Packs the distinct targets at the front and returns how many there are.
std::size_t merge_list(List list, MergeWeights how) {
  if (list.targets.empty()) return 0;
  std::size_t kept = 0;
  for (std::size_t next = 1; next < list.targets.size(); ++next) {
    if (list.targets[next] == list.targets[kept]) {
      merge_into(list, kept, next, how);
      continue;
    }
    ++kept;
    list.targets[kept] = list.targets[next];
    if (!list.weights.empty()) list.weights[kept] = list.weights[next];
    if (!list.imaginary.empty()) list.imaginary[kept] = list.imaginary[next];
  }
  return kept + 1;
}

/// Moves the first `counts[v]` arcs of every list together and corrects the offsets.
void close_gaps(GraphParts& parts, std::span<const std::uint32_t> counts) {
  std::uint64_t place = 0;
  const auto offsets = parts.offsets.mutable_span();
  const auto move = [&](auto& array, std::uint64_t from, std::uint32_t count) {
    if (array.empty() || from == place) return;
    const auto values = array.mutable_span();
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(from), count,
                values.begin() + static_cast<std::ptrdiff_t>(place));
  };
  for (std::size_t v = 0; v < counts.size(); ++v) {
    const std::uint64_t from = offsets[v];
    move(parts.targets, from, counts[v]);
    move(parts.weights, from, counts[v]);
    move(parts.imaginary, from, counts[v]);
    offsets[v] = place;
    place += counts[v];
  }
  offsets[counts.size()] = place;
  parts.targets.shrink(place);
  if (!parts.weights.empty()) parts.weights.shrink(place);
  if (!parts.imaginary.empty()) parts.imaginary.shrink(place);
}

/// A sum of whole numbers may leave the range where doubles count exactly.
void settle_weight_kind(GraphParts& parts) {
  if (parts.weight_kind != WeightKind::Integer) return;
  const auto exact = [](double weight) { return std::abs(weight) <= kLargestExact; };
  if (!std::all_of(parts.weights.begin(), parts.weights.end(), exact)) {
    parts.weight_kind = WeightKind::Real;
  }
}

}  // namespace

void arrange_lists(GraphParts& parts, const std::vector<std::size_t>& shares,
                   const LoadOptions& options) {
  if (options.duplicates != Duplicates::Merge) {
    for_each_list(parts, shares, [](std::size_t, List list) { sort_list(list); });
    return;
  }
  std::vector<std::uint32_t> counts(parts.offsets.size() - 1);
  for_each_list(parts, shares, [&](std::size_t v, List list) {
    sort_list(list);
    counts[v] = static_cast<std::uint32_t>(merge_list(list, options.merge_weights));
  });
  close_gaps(parts, counts);
  settle_weight_kind(parts);
}

Status check_weight_range(const LoadOptions& options) {
  if (options.weights != Weights::Random) return {};
  const double low = std::ceil(options.weight_low);
  const double high = std::floor(options.weight_high);
  if (low <= high && low >= -kLargestExact && high <= kLargestExact) return {};
  return fail(input_error(
      "random weights",
      format("no whole number lies between {} and {}", options.weight_low, options.weight_high),
      "give a lowest and a highest weight below 2^53, lowest first"));
}

Status draw_weights(GraphParts& parts, std::uint64_t first, const std::vector<std::size_t>& shares,
                    const LoadOptions& options) {
  parts.imaginary = {};
  LEEWAY_ASSIGN(parts.weights, Array<double>::make(parts.targets.size()));
  parts.weight_kind = WeightKind::Integer;
  const double low = std::ceil(options.weight_low);
  const auto choices = static_cast<std::uint64_t>(std::floor(options.weight_high) - low) + 1;
  const bool ordered = parts.directed;
  for_each_list(parts, shares, [&](std::size_t v, List list) {
    for (std::size_t i = 0; i < list.targets.size(); ++i) {
      std::uint64_t from = first + v;
      std::uint64_t to = list.targets[i].value();
      if (!ordered && from > to) std::swap(from, to);
      Random random(options.seed, from << 32 | to);
      list.weights[i] = low + static_cast<double>(random.below(choices));
    }
  });
  return {};
}

}  // namespace leeway
