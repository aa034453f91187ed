// Components after changes of the graph as a PIE program: PEval begins with the labels of LabelStarts, and smaller labels spread along
// arcs: within a fragment to the end of each round, between fragments by IncEval.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "leeway/pie_program.h"
#include "programs/cc/continued.h"

namespace leeway::pie {

class ContinuedPieComponents {
 public:
  using Value = std::uint32_t;  // a label: a vertex id
  using Result = std::uint32_t;
  static constexpr bool kAlwaysRests = true;  // a label only decreases

  struct Partial {
    std::vector<std::uint32_t> label;  // by place
    std::vector<std::uint32_t> work;   // places whose arcs must be followed
  };

  explicit ContinuedPieComponents(std::shared_ptr<const LabelStarts> starts)
      : starts_(std::move(starts)) {}

  [[nodiscard]] static FragmentNeeds needs() { return {.lists = Reads::Both}; }
  [[nodiscard]] Candidates candidates() const { return Candidates::Outer; }
  static void aggregate(Value& kept, const Value& come) { kept = std::min(kept, come); }

  Work peval(const Fragment& fragment, Partial& partial, Changes& changes) const {
    partial.label.clear();
    partial.work.clear();
    for (Place p = 0; p < fragment.vertex_count(); ++p) {
      const LabelStart& row = starts_->rows[fragment.vertex(p).index()];
      partial.label.push_back(row.label);
      if (row.starts && p < fragment.listed_count()) partial.work.push_back(p);
    }
    return spread(fragment, partial, changes);
  }
  Work inceval(const Fragment& fragment, Partial& partial, std::span<Update<Value>> updates,
               Changes& changes) const {
    for (const auto& update : updates)
      lower(fragment, partial, update.place, update.value, changes.border(), changes);
    return spread(fragment, partial, changes);
  }

  [[nodiscard]] bool matters(const Partial& partial, const Update<Value>& update) const {
    return update.value < partial.label[update.place];
  }
  [[nodiscard]] Value parameter(const Fragment&, Partial& partial, Place place) const {
    return partial.label[place];
  }
  [[nodiscard]] Result result(const Fragment&, const Partial& partial, Place inner) const {
    return partial.label[inner];
  }

 private:
  static void lower(const Fragment& fragment, Partial& partial, Place place, std::uint32_t label,
                    bool sends, Changes& changes) {
    if (label >= partial.label[place]) return;
    partial.label[place] = label;
    if (sends) changes.mark(place);
    if (place < fragment.listed_count()) partial.work.push_back(place);
  }
  static Work spread(const Fragment& fragment, Partial& partial, Changes& changes) {
    Work work;
    while (!partial.work.empty()) {
      const Place from = partial.work.back();
      partial.work.pop_back();
      ++work.vertices;
      const std::uint64_t end = fragment.offsets()[from + std::size_t{1}];
      for (std::uint64_t arc = fragment.offsets()[from]; arc < end; ++arc, ++work.edges) {
        const Place to = fragment.targets()[arc];
        lower(fragment, partial, to, partial.label[from],
              changes.border() || to >= fragment.inner_count(), changes);
      }
    }
    return work;
  }

  std::shared_ptr<const LabelStarts> starts_;
};

}  // namespace leeway::pie
