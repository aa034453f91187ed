// The settings of how a graph is read or drawn, as rows of the one table.
#include "leeway/cli/conditions.h"
#include "leeway/cli/setting_type.h"
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

constexpr double kLargestWeight = 9007199254740992.0;  // 2^53: whole numbers are exact up to here

Status read_delimiter(Options& o, std::string_view value) {
  if (value == "tab" || value == "\\t") value = "\t";
  if (value == "space") value = " ";
  const bool fits = value.size() == 1 && value != "\"" && value != "\n" && value != "\r" &&
                    static_cast<unsigned char>(value[0]) < 0x80;
  if (!fits) {
    return fail(
        input_error("", format("'{}' is not one character that can stand between columns", value),
                    "give one such as ',' or ';', or tab or space"));
  }
  o.load.delimiter = value[0];
  return {};
}

using O = Options;
using L = LoadOptions;
const std::vector<AppliesTo> kFromFile = {{.on_graph = true, .when = kFile}};
const std::vector<AppliesTo> kWithRandomWeights = {{.on_graph = true, .when = kDrawnWeights}};

}  // namespace

std::vector<Setting> load_settings() {
  return {
      Setting("format", "NAME", "the input's format",
              format_of<&O::load, &L::format>(readable_formats()), kLoad, "detected", kFromFile),
      Setting("directed", "", "take edges as arcs", on_off<&O::directed>(), kLoad,
              "as the file says, else directed", kOnGraph),
      Setting("undirected", "", "take each edge both ways", on_off<&O::undirected>(), kLoad,
              "as the file says, else directed", kOnGraph),
      Setting("symmetrize", "", "add every arc's reverse; the graph becomes undirected",
              on_off<&O::load, &L::symmetrize>(), kLoad, {}, kOnGraph),
      Setting("duplicates", "WHAT", "parallel edges: keep or merge them",
              chosen_from<&O::load, &L::duplicates>(kDuplicates), kLoad,
              "keep; an error in Matrix Market", kOnGraph),
      Setting("merge-weights", "HOW", "the weight of a merged edge",
              chosen_from<&O::load, &L::merge_weights>(kMergeWeights), kLoad, {},
              {{.on_graph = true, .when = kMerged}}),
      Setting("self-loops", "WHAT", "edges from a vertex to itself: keep or drop them",
              chosen_from<&O::load, &L::self_loops>(kSelfLoops), kLoad, {}, kOnGraph),
      Setting("weights", "WHICH", "the file's, none, or whole numbers drawn by the seed",
              chosen_from<&O::load, &L::weights>(kWeights), kLoad, {}, kOnGraph),
      Setting("weight-low", "W", "the least random weight",
              within<&O::load, &L::weight_low>(-kLargestWeight, kLargestWeight), kLoad, {},
              kWithRandomWeights),
      Setting("weight-high", "W", "the greatest random weight",
              within<&O::load, &L::weight_high>(-kLargestWeight, kLargestWeight), kLoad, {},
              kWithRandomWeights),
      Setting("columns", "A,B[,W]",
              "CSV: which columns hold an edge's ends and its weight, by title or by place from 1",
              text<&O::load, &L::columns>(), kLoad, "by their titles, else the first", kFromFile),
      Setting("delimiter", "CHAR", "CSV: what stands between columns: one character, tab or space",
              {.read = read_delimiter}, kLoad, "detected", kFromFile),
      Setting("header", "", "CSV: the first row holds titles", on_off<&O::load, &L::header>(),
              kLoad, "detected", kFromFile),
  };
}

}  // namespace leeway::cli
