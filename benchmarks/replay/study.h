// The runs behind the figures. A study does each run once, keeps its outcome for all figures that ask for it, and writes
// the raw numbers of the runs that a figure used. A run is identified by its settings, which are also the first columns of
// the raw numbers. Not thread-safe.
#pragma once

#include <compare>
#include <concepts>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <typeindex>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "base/result.h"

namespace leeway::replay {

struct Figure;

/// One setting or number of a run: a cell of the raw numbers.
struct RawCell {
  std::string name;
  std::string value;

  RawCell(std::string_view title, std::string_view text) : name(title), value(text) {}
  RawCell(std::string_view title, const char* text) : name(title), value(text) {}
  RawCell(std::string_view title, bool yes) : name(title), value(yes ? "yes" : "no") {}
  RawCell(std::string_view title, double number) : name(title), value(format("{:.9g}", number)) {}
  template <std::integral Count>
  RawCell(std::string_view title, Count count) : name(title), value(std::to_string(count)) {}

  friend auto operator<=>(const RawCell&, const RawCell&) = default;
};
using RunKey = std::vector<RawCell>;

class Study {
 public:
  /// The outcome of the run with these settings, which `measure` determines on the first request. Outcome needs a
  /// function `raw_cells(const Outcome&)` with its numbers. The pointer is valid as long as the study.
  template <class Outcome, class Measuring>
  Result<const Outcome*> run(const RunKey& key, Measuring&& measure) {
    auto found = runs_.find(key);
    if (found == runs_.end()) {
      LEEWAY_ASSIGN(Outcome outcome, measure());
      Stored stored{std::make_shared<const Outcome>(std::move(outcome)), typeid(Outcome), {}};
      stored.numbers = raw_cells(*static_cast<const Outcome*>(stored.outcome.get()));
      found = runs_.emplace(key, std::move(stored)).first;
    }
    LEEWAY_CHECK(found->second.type == std::type_index(typeid(Outcome)));
    requested_.push_back(&*found);
    return static_cast<const Outcome*>(found->second.outcome.get());
  }

  /// Forgets which runs were requested, but not their outcomes. To be called before each figure.
  void begin_figure() { requested_.clear(); }
  /// Sets the figure's raw numbers to the runs requested since `begin_figure`, one row each, in order. The columns are
  /// those of all runs; a run has an empty cell where it has no such number.
  void write_raw(Figure& figure) const;

 private:
  struct Stored {
    std::shared_ptr<const void> outcome;
    std::type_index type;
    std::vector<RawCell> numbers;
  };
  using Runs = std::map<RunKey, Stored>;

  Runs runs_;
  std::vector<const Runs::value_type*> requested_;
};

}  // namespace leeway::replay
