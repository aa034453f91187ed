// The settings of programs that go by ticks, as rows of the one table.
#include "leeway/cli/conditions.h"
#include "leeway/cli/setting_values.h"

namespace leeway::cli {

namespace {

using Value = std::string_view;

constexpr Choices<TickSync, 5> kSyncs = {{{"barrier", TickSync::Barrier},
                                          {"local", TickSync::Local},
                                          {"schedule", TickSync::Schedule},
                                          {"replicate", TickSync::Replicate},
                                          {"combined", TickSync::Combined}}};
constexpr Choices<bool, 2> kSplits = {{{"grid", false}, {"quadtree", true}}};
constexpr std::uint32_t kMostTicks = 1'000'000'000;
constexpr std::uint32_t kMostTuples = 100'000'000;

/// "WxH", both numbers within bounds.
template <class Number>
Status two(Value value, Number low, Number high, Number& first, Number& second) {
  const std::size_t cross = value.find('x');
  if (cross == Value::npos) {
    return fail(input_error("", format("'{}' is no width and height", value), "write WxH"));
  }
  LEEWAY_TRY(number(value.substr(0, cross), low, high, first));
  return number(value.substr(cross + 1), low, high, second);
}

/// A row for a whole number.
template <std::uint32_t SimulationChoices::*Field, std::uint32_t Low, std::uint32_t High>
Setting whole(Value name, Value value, Value fallback, Value help, std::vector<Hearer> by) {
  return {name,
          value,
          fallback,
          help,
          kRun,
          {},
          [](Options& o, Value v) { return number(v, Low, High, o.run.simulation.*Field); },
          std::move(by)};
}
template <std::optional<std::uint32_t> SimulationChoices::*Field, std::uint32_t Low,
          std::uint32_t High>
Setting perhaps(Value name, Value value, Value fallback, Value help, std::vector<Hearer> by) {
  return {
      name,
      value,
      fallback,
      help,
      kRun,
      {},
      [](Options& o, Value v) { return number(v, Low, High, (o.run.simulation.*Field).emplace()); },
      std::move(by)};
}
template <double SimulationChoices::*Field>
Setting length(Value name, Value value, Value fallback, Value help, std::vector<Hearer> by) {
  return {name,
          value,
          fallback,
          help,
          kRun,
          {},
          [](Options& o, Value v) { return number(v, 1e-6, 1e9, o.run.simulation.*Field); },
          std::move(by)};
}
template <std::string SimulationChoices::*Field>
Setting file(Value name, Value help, std::vector<Hearer> by) {
  return {name,
          "FILE",
          "none",
          help,
          kRun,
          {},
          [](Options& o, Value v) { return keep(v, o.run.simulation.*Field); },
          std::move(by),
          false};
}

using Told = SimulationChoices;

std::vector<Setting> model_settings() {
  return {
      whole<&Told::fish, 0, kMostTuples>("fish", "N", "1000", "how many", {{.programs = {"fish"}}}),
      whole<&Told::informed, 0, kMostTuples>(
          "informed", "N", "0", "how many are drawn to each goal", {{.programs = {"fish"}}}),
      whole<&Told::goals, 1, 2>("goals", "N", "1", "how many goals there are",
                                {{.programs = {"fish"}, .when = kGoals}}),
      {"basin",
       "WxH",
       "100x100",
       "the size of the waters, in body lengths",
       kRun,
       {},
       [](Options& o, Value v) {
         return two(v, 1e-3, 1e9, o.run.simulation.width, o.run.simulation.height);
       },
       {{.programs = {"fish"}}}},
      length<&Told::visibility>("visibility", "V", "6", "how far one sees",
                                {{.programs = {"fish"}}}),
      length<&Told::reach>("reach", "R", "0.2", "how far one swims in a tick",
                           {{.programs = {"fish"}}}),
      {"plate",
       "WxH",
       "1000x1000",
       "columns and rows of cells",
       kRun,
       {},
       [](Options& o, Value v) {
         return two(v, 1U, 1'000'000U, o.run.simulation.columns, o.run.simulation.rows);
       },
       {{.programs = {"jacobi"}}}},
      file<&Told::frames>("frames", "write where all are at some ticks, for a player",
                          {{.programs = {"fish", "nbody"}}}),
      whole<&Told::frame_every, 1, kMostTicks>("frame-every", "T", "1",
                                               "ticks from one frame to the next",
                                               {{.programs = {"fish", "nbody"}, .when = kFilm}}),
  };
}

std::vector<Setting> tick_settings() {
  return {
      {"sync",
       "MODE",
       "local",
       "how the nodes' ticks are synchronized",
       kRun,
       names_of(kSyncs),
       [](Options& o, Value v) { return choose(kSyncs, v, o.run.simulation.sync); },
       {{.engines = {EngineName::Tick}}}},
      perhaps<&Told::depth, 0, 1000>("depth", "D", "1; combined 10",
                                     "ticks stepped ahead of messages",
                                     {{.engines = {EngineName::Tick}, .when = kAhead}}),
      perhaps<&Told::every, 0, 1000>("every", "K", "2", "messages go every K ticks",
                                     {{.engines = {EngineName::Tick}, .when = kReplicas}}),
      perhaps<&Told::replicas, 0, 1000>("replicas", "M", "K + 1",
                                        "layers of others' tuples stepped here",
                                        {{.engines = {EngineName::Tick}, .when = kReplicas}}),
      {"split",
       "HOW",
       "grid",
       "how the basin is divided",
       kRun,
       names_of(kSplits),
       [](Options& o, Value v) { return choose(kSplits, v, o.run.simulation.quadtree); },
       {{.programs = {"fish"}, .engines = {EngineName::Tick}}}},
      whole<&Told::rebalance, 0, kMostTicks>(
          "rebalance", "T", "0", "divide anew every so many ticks; 0: never",
          {{.programs = {"fish"}, .engines = {EngineName::Tick}, .when = kByLoad},
           {.programs = {"pagerank"}, .engines = {EngineName::Tick}, .when = kDealtBySeed}}),
      {"check",
       "",
       "off",
       "catch a program that reads outside its context",
       kRun,
       names_of(kSwitch),
       [](Options& o, Value v) { return choose(kSwitch, v, o.run.simulation.check); },
       {{.engines = {EngineName::Tick}}}},
  };
}

}  // namespace

std::vector<Setting> simulation_settings() {
  std::vector<Setting> all = model_settings();
  for (Setting& setting : tick_settings()) all.push_back(std::move(setting));
  for (Setting& setting : piece_settings()) all.push_back(std::move(setting));
  return all;
}

}  // namespace leeway::cli
