// A tick program with two tables: cars stop at red lights; lights turn red when two cars are close. --help: its flags.
#include <algorithm>
#include <cstdio>

#include "leeway/settings.h"
#include "leeway/tick.h"
using namespace leeway;
struct Vehicle {
  static constexpr std::string_view kTable = "cars";  // the table's name in error messages
  std::uint32_t id = 0, stops = 0;
  double x = 0, y = 0, speed = 0;
  friend bool operator==(const Vehicle&, const Vehicle&) = default;
};
struct Light {
  std::uint32_t id = 0, red = 0;  // ticks for which it stays red; 0: green
  double x = 0, y = 0;
  friend bool operator==(const Light&, const Light&) = default;
};
class Street {
 public:
  using State = tick::Tables<tick::Table<Vehicle, Box>, tick::Table<Light, Box>>;
  using Query = State::Query;  // a box of cars and a box of lights
  static constexpr double kSight = 40, kFastest = 10, kClose = 30;
  Result<std::vector<Query>> part(std::uint32_t count, const State* /*now*/) const {
    std::vector<Query> parts;
    for (const Box& road : grid_boxes({0, 0, 4000, 1}, count)) parts.push_back({road, road});
    return parts;
  }
  Status create(const Query& query, State& state) const {
    for (std::uint32_t i = 0; i < 150; ++i) {
      const Vehicle car{.id = i, .x = 20.0 * i};
      if (query.get<0>().contains(car)) state.get<0>().add(car);
      const Light light{.id = i, .x = 200.0 * i};
      if (i < 20 && query.get<1>().contains(light)) state.get<1>().add(light);
    }
    return {};
  }
  void step(const State::Selection& to_step, const State& context, State& result) const {
    for (Vehicle car : to_step.get<0>()) {
      double gap = kSight;
      context.get<0>().cells(kSight).around(car.x, car.y, [&](const Vehicle& other) {
        if (other.id != car.id && other.x > car.x) gap = std::min(gap, other.x - car.x);
      });
      context.get<1>().cells(kSight).around(car.x, car.y, [&](const Light& light) {
        if (light.red > 0 && light.x > car.x) gap = std::min(gap, light.x - car.x);
      });
      car.speed = std::min({car.speed + 1, kFastest, gap / 2});
      car.x += car.speed;
      car.stops += car.speed < 1 ? 1 : 0;
      result.get<0>().add(car);
    }
    for (Light light : to_step.get<1>()) {
      std::uint32_t close = 0;
      context.get<0>().cells(kSight).around(light.x, light.y, [&](const Vehicle& car) {
        if (car.x <= light.x && light.x - car.x <= kClose) ++close;
      });
      light.red = light.red > 0 ? light.red - 1 : close >= 2 ? 8 : 0;
      result.get<1>().add(light);
    }
  }
  // Cars read cars and lights in sight, lights read close cars: each box depends on both.
  Query rd(const Query& q) const {
    return {q.get<0>().grown(kSight).united(q.get<1>().grown(kClose)),
            q.get<1>().united(q.get<0>().grown(kSight))};
  }
  Query rx(const Query& q) const {
    return {q.get<0>().shrunk(kSight).common(q.get<1>().shrunk(kSight)),
            q.get<1>().common(q.get<0>().shrunk(kClose))};
  }
  Query wd(const Query& q) const { return {q.get<0>().grown(kFastest), q.get<1>()}; }
  Query wx(const Query& q) const { return {q.get<0>().shrunk(kFastest), q.get<1>()}; }
  bool disjoint(const Query& a, const Query& b) const { return a.disjoint(b); }
};
int main(int argc, char** argv) {
  Options options(argc, argv, OwnEngine::Tick);
  const auto run = value_or_exit(tick::run_ticks(Street(), options.tick, options.cluster));
  std::uint32_t stops = 0;
  for (const Vehicle& car : run.result.state.get<0>().tuples()) stops += car.stops;
  if (options.first) std::printf("%u stops\n", stops);
}
