// The settings of dividing a graph, as rows of the one table.
#include "leeway/cli/conditions.h"
#include "leeway/cli/setting_values.h"

namespace leeway::cli {

namespace {

using Value = std::string_view;

constexpr Choices<BalanceBy, 2> kBalance = {
    {{"vertices", BalanceBy::Vertices}, {"arcs", BalanceBy::Arcs}}};

std::vector<std::string_view> method_names() {
  std::vector<std::string_view> names;
  for (const PartitionMethodInfo& info : partition_methods()) names.push_back(info.name);
  return names;
}

}  // namespace

std::vector<Setting> partition_settings() {
  return {
      {"partition", "HOW", "auto",
       "how vertices are dealt out: a method's name, or a file with an owner a line (file:PATH, or "
       "a "
       "path)",
       kPartition, method_names(),
       [](Options& o, Value v) { return parse_partition_method(v, o.partition); }, kOnGraph},
      {"balance",
       "WHAT",
       "arcs",
       "what parts are to have the same amount of",
       kPartition,
       names_of(kBalance),
       [](Options& o, Value v) { return choose(kBalance, v, o.partition.balance); },
       {{.on_graph = true, .when = kBalanced}}},
      {"edge-weights",
       "",
       "off",
       "METIS: cut little weight rather than few edges",
       kPartition,
       names_of(kSwitch),
       [](Options& o, Value v) { return choose(kSwitch, v, o.partition.edge_weights); },
       {{.on_graph = true, .when = kByMetis}}},
      {"tries",
       "N",
       "by size",
       "METIS: runs of which the best is kept",
       kPartition,
       {},
       [](Options& o, Value v) { return number(v, 1U, 1000U, o.partition.tries); },
       {{.on_graph = true, .when = kByMetis}}},
      {"skew",
       "R",
       "none",
       "make the first part R times the median part",
       kPartition,
       {},
       [](Options& o, Value v) -> Status {
         double ratio = 1;
         LEEWAY_TRY(number(v, 1.0, 1e6, ratio));
         o.partition.skew = ratio;
         return {};
       },
       kOnGraph},
  };
}

}  // namespace leeway::cli
