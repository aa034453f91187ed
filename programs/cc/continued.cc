#include "programs/cc/continued.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/disjoint_sets.h"
#include "datasets/csr.h"
#include "runtime/graph/lists.h"

namespace leeway {

namespace {

class DividingSearch {
 public:
  DividingSearch(const Graph& graph, const Continuation& from, std::span<LabelStart> rows)
      : graph_(graph), rows_(rows) {
    for (const ArcChange& arc : from.arcs) {
      if (arc.before == 0) added_.insert(pair_of(arc.source.value(), arc.target.value()));
      if (arc.after > 0 || arc.before == 0) continue;
      link(search_at(arc.source.value()), search_at(arc.target.value()));
    }
  }

  Status run() {
    if (searches_.empty()) return {};
    LEEWAY_ASSIGN(incoming_, lists_of(graph_, Reads::In, false));
    sets_.emplace(static_cast<std::uint32_t>(searches_.size()));
    bool any = true;
    while (any) {
      any = false;
      for (std::uint32_t search = 0; search < searches_.size(); ++search) any = step(search) || any;
    }
    return {};
  }
  /// Gives the vertices that are cut off their own labels.
  void reset_parts() {
    std::unordered_set<std::uint32_t>
        without_label;  // components whose smallest vertex is cut off from the rest
    std::vector<std::uint32_t> cut;
    for (const Search& search : searches_) {
      if (!search.cut_off) continue;
      for (const std::uint32_t v : search.found) {
        if (rows_[v].label == v) without_label.insert(v);
        cut.push_back(v);
      }
    }
    for (std::uint32_t v = 0; v < rows_.size() && !without_label.empty(); ++v) {
      if (without_label.contains(rows_[v].label)) cut.push_back(v);
    }
    for (const std::uint32_t v : cut) rows_[v] = {v, true};
  }
  [[nodiscard]] std::uint64_t searched() const { return searched_; }

 private:
  struct Search {
    std::vector<std::uint32_t> found;   // also by searches that have joined this one
    std::deque<std::uint32_t> pending;  // their arcs have not been followed
    std::vector<std::uint32_t>
        links;  // searches that this one must meet, unless one of both is cut off
    bool cut_off = false;
  };

  static std::uint64_t pair_of(std::uint32_t a, std::uint32_t b) {
    return std::uint64_t{a} << 32U | b;
  }
  std::uint32_t search_at(std::uint32_t v) {
    const auto [at, is_new] = search_of_.emplace(v, static_cast<std::uint32_t>(searches_.size()));
    if (is_new) searches_.push_back({.found = {v}, .pending = {v}});
    return at->second;
  }
  void link(std::uint32_t a, std::uint32_t b) {
    searches_[a].links.push_back(b);
    searches_[b].links.push_back(a);
  }
  [[nodiscard]] bool is_linked(std::uint32_t index) {
    std::vector<std::uint32_t>& links = searches_[index].links;
    while (!links.empty() && !separates(index, links.back())) links.pop_back();
    return !links.empty();
  }
  /// The searches have not met, and neither is cut off.
  [[nodiscard]] bool separates(std::uint32_t index, std::uint32_t link) {
    const std::uint32_t other = sets_->find(link);
    return other != index && !searches_[other].cut_off;
  }
  /// The searches that the one was to meet must now meet each other: they may have been connected through it alone.
  void cut_off(std::uint32_t index) {
    searches_[index].cut_off = true;
    const std::vector<std::uint32_t> links = std::exchange(searches_[index].links, {});
    std::optional<std::uint32_t> last;
    for (const std::uint32_t each : links) {
      if (!separates(index, each)) continue;
      const std::uint32_t other = sets_->find(each);
      if (last && *last != other) link(*last, other);
      last = other;
    }
  }

  /// Follows the arcs of one vertex; false if nothing is left to do for this search.
  bool step(std::uint32_t index) {
    if (sets_->find(index) != index || searches_[index].cut_off) return false;
    if (!is_linked(index)) return false;
    Search& search = searches_[index];
    if (search.pending.empty()) {
      cut_off(index);
      return true;
    }
    const std::uint32_t v = search.pending.front();
    search.pending.pop_front();
    ++searched_;
    std::uint32_t into = index;
    for (const VertexId w : graph_.neighbors(VertexId(v))) {
      if (!added_.contains(pair_of(v, w.value()))) into = meet(into, w.value());
    }
    if (!graph_.directed()) return true;
    for (const std::uint32_t w : incoming_.row(v)) {
      if (!added_.contains(pair_of(w, v))) into = meet(into, w);
    }
    return true;
  }

  /// The search `index` reaches `w`. Returns the search that then has both.
  std::uint32_t meet(std::uint32_t index, std::uint32_t w) {
    const auto [at, is_new] = search_of_.emplace(w, index);
    if (is_new) {
      searches_[index].found.push_back(w);
      searches_[index].pending.push_back(w);
      return index;
    }
    const std::uint32_t other = sets_->find(at->second);
    if (other == index) return index;
    sets_->join(index, other);
    const std::uint32_t kept = sets_->find(index);
    merge(searches_[kept], searches_[kept == index ? other : index]);
    return kept;
  }
  static void merge(Search& into, Search& from) {
    if (into.found.size() < from.found.size()) std::swap(into, from);
    into.found.insert(into.found.end(), from.found.begin(), from.found.end());
    into.pending.insert(into.pending.end(), from.pending.begin(), from.pending.end());
    into.links.insert(into.links.end(), from.links.begin(), from.links.end());
    from = {};
  }

  const Graph& graph_;
  std::span<LabelStart> rows_;
  Csr incoming_;
  std::unordered_set<std::uint64_t> added_;  // pair_of the ends of arcs that were not there before
  std::vector<Search> searches_;
  std::optional<DisjointSets> sets_;                            // of searches
  std::unordered_map<std::uint32_t, std::uint32_t> search_of_;  // by vertex
  std::uint64_t searched_ = 0;
};

}  // namespace

Result<LabelStarts> label_starts(const Graph& graph, const Continuation& from) {
  LabelStarts starts;
  for (const double label : from.old)
    starts.rows.push_back({.label = static_cast<std::uint32_t>(label)});
  DividingSearch search(graph, from, starts.rows);
  LEEWAY_TRY(search.run());
  search.reset_parts();
  for (const ArcChange& arc : from.arcs) {
    if (arc.before == 0 && arc.after > 0)
      starts.rows[arc.source.index()].starts = starts.rows[arc.target.index()].starts = true;
  }
  starts.searched = search.searched();
  return starts;
}

}  // namespace leeway
