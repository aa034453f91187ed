// The settings of programs that go by ticks, as rows of the one table.
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
Setting whole(Value name, Value value, Value fallback, Value help) {
  return {name, value, fallback, help, kRun, {}, [](Options& o, Value v) {
            return number(v, Low, High, o.run.simulation.*Field);
          }};
}
template <std::optional<std::uint32_t> SimulationChoices::*Field, std::uint32_t Low,
          std::uint32_t High>
Setting perhaps(Value name, Value value, Value fallback, Value help) {
  return {name, value, fallback, help, kRun, {}, [](Options& o, Value v) {
            return number(v, Low, High, (o.run.simulation.*Field).emplace());
          }};
}
template <double SimulationChoices::*Field>
Setting length(Value name, Value value, Value fallback, Value help) {
  return {name, value, fallback, help, kRun, {}, [](Options& o, Value v) {
            return number(v, 1e-6, 1e9, o.run.simulation.*Field);
          }};
}
template <std::string SimulationChoices::*Field>
Setting file(Value name, Value help) {
  return {name, "FILE", "none", help, kRun, {}, [](Options& o, Value v) {
            return keep(v, o.run.simulation.*Field);
          }};
}

using Told = SimulationChoices;

std::vector<Setting> model_settings() {
  return {
      perhaps<&Told::ticks, 1, kMostTicks>("ticks", "T", "100; pagerank 180",
                                           "tick, asytick: how many ticks"),
      whole<&Told::fish, 0, kMostTuples>("fish", "N", "1000", "fish: how many"),
      whole<&Told::informed, 0, kMostTuples>("informed", "N", "0",
                                             "fish: how many are drawn to each goal"),
      whole<&Told::goals, 1, 2>("goals", "N", "1", "fish: how many goals there are"),
      {"basin",
       "WxH",
       "100x100",
       "fish: the size of the waters, in body lengths",
       kRun,
       {},
       [](Options& o, Value v) {
         return two(v, 1e-3, 1e9, o.run.simulation.width, o.run.simulation.height);
       }},
      length<&Told::visibility>("visibility", "V", "6", "fish: how far one sees"),
      length<&Told::reach>("reach", "R", "0.2", "fish: how far one swims in a tick"),
      {"plate",
       "WxH",
       "1000x1000",
       "jacobi: columns and rows of cells",
       kRun,
       {},
       [](Options& o, Value v) {
         return two(v, 1U, 1'000'000U, o.run.simulation.columns, o.run.simulation.rows);
       }},
      file<&Told::frames>("frames", "fish, nbody: write where all are at some ticks, for a player"),
      whole<&Told::frame_every, 1, kMostTicks>("frame-every", "T", "1",
                                               "ticks from one frame to the next"),
  };
}

std::vector<Setting> tick_settings() {
  return {
      {"sync", "MODE", "local", "tick: barrier, local, schedule, replicate or combined", kRun,
       names_of(kSyncs),
       [](Options& o, Value v) { return choose(kSyncs, v, o.run.simulation.sync); }},
      perhaps<&Told::depth, 0, 1000>("depth", "D", "1; combined 10",
                                     "tick: ticks stepped ahead of messages"),
      perhaps<&Told::every, 0, 1000>("every", "K", "2", "tick: messages go every K ticks"),
      perhaps<&Told::replicas, 0, 1000>("replicas", "M", "K + 1",
                                        "tick: layers of others' tuples stepped here"),
      {"split", "HOW", "grid", "tick: how the basin is divided", kRun, names_of(kSplits),
       [](Options& o, Value v) { return choose(kSplits, v, o.run.simulation.quadtree); }},
      whole<&Told::rebalance, 0, kMostTicks>("rebalance", "T", "0",
                                             "tick: divide anew every so many ticks; 0: never"),
      file<&Told::checkpoint>("checkpoint", "tick: write the state there"),
      whole<&Told::checkpoint_every, 0, kMostTicks>(
          "checkpoint-every", "T", "0", "tick: every so many ticks; 0: at the end alone"),
      file<&Told::restart>("restart", "tick: go on from a checkpoint"),
      {"check", "", "off", "tick: catch a program that reads outside its context", kRun,
       names_of(kSwitch),
       [](Options& o, Value v) { return choose(kSwitch, v, o.run.simulation.check); }},
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
