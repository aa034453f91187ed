// The settings of dividing a graph, as rows of the one table.
#include "leeway/cli/conditions.h"
#include "leeway/cli/setting_type.h"

namespace leeway::cli {

namespace {

constexpr Choices<BalanceBy, 2> kBalance = {
    {{"vertices", BalanceBy::Vertices}, {"arcs", BalanceBy::Arcs}}};

std::vector<std::string_view> method_names() {
  std::vector<std::string_view> names;
  for (const PartitionMethodInfo& info : partition_methods()) names.push_back(info.name);
  return names;
}

Status read_method(Options& o, std::string_view value) {
  return parse_partition_method(value, o.partition);
}

using O = Options;
using P = PartitionOptions;

}  // namespace

std::vector<Setting> partition_settings() {
  return {
      Setting("partition", "HOW",
              "how vertices are dealt out: a method's name, or a file with an owner a line "
              "(file:PATH, or a path)",
              {.choices = method_names(), .read = read_method}, kPartition, "auto", kOnGraph),
      Setting("balance", "WHAT", "what parts are to have the same amount of",
              chosen_from<&O::partition, &P::balance>(kBalance), kPartition, {},
              {{.on_graph = true, .when = kBalanced}}),
      Setting("edge-weights", "", "METIS: cut little weight rather than few edges",
              on_off<&O::partition, &P::edge_weights>(), kPartition, {},
              {{.on_graph = true, .when = kByMetis}}),
      Setting("tries", "N", "METIS: runs of which the best is kept",
              within<&O::partition, &P::tries>(1, 1000), kPartition, "by size",
              {{.on_graph = true, .when = kByMetis}}),
      Setting("skew", "R", "make the first part R times the median part",
              within<&O::partition, &P::skew>(1, 1e6), kPartition, "none", kOnGraph),
  };
}

}  // namespace leeway::cli
