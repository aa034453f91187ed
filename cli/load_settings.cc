// The settings of how a graph is read or drawn, as rows of the one table.
#include "leeway/cli/conditions.h"
#include "leeway/cli/setting_values.h"
#include "leeway/datasets/load_graph.h"

namespace leeway::cli {

namespace {

constexpr Choices<Duplicates, 2> kDuplicates = {
    {{"keep", Duplicates::Keep}, {"merge", Duplicates::Merge}}};
constexpr Choices<MergeWeights, 5> kMergeWeights = {{{"sum", MergeWeights::Sum},
                                                     {"min", MergeWeights::Min},
                                                     {"max", MergeWeights::Max},
                                                     {"first", MergeWeights::First},
                                                     {"last", MergeWeights::Last}}};
constexpr Choices<SelfLoops, 2> kSelfLoops = {
    {{"keep", SelfLoops::Keep}, {"drop", SelfLoops::Drop}}};
constexpr Choices<Weights, 3> kWeights = {
    {{"file", Weights::File}, {"none", Weights::None}, {"random", Weights::Random}}};

using Value = std::string_view;

Status take_delimiter(Value value, char& into) {
  if (value == "tab" || value == "\\t") value = "\t";
  if (value == "space") value = " ";
  const bool fits = value.size() == 1 && value != "\"" && value != "\n" && value != "\r" &&
                    static_cast<unsigned char>(value[0]) < 0x80;
  if (!fits) {
    return fail(
        input_error("", format("'{}' is not one character that can stand between columns", value),
                    "give one such as ',' or ';', or tab or space"));
  }
  into = value[0];
  return {};
}

constexpr double kLargestWeight = 9007199254740992.0;  // 2^53: whole numbers are exact up to here

/// What only CSV heeds.
std::vector<Setting> csv_settings() {
  return {
      {"columns",
       "A,B[,W]",
       "by their titles, else the first",
       "CSV: which columns hold an edge's ends and its weight, by title or by place from 1",
       kLoad,
       {},
       [](Options& o, Value v) { return keep(v, o.load.columns); },
       {{.on_graph = true, .when = kFile}}},
      {"delimiter",
       "CHAR",
       "detected",
       "CSV: what stands between columns: one character, tab or space",
       kLoad,
       {},
       [](Options& o, Value v) { return take_delimiter(v, o.load.delimiter); },
       {{.on_graph = true, .when = kFile}}},
      {"header",
       "",
       "detected",
       "CSV: the first row holds titles",
       kLoad,
       names_of(kSwitch),
       [](Options& o, Value v) { return choose(kSwitch, v, o.load.header.emplace()); },
       {{.on_graph = true, .when = kFile}}},
  };
}

}  // namespace

std::vector<Setting> load_settings() {
  std::vector<Setting> all = {
      {"format",
       "NAME",
       "detected",
       "the input's format",
       kLoad,
       format_names(readable_formats()),
       [](Options& o, Value v) { return one_of(v, readable_formats(), true, o.load.format); },
       {{.on_graph = true, .when = kFile}}},
      {"directed", "", "as the file says, else directed", "take edges as arcs", kLoad,
       names_of(kSwitch), [](Options& o, Value v) { return choose(kSwitch, v, o.directed); },
       kOnGraph},
      {"undirected", "", "as the file says, else directed", "take each edge both ways", kLoad,
       names_of(kSwitch), [](Options& o, Value v) { return choose(kSwitch, v, o.undirected); },
       kOnGraph},
      {"symmetrize", "", "off", "add every arc's reverse; the graph becomes undirected", kLoad,
       names_of(kSwitch), [](Options& o, Value v) { return choose(kSwitch, v, o.load.symmetrize); },
       kOnGraph},
      {"duplicates", "WHAT", "keep; an error in Matrix Market",
       "parallel edges: keep or merge them", kLoad, names_of(kDuplicates),
       [](Options& o, Value v) { return choose(kDuplicates, v, o.load.duplicates); }, kOnGraph},
      {"merge-weights",
       "HOW",
       "sum",
       "the weight of a merged edge",
       kLoad,
       names_of(kMergeWeights),
       [](Options& o, Value v) { return choose(kMergeWeights, v, o.load.merge_weights); },
       {{.on_graph = true, .when = kMerged}}},
      {"self-loops", "WHAT", "keep", "edges from a vertex to itself: keep or drop them", kLoad,
       names_of(kSelfLoops),
       [](Options& o, Value v) { return choose(kSelfLoops, v, o.load.self_loops); }, kOnGraph},
      {"weights", "WHICH", "file", "the file's, none, or whole numbers drawn by the seed", kLoad,
       names_of(kWeights), [](Options& o, Value v) { return choose(kWeights, v, o.load.weights); },
       kOnGraph},
      {"weight-low",
       "W",
       "1",
       "the least random weight",
       kLoad,
       {},
       [](Options& o, Value v) {
         return number(v, -kLargestWeight, kLargestWeight, o.load.weight_low);
       },
       {{.on_graph = true, .when = kDrawnWeights}}},
      {"weight-high",
       "W",
       "100",
       "the greatest random weight",
       kLoad,
       {},
       [](Options& o, Value v) {
         return number(v, -kLargestWeight, kLargestWeight, o.load.weight_high);
       },
       {{.on_graph = true, .when = kDrawnWeights}}},
  };
  for (Setting& setting : csv_settings()) all.push_back(std::move(setting));
  return all;
}

}  // namespace leeway::cli
