#include "leeway/cli/tick_files.h"

#include <algorithm>
#include <cmath>

#include "leeway/base/format.h"
#include "leeway/base/json_text.h"

namespace leeway::cli {

namespace {

/// Places as whole numbers of 4,096ths of the longer side: finer than a screen, shorter than decimals.
constexpr double kSteps = 4096;

std::int64_t in_steps(double value, double side) {
  return std::isfinite(value) ? std::llround(value / side * kSteps) : -1;
}

}  // namespace

std::string film_json(const Film& film) {
  const double side = std::max(film.width, film.height);
  std::string text = format(
      "{{\"leeway_film\": 1, \"program\": {}, \"width\": {}, \"height\": {}, \"steps\": {},\n"
      "\"kinds\": [{}],\n\"frames\": [",
      json_string(film.program), film.width, film.height, kSteps, fmt::join(film.kinds, ","));
  for (std::size_t i = 0; i < film.pictures.size(); ++i) {
    const Film::Picture& picture = film.pictures[i];
    text += format("{}\n{{\"tick\": {}, \"at\": [", i == 0 ? "" : ",", picture.tick);
    for (std::size_t j = 0; j < picture.places.size(); ++j) {
      text += format("{}{},{}", j == 0 ? "" : ",", in_steps(picture.places[j].first, side),
                     in_steps(picture.places[j].second, side));
    }
    text += "]}";
  }
  return text + "\n]}\n";
}

Film film_of(const FishSettings& settings, const FishRun& run) {
  Film film{.program = "fish", .width = settings.model.width, .height = settings.model.height};
  for (const reference::Fish& fish : run.result.state.tuples()) film.kinds.push_back(fish.goal);
  for (const auto& [tick, school] : run.result.frames) {
    Film::Picture& picture = film.pictures.emplace_back();
    picture.tick = tick.value();
    for (const reference::Fish& fish : school.tuples()) picture.places.emplace_back(fish.x, fish.y);
  }
  return film;
}

std::string lines_of(const FishTable& school) {
  std::string text;
  for (const reference::Fish& fish : school.tuples())
    text += format("{} {} {} {} {}\n", fish.id, fish.x, fish.y, fish.vx, fish.vy);
  return text;
}

std::string lines_of(const Field& plate) {
  std::string text;
  const IndexRange& all = plate.held();
  for (std::int64_t row = all.top; row < all.bottom; ++row) {
    for (std::int64_t column = all.left; column < all.right; ++column)
      text += format("{} {} {}\n", column, row, *plate.at(column, row));
  }
  return text;
}

}  // namespace leeway::cli
