// The settings of programs that go by ticks, and of the two engines that run them, as rows of the one table.
#include "leeway/cli/conditions.h"
#include "leeway/cli/setting_type.h"

namespace leeway::cli {

namespace {

using piece::System;

constexpr Choices<tick::Sync, 5> kSyncs = {{{"barrier", tick::Sync::Barrier},
                                            {"local", tick::Sync::Local},
                                            {"schedule", tick::Sync::Schedule},
                                            {"replicate", tick::Sync::Replicate},
                                            {"combined", tick::Sync::Combined}}};
constexpr Choices<bool, 2> kSplits = {{{"grid", false}, {"quadtree", true}}};
constexpr Choices<System, 4> kSystems = {{{"oritick", System::OriTick},
                                          {"comtick", System::ComTick},
                                          {"asytick", System::AsyTick},
                                          {"asytick-plb", System::AsyTickPlb}}};
constexpr Choices<bool, 2> kPieceOrders = {{{"priority", true}, {"arrival", false}}};
constexpr std::uint32_t kMostTicks = 1'000'000'000;
constexpr std::uint32_t kMostThings = 100'000'000;

using O = Options;
using R = RunChoices;
using Scene = SceneChoices;
using Asy = AsyTickChoices;

template <auto Field>
SettingType count(std::uint32_t low, std::uint32_t high) {
  return within<&O::run, &R::scene, Field>(low, high);
}
template <auto Field>
SettingType length() {
  return within<&O::run, &R::scene, Field>(1e-6, 1e9);
}

const std::vector<AppliesTo> kFish = {{.programs = {"fish"}}};
const std::vector<AppliesTo> kNBody = {{.programs = {"nbody"}}};
const std::vector<AppliesTo> kTick = {{.engines = {EngineName::Tick}}};
const std::vector<AppliesTo> kPiece = {{.engines = {EngineName::Piece}}};
const std::vector<AppliesTo> kTickReplicas = {{.engines = {EngineName::Tick}, .when = kReplicas}};
const std::vector<AppliesTo> kAsyTick = {
    {.engines = {EngineName::Piece}, .when = kByPriority},
    {.engines = {EngineName::Vertex}, .schedulers = {Scheduler::AsyTick}}};

std::vector<Setting> scene_settings() {
  return {
      Setting("fish", "N", "how many", count<&Scene::fish>(0, kMostThings), kRun, {}, kFish),
      Setting("informed", "N", "how many are drawn to each goal",
              count<&Scene::informed>(0, kMostThings), kRun, {}, kFish),
      Setting("goals", "N", "how many goals there are", count<&Scene::goals>(1, 2), kRun, {},
              {{.programs = {"fish"}, .when = kGoals}}),
      Setting("basin", "WxH", "the size of the waters, in body lengths",
              width_and_height<&Scene::width, &Scene::height, &O::run, &R::scene>(1e-3, 1e9), kRun,
              {}, kFish),
      Setting("visibility", "V", "how far one sees", length<&Scene::visibility>(), kRun, {}, kFish),
      Setting("reach", "R", "how far one swims in a tick", length<&Scene::reach>(), kRun, {},
              kFish),
      Setting("plate", "WxH", "columns and rows of cells",
              width_and_height<&Scene::columns, &Scene::rows, &O::run, &R::scene>(1, 1'000'000),
              kRun, {}, {{.programs = {"jacobi"}}}),
      Setting("bodies", "N", "how many", count<&Scene::bodies>(0, kMostThings), kRun, {}, kNBody),
      Setting("groups", "N", "groups that gather and part again", count<&Scene::groups>(0, 100'000),
              kRun, {}, kNBody),
      Setting(
          "box", "WxH", "the size of the box",
          width_and_height<&Scene::box_width, &Scene::box_height, &O::run, &R::scene>(1e-3, 1e9),
          kRun, {}, kNBody),
      Setting("cutoff", "R", "bodies farther apart do not feel each other",
              length<&Scene::cutoff>(), kRun, {}, kNBody),
      Setting(
          "frames", "FILE",
          "write where all are at some ticks, or the values of cells after some iterations, for a "
          "player",
          text<&O::run, &R::scene, &Scene::frames>(), kRun, {},
          {{.programs = {"fish", "heat", "nbody", "wave"}}}, Told::Never),
      Setting("frame-every", "T", "ticks or iterations from one frame to the next",
              count<&Scene::frame_every>(1, kMostTicks), kRun, {},
              {{.programs = {"fish", "heat", "nbody", "wave"}, .when = kFilm}}),
  };
}

std::vector<Setting> tick_settings() {
  return {
      Setting("sync", "MODE", "how the nodes' ticks are synchronized",
              chosen_from<&O::run, &R::tick, &tick::Options::sync>(kSyncs), kRun, {}, kTick),
      Setting("depth", "D", "ticks stepped ahead of messages",
              within<&O::run, &R::tick, &tick::Options::depth>(0, 1000), kRun, "1; combined 10",
              {{.engines = {EngineName::Tick}, .when = kAhead}}),
      Setting("every", "K", "messages go every K ticks",
              within<&O::run, &R::tick, &tick::Options::every>(0, 1000), kRun, "2", kTickReplicas),
      Setting("replicas", "M", "layers of others' tuples stepped here",
              within<&O::run, &R::tick, &tick::Options::replicas>(0, 1000), kRun, "K + 1",
              kTickReplicas),
      Setting("split", "HOW", "how the basin is divided",
              chosen_from<&O::run, &R::scene, &Scene::quadtree>(kSplits), kRun, {},
              {{.programs = {"fish"}, .engines = {EngineName::Tick}}}),
      Setting("rebalance", "T", "divide anew every so many ticks; 0: never",
              within<&O::run, &R::tick, &tick::Options::rebalance>(0, kMostTicks), kRun, {},
              {{.programs = {"fish"}, .engines = {EngineName::Tick}, .when = kByLoad},
               {.programs = {"pagerank"}, .engines = {EngineName::Tick}, .when = kDealtBySeed}}),
      Setting("check", "", "catch a program that reads outside its context",
              on_off<&O::run, &R::tick, &tick::Options::check>(), kRun, {}, kTick),
  };
}

std::vector<Setting> piece_settings() {
  return {
      Setting("system", "NAME", "which of the four systems",
              chosen_from<&O::run, &R::piece, &piece::Options::system>(kSystems), kRun, {}, kPiece,
              Told::Always),
      Setting("pieces", "N", "pieces a worker's partition is cut into",
              within<&O::run, &R::asytick, &Asy::pieces>(0, 0xFFFFFFFF), kRun, {},
              {{.engines = {EngineName::Piece}},
               {.engines = {EngineName::Vertex}, .schedulers = {Scheduler::AsyTick}}},
              Told::Always),
      Setting("alpha", "A", "weight of the distance to the boundary in a piece's priority",
              within<&O::run, &R::asytick, &Asy::alpha>(0, 1), kRun, "0.45", kAsyTick),
      Setting("beta", "B", "weight of the tick; alpha and beta sum to 1",
              within<&O::run, &R::asytick, &Asy::beta>(0, 1), kRun, "0.55", kAsyTick),
      Setting("piece-order", "HOW", "pieces by priority, or as they become ready",
              chosen_from<&O::run, &R::piece, &piece::Options::scheduler>(kPieceOrders), kRun, {},
              kPiece, Told::Always),
      Setting("balance-every", "T", "ticks from one redistribution of load to the next",
              within<&O::run, &R::piece, &piece::Options::balance_every>(2, 1'000'000), kRun, {},
              {{.engines = {EngineName::Piece}, .when = kBalancer}}, Told::Always),
  };
}

}  // namespace

std::vector<Setting> simulation_settings() {
  std::vector<Setting> all = scene_settings();
  for (auto more : {tick_settings(), piece_settings()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace leeway::cli
