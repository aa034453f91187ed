// The settings of the piece engine, as rows of the one table.
#include "leeway/cli/conditions.h"
#include "leeway/cli/setting_values.h"

namespace leeway::cli {

namespace {

using Value = std::string_view;
using piece::System;

constexpr Choices<System, 4> kSystems = {{{"oritick", System::OriTick},
                                          {"comtick", System::ComTick},
                                          {"asytick", System::AsyTick},
                                          {"asytick-plb", System::AsyTickPlb}}};
constexpr Choices<bool, 2> kOrders = {{{"priority", true}, {"arrival", false}}};
constexpr std::uint32_t kMostObjects = 100'000'000;

std::vector<Setting> engine_settings() {
  return {
      {"system",
       "NAME",
       "asytick-plb",
       "which of the four systems",
       kRun,
       names_of(kSystems),
       [](Options& o, Value v) { return choose(kSystems, v, o.run.simulation.system); },
       {{.engines = {EngineName::Piece}}}},
      {"pieces",
       "N",
       "16",
       "pieces a worker's partition is cut into",
       kRun,
       {},
       [](Options& o, Value v) { return number(v, 0U, 0xFFFFFFFFU, o.run.simulation.pieces); },
       {{.engines = {EngineName::Piece}},
        {.engines = {EngineName::Vertex}, .schedulers = {Scheduler::AsyTick}}}},
      {"alpha",
       "A",
       "0.45",
       "weight of the distance to the boundary in a piece's priority",
       kRun,
       {},
       [](Options& o, Value v) { return number(v, 0.0, 1.0, o.run.simulation.alpha.emplace()); },
       {{.engines = {EngineName::Piece}, .when = kByPriority},
        {.engines = {EngineName::Vertex}, .schedulers = {Scheduler::AsyTick}}}},
      {"beta",
       "B",
       "0.55",
       "weight of the tick; alpha and beta sum to 1",
       kRun,
       {},
       [](Options& o, Value v) { return number(v, 0.0, 1.0, o.run.simulation.beta.emplace()); },
       {{.engines = {EngineName::Piece}, .when = kByPriority},
        {.engines = {EngineName::Vertex}, .schedulers = {Scheduler::AsyTick}}}},
      {"piece-order",
       "HOW",
       "priority",
       "pieces by priority, or as they become ready",
       kRun,
       names_of(kOrders),
       [](Options& o, Value v) { return choose(kOrders, v, o.run.simulation.by_priority); },
       {{.engines = {EngineName::Piece}}}},
      {"balance-every",
       "T",
       "2",
       "ticks from one redistribution of load to the next",
       kRun,
       {},
       [](Options& o, Value v) {
         return number(v, 2U, 1'000'000U, o.run.simulation.balance_every);
       },
       {{.engines = {EngineName::Piece}, .when = kBalancer}}},
  };
}

std::vector<Setting> scene_settings() {
  return {
      {"bodies",
       "N",
       "1000",
       "how many",
       kRun,
       {},
       [](Options& o, Value v) { return number(v, 0U, kMostObjects, o.run.simulation.bodies); },
       {{.programs = {"nbody"}}}},
      {"groups",
       "N",
       "4",
       "groups that gather and part again",
       kRun,
       {},
       [](Options& o, Value v) { return number(v, 0U, 100'000U, o.run.simulation.groups); },
       {{.programs = {"nbody"}}}},
      {"box",
       "WxH",
       "200x200",
       "the size of the box",
       kRun,
       {},
       [](Options& o, Value v) -> Status {
         const std::size_t cross = v.find('x');
         if (cross == Value::npos) {
           return fail(input_error("", format("'{}' is no width and height", v), "write WxH"));
         }
         LEEWAY_TRY(number(v.substr(0, cross), 1e-3, 1e9, o.run.simulation.box_width));
         return number(v.substr(cross + 1), 1e-3, 1e9, o.run.simulation.box_height);
       },
       {{.programs = {"nbody"}}}},
      {"cutoff",
       "R",
       "8",
       "bodies farther apart do not feel each other",
       kRun,
       {},
       [](Options& o, Value v) { return number(v, 1e-6, 1e9, o.run.simulation.cutoff); },
       {{.programs = {"nbody"}}}},
  };
}

}  // namespace

std::vector<Setting> piece_settings() {
  std::vector<Setting> all = engine_settings();
  for (Setting& setting : scene_settings()) all.push_back(std::move(setting));
  return all;
}

}  // namespace leeway::cli
