// The settings of the piece engine, as rows of the one table.
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
      {"system", "NAME", "asytick-plb", "asytick: oritick, comtick, asytick or asytick-plb", kRun,
       names_of(kSystems),
       [](Options& o, Value v) { return choose(kSystems, v, o.run.simulation.system); }},
      {"pieces",
       "N",
       "16",
       "asytick: pieces a worker's partition is cut into",
       kRun,
       {},
       [](Options& o, Value v) { return number(v, 0U, 0xFFFFFFFFU, o.run.simulation.pieces); }},
      {"alpha",
       "A",
       "0.45",
       "asytick: weight of the distance to the boundary in a piece's priority",
       kRun,
       {},
       [](Options& o, Value v) { return number(v, 0.0, 1.0, o.run.simulation.alpha.emplace()); }},
      {"beta",
       "B",
       "0.55",
       "asytick: weight of the tick; alpha and beta sum to 1",
       kRun,
       {},
       [](Options& o, Value v) { return number(v, 0.0, 1.0, o.run.simulation.beta.emplace()); }},
      {"piece-order", "HOW", "priority", "asytick: pieces by priority, or as they become ready",
       kRun, names_of(kOrders),
       [](Options& o, Value v) { return choose(kOrders, v, o.run.simulation.by_priority); }},
      {"balance-every",
       "T",
       "2",
       "asytick: ticks from one redistribution of load to the next",
       kRun,
       {},
       [](Options& o, Value v) {
         return number(v, 2U, 1'000'000U, o.run.simulation.balance_every);
       }},
  };
}

std::vector<Setting> scene_settings() {
  return {
      {"bodies",
       "N",
       "1000",
       "nbody: how many",
       kRun,
       {},
       [](Options& o, Value v) { return number(v, 0U, kMostObjects, o.run.simulation.bodies); }},
      {"groups",
       "N",
       "4",
       "nbody: groups that gather and part again",
       kRun,
       {},
       [](Options& o, Value v) { return number(v, 0U, 100'000U, o.run.simulation.groups); }},
      {"box",
       "WxH",
       "200x200",
       "nbody: the size of the box",
       kRun,
       {},
       [](Options& o, Value v) -> Status {
         const std::size_t cross = v.find('x');
         if (cross == Value::npos) {
           return fail(input_error("", format("'{}' is no width and height", v), "write WxH"));
         }
         LEEWAY_TRY(number(v.substr(0, cross), 1e-3, 1e9, o.run.simulation.box_width));
         return number(v.substr(cross + 1), 1e-3, 1e9, o.run.simulation.box_height);
       }},
      {"cutoff",
       "R",
       "8",
       "nbody: bodies farther apart do not feel each other",
       kRun,
       {},
       [](Options& o, Value v) { return number(v, 1e-6, 1e9, o.run.simulation.cutoff); }},
  };
}

}  // namespace

std::vector<Setting> piece_settings() {
  std::vector<Setting> all = engine_settings();
  for (Setting& setting : scene_settings()) all.push_back(std::move(setting));
  return all;
}

}  // namespace leeway::cli
