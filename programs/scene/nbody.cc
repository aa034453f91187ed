#include "leeway/programs/scene/nbody.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_set>

#include "leeway/base/check.h"
#include "leeway/base/format.h"
#include "leeway/base/random.h"

namespace leeway::scene {

namespace {

/// Off the wall and back, once: a tick's way is shorter than the box.
double reflected(double at, double size, double& speed) {
  if (at < 0) {
    speed = -speed;
    at = -at;
  } else if (at > size) {
    speed = -speed;
    at = size - (at - size);
  }
  return std::clamp(at, 0.0, size);
}

double default_radius(const NBodyScene& scene, const NBodyModel& model) {
  return scene.group_radius > 0 ? scene.group_radius : std::min(model.width, model.height) / 8;
}

Body free_body(const NBodyScene& scene, const NBodyModel& model, Random& random) {
  // A linear density in x, drawn by the inverse of its distribution.
  const double u = random.unit();
  const double a = scene.uneven;
  const double x = a == 0 ? u : (1 + a - std::sqrt((1 + a) * (1 + a) - 4 * a * u)) / (2 * a);
  const double side = random.unit();
  return {.x = std::clamp(x, 0.0, 1.0) * model.width, .y = side * model.height};
}

/// Somewhere on its ellipse around the trap: where a spring would have it at the group's phase.
Body trapped_body(const NBodyScene& scene, const Trap& trap, double phase, double radius,
                  const NBodyModel& model, Random& random) {
  const double angle = 2 * std::numbers::pi * random.unit();
  const double far = radius * (0.5 + 0.5 * random.unit());
  const double near = far * scene.gathering;
  const double omega = std::sqrt(trap.stiffness);
  const double along = far * std::cos(phase);
  const double aside = near * std::sin(phase);
  const double along_speed = -far * omega * std::sin(phase);
  const double aside_speed = near * omega * std::cos(phase);
  const double cosine = std::cos(angle);
  const double sine = std::sin(angle);
  Body body{.vx = along_speed * cosine - aside_speed * sine,
            .vy = along_speed * sine + aside_speed * cosine};
  body.x = std::clamp(trap.x + along * cosine - aside * sine, 0.0, model.width);
  body.y = std::clamp(trap.y + along * sine + aside * cosine, 0.0, model.height);
  return body;
}

}  // namespace

Body moved(const NBodyModel& model, const Body& body, const Pull& pull) {
  constexpr double kUnit = 0x1.0p-40;
  Body next = body;
  next.vx += static_cast<double>(pull.x) * kUnit;
  next.vy += static_cast<double>(pull.y) * kUnit;
  if (body.trap != 0) {
    const Trap& trap = model.traps[body.trap - 1];
    next.vx -= trap.stiffness * (body.x - trap.x);
    next.vy -= trap.stiffness * (body.y - trap.y);
  }
  const double speed = std::sqrt(next.vx * next.vx + next.vy * next.vy);
  if (speed > model.reach) {
    next.vx *= model.reach / speed;
    next.vy *= model.reach / speed;
  }
  next.x = reflected(body.x + next.vx, model.width, next.vx);
  next.y = reflected(body.y + next.vy, model.height, next.vy);
  return next;
}

Status admit_bodies(const NBodyModel& model, const std::vector<Body>& bodies) {
  const auto refuse = [](const Body& body, std::string_view what) {
    return fail(input_error(format("body {}", body.id), std::string(what),
                            "give positions inside the box and finite numbers"));
  };
  if (!(model.width > 0 && model.height > 0 && model.radius > 0 && model.reach > 0)) {
    return fail(input_error("n-body", "the box, the cut-off and the reach must be above 0",
                            "give positive sizes"));
  }
  std::unordered_set<std::uint32_t> ids;
  for (const Body& body : bodies) {
    if (!std::isfinite(body.x) || !std::isfinite(body.y))
      return refuse(body, "its position is no number");
    if (!std::isfinite(body.vx) || !std::isfinite(body.vy))
      return refuse(body, "its speed is no number");
    if (body.x < 0 || body.x > model.width || body.y < 0 || body.y > model.height)
      return refuse(body, format("({}, {}) is outside the box", body.x, body.y));
    if (body.trap > model.traps.size())
      return refuse(body, format("there is no trap {}", body.trap));
    if (!ids.insert(body.id).second) return refuse(body, "its id stands twice");
  }
  return {};
}

std::vector<Body> nbody_scene(const NBodyScene& scene, NBodyModel& model) {
  Random random(scene.seed, 0x626F6479);
  const double radius = default_radius(scene, model);
  const double omega = 2 * std::numbers::pi / scene.period;
  model.traps.clear();
  // Groups stand evenly in the box, in the order of a coarse grid walked with a stride, so that groups
  // that gather one after the other are not neighbours.
  const auto columns = static_cast<std::uint32_t>(std::ceil(std::sqrt(scene.groups)));
  for (std::uint32_t g = 0; g < scene.groups; ++g) {
    const double side = static_cast<double>(columns);
    model.traps.push_back({.x = model.width * ((g % columns) + 0.5) / side,
                           .y = model.height * ((g / columns) + 0.5) / side,
                           .stiffness = omega * omega});
  }
  std::vector<Body> bodies;
  for (std::uint32_t id = 0; id < scene.bodies; ++id) {
    const bool grouped = scene.groups > 0 && random.unit() < scene.grouped;
    Body body;
    if (grouped) {
      const auto g = static_cast<std::uint32_t>(random.below(scene.groups));
      const double turn = static_cast<double>((g * 7U) % scene.groups) / scene.groups;
      body = trapped_body(scene, model.traps[g], std::numbers::pi * turn, radius, model, random);
      body.trap = g + 1;
    } else {
      body = free_body(scene, model, random);
    }
    body.id = id;
    bodies.push_back(body);
  }
  return bodies;
}

}  // namespace leeway::scene
