#include "programs/scene/scene_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/csv.h"
#include "base/format.h"
#include "datasets/byte_stream.h"
#include "datasets/text_input.h"

namespace leeway {

namespace {

constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);

/// The rows of a CSV file with titled columns, in order.
class SceneRows {
 public:
  /// `names`: the columns that the file may have; the first `required` are x, y, vx and vy.
  static Result<SceneRows> open(const std::string& path, std::span<const std::string_view> names,
                                std::size_t required) {
    LEEWAY_ASSIGN(auto source, open_source(path));
    SceneRows rows(std::make_unique<TextInput>(path, std::move(source)), names);
    LEEWAY_ASSIGN(const bool titled, rows.next_line());
    if (!titled) {
      return fail(input_error(path, "the file is empty",
                              format("begin it with the titles {}", rows.titles())));
    }
    rows.row_ = CsvRow(csv_delimiter(rows.line_).value_or(','));
    LEEWAY_TRY(rows.split());
    LEEWAY_TRY(rows.take_titles(required));
    return rows;
  }

  /// False at the end of the file.
  Result<bool> next() {
    LEEWAY_ASSIGN(const bool found, next_line());
    if (!found) return false;
    LEEWAY_TRY(split());
    if (row_.size() == titles_) return true;
    return fail(error(format("{} fields below {} titles", row_.size(), titles_),
                      "give every row a field for each column"));
  }

  /// The number in a column; absent columns leave `value` unchanged.
  template <class Number>
  Status take(std::size_t column, Number& value) const {
    if (places_[column] == kAbsent) return {};
    const std::string_view text = row_[places_[column]];
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    bool valid = problem == std::errc{} && end == text.data() + text.size();
    if constexpr (std::is_floating_point_v<Number>) valid = valid && std::isfinite(value);
    if (valid) return {};
    const bool real = std::is_floating_point_v<Number>;
    return fail(
        error(format("{} '{}' is not a {}", names_[column], text,
                     real ? "finite number" : "whole number"),
              real ? "give a decimal number"
                   : format("give a number from 0 to {}", std::numeric_limits<Number>::max())));
  }

  /// The text in a column; empty if it is absent.
  [[nodiscard]] std::string_view text(std::size_t column) const {
    return places_[column] == kAbsent ? std::string_view() : row_[places_[column]];
  }
  [[nodiscard]] bool has(std::size_t column) const { return places_[column] != kAbsent; }

  [[nodiscard]] std::uint64_t line() const { return input_->line_number(); }
  [[nodiscard]] Error error(std::string what, std::string remedy) const {
    return input_error(input_->at(line()), std::move(what), std::move(remedy));
  }

 private:
  SceneRows(std::unique_ptr<TextInput> input, std::span<const std::string_view> names)
      : input_(std::move(input)), names_(names), places_(names.size(), kAbsent), row_(',') {}

  /// Reads the next line that is neither blank nor a comment.
  Result<bool> next_line() {
    for (;;) {
      LEEWAY_ASSIGN(const auto text, input_->next_line());
      if (!text) return false;
      if (trimmed(*text).empty() || trimmed(*text).front() == '#') continue;
      line_ = std::string(*text) + '\n';
      return true;
    }
  }

  Status split() {
    const char* at = line_.data();
    if (row_.take(at)) return {};
    return fail(error("a quoted field does not end in its line, or text follows its end",
                      "correct the quotes"));
  }

  Status take_titles(std::size_t required) {
    titles_ = row_.size();
    for (std::size_t i = 0; i < titles_; ++i) {
      const auto found = std::find(names_.begin(), names_.end(), row_[i]);
      if (found == names_.end()) {
        return fail(
            error(format("unknown column '{}'", row_[i]),
                  format("the columns are {}; {}", titles(), did_you_mean(row_[i], names_))));
      }
      std::size_t& place = places_[static_cast<std::size_t>(found - names_.begin())];
      if (place != kAbsent)
        return fail(error(format("the column {} occurs twice", *found), "keep one of them"));
      place = i;
    }
    for (std::size_t i = 0; i < required; ++i) {
      if (places_[i] != kAbsent) continue;
      return fail(error(format("the column {} is missing", names_[i]),
                        format("begin the file with the titles {}", titles())));
    }
    return {};
  }

  [[nodiscard]] std::string titles() const { return format("{}", fmt::join(names_, ", ")); }

  std::unique_ptr<TextInput> input_;
  std::span<const std::string_view> names_;
  std::vector<std::size_t> places_;  // by name: the field of the column
  CsvRow row_;
  std::string line_;
  std::size_t titles_ = 0;
};

enum Column : std::size_t { X, Y, Vx, Vy, IdColumn, GoalOrTrap, RandomState, TableName, Bites };
constexpr std::size_t kRequired = 4;
constexpr std::array<std::string_view, 7> kFishColumns = {"x",  "y",    "vx",    "vy",
                                                          "id", "goal", "random"};
constexpr std::array<std::string_view, 9> kPondColumns = {"x",    "y",      "vx",    "vy",   "id",
                                                          "goal", "random", "table", "bites"};
constexpr std::array<std::string_view, 6> kBodyColumns = {"x", "y", "vx", "vy", "id", "trap"};

/// Reads the fields that fish and bodies share. `lines`: the line of each id so far.
template <class Thing>
Status take_thing(const SceneRows& rows, double width, double height, std::string_view flag,
                  std::unordered_map<std::uint32_t, std::uint64_t>& lines, Thing& thing) {
  thing.id = static_cast<std::uint32_t>(lines.size());
  LEEWAY_TRY(rows.take(IdColumn, thing.id));
  LEEWAY_TRY(rows.take(X, thing.x));
  LEEWAY_TRY(rows.take(Y, thing.y));
  LEEWAY_TRY(rows.take(Vx, thing.vx));
  LEEWAY_TRY(rows.take(Vy, thing.vy));
  if (!(thing.x >= 0 && thing.x <= width && thing.y >= 0 && thing.y <= height)) {
    return fail(rows.error(
        format("({}, {}) is outside the space of {} x {}", thing.x, thing.y, width, height),
        format("give {} WxH, or correct the position", flag)));
  }
  const auto [known, added] = lines.emplace(thing.id, rows.line());
  if (added) return {};
  return fail(rows.error(format("the id {} is also on line {}", thing.id, known->second),
                         "give each row another id, or leave the column out"));
}

template <class Thing>
void sort_by_id(std::vector<Thing>& things) {
  std::sort(things.begin(), things.end(),
            [](const Thing& a, const Thing& b) { return a.id < b.id; });
}

/// Reads a file of things, which `complete(rows, thing)` takes the further columns of. Returns them by id.
template <class Thing, class Model, class Complete>
Result<std::vector<Thing>> read_things(const std::string& path,
                                       std::span<const std::string_view> columns,
                                       const Model& model, std::string_view flag,
                                       Complete&& complete) {
  LEEWAY_ASSIGN(SceneRows rows, SceneRows::open(path, columns, kRequired));
  std::unordered_map<std::uint32_t, std::uint64_t> lines;
  std::vector<Thing> things;
  for (;;) {
    LEEWAY_ASSIGN(const bool more, rows.next());
    if (!more) break;
    Thing thing;
    LEEWAY_TRY(take_thing(rows, model.width, model.height, flag, lines, thing));
    LEEWAY_TRY(complete(rows, thing));
    things.push_back(thing);
  }
  sort_by_id(things);
  return things;
}

/// Only the direction of a fish counts. A unit vector keeps its bits.
Status direct(const SceneRows& rows, scene::Fish& fish) {
  constexpr double kUnitSlack = 1e-9;
  const double length = std::hypot(fish.vx, fish.vy);
  if (!(length > 0 && std::isfinite(length))) {
    return fail(rows.error("vx and vy are no direction",
                           "give the direction in which the fish swims, such as 1 and 0"));
  }
  if (std::abs(length - 1) <= kUnitSlack) return {};
  fish.vx /= length;
  fish.vy /= length;
  return {};
}

/// Reads the further columns of a fish.
Status complete_fish(const SceneRows& rows, const scene::FishModel& model, std::uint64_t seed,
                     scene::Fish& fish) {
  LEEWAY_TRY(rows.take(GoalOrTrap, fish.goal));
  if (fish.goal > model.goals.size()) {
    return fail(rows.error(format("there is no goal {}", fish.goal),
                           format("give 0 for none, or 1 to {}", model.goals.size())));
  }
  LEEWAY_TRY(direct(rows, fish));
  fish.random = scene::random_state_of(seed, fish.id);
  return rows.take(RandomState, fish.random);
}

/// Reads the further columns of a piece of food.
Status complete_food(const SceneRows& rows, const scene::FishModel& model, std::uint64_t seed,
                     scene::FoodModel& food, scene::Food& piece) {
  std::uint32_t goal = 0;
  LEEWAY_TRY(rows.take(GoalOrTrap, goal));
  if (goal != 0) return fail(rows.error("food has no goal", "give it the goal 0"));
  piece.bites = food.bites;
  LEEWAY_TRY(rows.take(Bites, piece.bites));
  if (piece.bites == 0)
    return fail(rows.error("a piece of food has at least one bite", "give it bites, or drop it"));
  const double fastest = std::max(std::abs(piece.vx), std::abs(piece.vy));
  if (fastest > std::min(model.width, model.height) / 2) {
    return fail(rows.error("the food drifts too far in a tick",
                           "give vx and vy of at most half the height and width of the basin"));
  }
  food.drift = std::max(food.drift, fastest);
  piece.random = scene::food_random_state(seed, piece.id);
  return rows.take(RandomState, piece.random);
}

}  // namespace

Result<std::vector<scene::Fish>> read_fish(const std::string& path, const scene::FishModel& model,
                                           std::uint64_t seed) {
  return read_things<scene::Fish>(path, kFishColumns, model, "--basin",
                                  [&](const SceneRows& rows, scene::Fish& fish) {
                                    return complete_fish(rows, model, seed, fish);
                                  });
}

Result<scene::Pond> read_pond(const std::string& path, const scene::FishModel& model,
                              scene::FoodModel& food, std::uint64_t seed) {
  LEEWAY_ASSIGN(SceneRows rows, SceneRows::open(path, kPondColumns, kRequired));
  std::unordered_map<std::uint32_t, std::uint64_t> fish_lines, food_lines;
  const auto take = [&](auto& lines, auto& thing) {
    return take_thing(rows, model.width, model.height, "--basin", lines, thing);
  };
  scene::Pond pond;
  for (;;) {
    LEEWAY_ASSIGN(const bool more, rows.next());
    if (!more) break;
    const std::string_view table = rows.text(TableName);
    if (table == scene::Food::kTable) {
      scene::Food& piece = pond.food.emplace_back();
      LEEWAY_TRY(take(food_lines, piece));
      LEEWAY_TRY(complete_food(rows, model, seed, food, piece));
    } else if (table == scene::Forager::kTable || !rows.has(TableName)) {
      scene::Forager& fish = pond.fish.emplace_back();
      LEEWAY_TRY(take(fish_lines, fish));
      LEEWAY_TRY(complete_fish(rows, model, seed, fish));
      LEEWAY_TRY(rows.take(Bites, fish.eaten));
    } else {
      return fail(rows.error(format("unknown table '{}'", table), "give fish or food"));
    }
  }
  sort_by_id(pond.fish);
  sort_by_id(pond.food);
  return pond;
}

Result<std::vector<scene::Body>> read_bodies(const std::string& path,
                                             const scene::NBodyModel& model) {
  const auto complete = [&](const SceneRows& rows, scene::Body& body) -> Status {
    LEEWAY_TRY(rows.take(GoalOrTrap, body.trap));
    if (body.trap <= model.traps.size()) return {};
    return fail(rows.error(
        format("there is no trap {}", body.trap),
        format("give 0 for none, or 1 to {}, the number of --groups", model.traps.size())));
  };
  return read_things<scene::Body>(path, kBodyColumns, model, "--box", complete);
}

}  // namespace leeway
