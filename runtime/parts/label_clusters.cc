#include "leeway/runtime/parts/label_clusters.h"

#include <algorithm>
#include <utility>

#include "leeway/base/mix.h"
#include "leeway/runtime/parts/vertex_map.h"

namespace leeway {

namespace {

constexpr std::uint32_t kSweeps = 5;
/// A sweep visits the vertices in so many rounds, so that of two that would take each other's label mostly one sees what
/// the other did.
constexpr std::uint32_t kRounds = 6;
/// Where more than one vertex of so many has stayed alone, those with a neighbour in common are joined.
constexpr std::uint64_t kAlone = 4;

class Clustering {
 public:
  Clustering(Exchange& exchange, const PartLevel& level, const Halo& halo, std::uint64_t limit)
      : exchange_(exchange),
        level_(level),
        halo_(halo),
        limit_(limit),
        requests_(exchange.count()),
        asking_(exchange.count()) {
    for (std::uint32_t v = 0; v < level.size(); ++v) {
      found_.labels.emplace_back(level.first() + v);
      found_.label_weights.push_back(level.weights[v]);
    }
    found_.labels.insert(found_.labels.end(), halo.ghosts().begin(), halo.ghosts().end());
    changed_.assign(level.size(), 0);
  }

  LabelClusters run() {
    for (std::uint32_t sweep = 0; sweep < kSweeps; ++sweep) {
      for (std::uint32_t round = 0; round < kRounds; ++round) {
        for (std::uint32_t v = 0; v < level_.size(); ++v) {
          if (mix64(level_.first() + v) % kRounds == round) visit(v, sweep);
        }
        settle();
        tell();
      }
    }
    settle();  // what the last round left
    std::uint64_t alone = 0;
    for (std::uint32_t v = 0; v < level_.size(); ++v) alone += is_alone(v) ? 1 : 0;
    if (exchange_.sum(alone) * kAlone > level_.ranges.firsts().back()) {
      join_lonely();
      tell();
    }
    return std::move(found_);
  }

 private:
  /// A weight to be added to a label where that leaves it light enough, or one that leaves it.
  struct Request {
    VertexId label;
    std::uint32_t weight;
    bool leaves;
  };

  [[nodiscard]] bool is_mine(VertexId label) const {
    return std::uint64_t{label.value()} - level_.first() < level_.size();
  }
  [[nodiscard]] std::uint64_t& weight_of(VertexId label) {
    return found_.label_weights[label.value() - level_.first()];
  }
  [[nodiscard]] bool is_alone(std::uint32_t v) const {
    return found_.labels[v].value() == level_.first() + v &&
           found_.label_weights[v] == level_.weights[v];
  }

  void count_labels(std::uint32_t v) {
    sums_.clear();
    for (std::uint64_t arc = level_.offsets[v]; arc < level_.offsets[v + std::size_t{1}]; ++arc)
      sums_.add(found_.labels[halo_.index(level_.targets[arc])], level_.arc_weights[arc]);
  }

  [[nodiscard]] bool may_have_room(VertexId label, std::uint64_t weight) {
    if (is_mine(label)) return weight_of(label) + weight <= limit_;
    return !full_.has(label);
  }

  void visit(std::uint32_t v, std::uint32_t sweep) {
    const std::uint32_t weight = level_.weights[v];
    if (weight >= limit_) return;
    count_labels(v);
    const VertexId now = found_.labels[v];
    VertexId best = now;
    std::uint64_t most = 0;
    for (const LabelSums::Sum& sum : sums_.sums())
      if (sum.label == now) most = sum.weight;
    // Among equals by chance, or long chains would follow the numbers.
    const auto draw = [&](VertexId label) { return mix64(label.value() ^ mix64(sweep)); };
    for (const LabelSums::Sum& sum : sums_.sums()) {
      if (sum.label == now || sum.weight < most) continue;
      if (sum.weight == most && (best == now || draw(sum.label) < draw(best))) continue;
      if (!may_have_room(sum.label, weight)) continue;
      best = sum.label;
      most = sum.weight;
    }
    if (best == now) return;
    if (is_mine(best)) {
      weight_of(best) += weight;
      take(v, best);
    } else {
      const std::uint32_t home = level_.ranges.home(best).value();
      requests_[home].push_back({best, weight, false});
      asking_[home].push_back(v);
    }
  }

  void take(std::uint32_t v, VertexId label) {
    const VertexId before = std::exchange(found_.labels[v], label);
    changed_[v] = 1;
    if (is_mine(before)) {
      weight_of(before) -= level_.weights[v];
    } else {
      leaving_.push_back({before, level_.weights[v], true});
    }
  }

  /// Asks the labels' homes, and tells them who has left.
  void settle() {
    for (const Request& request : leaving_)
      requests_[level_.ranges.home(request.label).index()].push_back(request);
    leaving_.clear();
    const auto asked = exchange_.swap(requests_);
    std::vector<std::vector<std::uint8_t>> answers(exchange_.count());
    for (std::uint32_t node = 0; node < asked.size(); ++node) {
      for (const Request& request : asked[node]) {
        exchange_.require(is_mine(request.label), NodeId(node));
        if (request.leaves) weight_of(request.label) -= request.weight;
      }
    }
    for (std::size_t node = 0; node < asked.size(); ++node) {
      for (const Request& request : asked[node]) {
        if (request.leaves) continue;
        std::uint64_t& weight = weight_of(request.label);
        const bool fits = weight + request.weight <= limit_;
        if (fits) weight += request.weight;
        answers[node].push_back(fits ? 1 : 0);
      }
    }
    const auto told = exchange_.swap_answers(answers, lengths(asking_));
    for (std::size_t node = 0; node < told.size(); ++node) {
      for (std::size_t i = 0; i < told[node].size(); ++i) {
        const VertexId label = requests_[node][i].label;
        if (told[node][i] != 0)
          take(asking_[node][i], label);
        else
          full_.insert(label, 0);
      }
      requests_[node].clear();
      asking_[node].clear();
    }
  }

  void tell() {
    halo_.tell<VertexId>(
        exchange_, 0, level_.size(), [&](std::uint32_t v) { return changed_[v] != 0; },
        [&](std::uint32_t v) { return found_.labels[v]; },
        [&](std::uint32_t index, VertexId label) { found_.labels[index] = label; });
    std::fill(changed_.begin(), changed_.end(), 0);
  }

  /// Vertices of this node that have stayed alone and whose strongest neighbours have the same label, such as the
  /// leaves of a hub that is too heavy itself.
  void join_lonely() {
    VertexMap leaders;  // by the neighbours' label: who was the last to begin a cluster
    for (std::uint32_t v = 0; v < level_.size(); ++v) {
      if (!is_alone(v) || level_.weights[v] >= limit_) continue;
      count_labels(v);
      VertexId strongest(static_cast<std::uint32_t>(level_.ranges.firsts().back()));
      std::uint64_t most = 0;
      for (const LabelSums::Sum& sum : sums_.sums()) {
        if (sum.weight > most) strongest = sum.label;
        most = std::max(most, sum.weight);
      }
      const auto [leader, fresh] = leaders.insert(strongest, v);
      if (fresh) continue;
      const VertexId label(level_.first() + *leader);
      if (weight_of(label) + level_.weights[v] <= limit_) {
        weight_of(label) += level_.weights[v];
        take(v, label);
      } else {
        *leader = v;
      }
    }
  }

  Exchange& exchange_;
  const PartLevel& level_;
  const Halo& halo_;
  const std::uint64_t limit_;
  LabelClusters found_;
  LabelSums sums_;
  VertexMap full_;  // labels of others that had no room
  std::vector<std::vector<Request>> requests_;
  std::vector<std::vector<std::uint32_t>> asking_;  // who asks, in the order of the requests
  std::vector<Request> leaving_;
  std::vector<std::uint8_t> changed_;
};

}  // namespace

LabelClusters find_clusters(Exchange& exchange, const PartLevel& level, const Halo& halo,
                            std::uint64_t limit) {
  return Clustering(exchange, level, halo, limit).run();
}

}  // namespace leeway
