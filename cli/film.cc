#include "leeway/cli/film.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "leeway/base/json_writer.h"
#include "leeway/datasets/graph_spec.h"

namespace leeway::cli {

namespace {

/// Places as whole numbers of 4,096ths of the longer side: finer than a screen, shorter than decimals.
constexpr double kSteps = 4096;
/// Shades from the least value of a film to its greatest.
constexpr std::int64_t kShades = 255;

std::int64_t in_steps(double value, double side) {
  return std::isfinite(value) ? std::llround(value / side * kSteps) : -1;
}

}  // namespace

std::string film_json(const Film& film) {
  const double side = std::max(film.width, film.height);
  JsonWriter json(JsonWriter::Layout::Lines);
  json.object([&] {
    json.member("leeway_film", 1).member("program", film.program);
    json.member("width", film.width).member("height", film.height).member("steps", kSteps);
    json.member("kinds", film.kinds);
    json.key("frames").array(film.pictures, [&](const Film::Picture& picture) {
      json.object([&] {
        json.member("tick", picture.tick).key("at").array([&] {
          for (const auto& [x, y] : picture.places)
            json.value(in_steps(x, side)).value(in_steps(y, side));
        });
      });
    });
  });
  return std::move(json).text();
}

std::string film_json(const CellFilm& film) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const auto& picture : film.pictures) {
    for (const double value : picture.values) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (!(low <= high)) low = high = 0;
  const double range = high > low ? high - low : 1;
  JsonWriter json(JsonWriter::Layout::Lines);
  json.object([&] {
    json.member("leeway_film", 1).member("program", film.program);
    json.member("width", film.width).member("height", film.height).member("steps", kShades);
    json.member("low", low).member("high", high);
    json.key("kinds").array([] {});
    json.key("frames").array(film.pictures, [&](const CellFilm::Picture& picture) {
      json.object([&] {
        json.member("tick", picture.iteration).key("cells").array([&] {
          for (const double value : picture.values)
            json.value(std::isfinite(value) ? std::llround((value - low) / range * kShades)
                                            : std::int64_t{-1});
        });
      });
    });
  });
  return std::move(json).text();
}

std::optional<std::pair<std::uint32_t, std::uint32_t>> plane_of(std::string_view graph) {
  const auto size = size_of_spec(graph, {});
  if (!size || size->width == 0) return std::nullopt;
  return std::pair(size->width, size->height);
}

}  // namespace leeway::cli
