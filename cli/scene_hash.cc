#include "leeway/cli/scene_hash.h"

#include <bit>
#include <initializer_list>

#include "leeway/base/format.h"
#include "leeway/base/mix.h"

namespace leeway::cli {

namespace {

/// As a graph's hash is made, word by word, so that no byte of padding counts.
class SceneHash {
 public:
  void add(std::uint64_t word) { hash_ = mix64(hash_ ^ word) + 1; }
  void add(std::initializer_list<double> numbers) {
    for (const double number : numbers) add(std::bit_cast<std::uint64_t>(number));
  }
  [[nodiscard]] std::string text() const { return format("{:016x}", mix64(hash_)); }

 private:
  std::uint64_t hash_ = 0;
};

}  // namespace

std::string hash_of(const scene::FishModel& model, std::span<const scene::Fish> school) {
  SceneHash hash;
  hash.add({model.width, model.height, model.visibility, model.reach, model.personal, model.turn,
            model.noise, model.insistence});
  for (const scene::Heading& goal : model.goals) hash.add({goal.x, goal.y});
  hash.add(school.size());
  for (const scene::Fish& fish : school) {
    hash.add(fish.id);
    hash.add(fish.goal);
    hash.add({fish.x, fish.y, fish.vx, fish.vy});
    hash.add(fish.random);
  }
  return hash.text();
}

std::string hash_of(const scene::NBodyModel& model, std::span<const scene::Body> bodies) {
  SceneHash hash;
  hash.add({model.width, model.height, model.radius, model.reach, model.strength, model.softening});
  hash.add(model.traps.size());
  for (const scene::Trap& trap : model.traps) hash.add({trap.x, trap.y, trap.stiffness});
  hash.add(bodies.size());
  for (const scene::Body& body : bodies) {
    hash.add(body.id);
    hash.add(body.trap);
    hash.add({body.x, body.y, body.vx, body.vy});
  }
  return hash.text();
}

std::string hash_of(const scene::Plate& plate, std::span<const double> heat) {
  SceneHash hash;
  hash.add(plate.columns);
  hash.add(plate.rows);
  for (const double cell : heat) hash.add({cell});
  return hash.text();
}

}  // namespace leeway::cli
