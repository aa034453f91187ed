// docs/profiles.md gives the source of every number; these tests compare its tables with the code.
#include <catch2/catch.hpp>
#include <fstream>
#include <string>
#include <vector>

#include "base/format.h"
#include "transport/cluster_model.h"

using namespace leeway;

namespace {

/// The rows of the table between `<!-- NAME -->` and `<!-- end NAME -->`, without its two header
/// lines.
std::vector<std::string> rows_of(const std::string& name) {
  std::ifstream file("docs/profiles.md");
  std::vector<std::string> rows;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line == "<!-- end " + name + " -->") break;
    if (inside) rows.push_back(line);
    if (line == "<!-- " + name + " -->") inside = true;
  }
  REQUIRE(rows.size() > 2);
  return {rows.begin() + 2, rows.end()};
}

std::string listed(const std::vector<std::uint64_t>& numbers) {
  std::string text;
  for (const std::uint64_t number : numbers)
    text += (text.empty() ? "" : " ") + std::to_string(number);
  return text;
}

std::string row_of(const std::string& name) {
  const NetworkProfile profile = parse_profile(name).value();
  return format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |", name,
                listed(profile.latency_ns), profile.spike_per_million, profile.spike_base_bytes,
                listed(profile.spike_ns), profile.picoseconds_per_byte, profile.send_cost_ns,
                profile.receive_cost_ns, profile.send_ps_per_byte, profile.receive_ps_per_byte);
}

std::string row_of(const std::string& name, const CostModel& model) {
  return format("| {} | {} | {} | {} | {} | {} |", name, model.fetch_ps, model.store_ps,
                model.edge_ps, model.vertex_ps, model.byte_ps);
}

}  // namespace

TEST_CASE("the document's profiles are the code's") {
  CHECK(rows_of("profiles") == std::vector<std::string>{row_of("ideal"), row_of("infiniband"),
                                                        row_of("gigabit"), row_of("ec2")});
}

TEST_CASE("every profile that the help names is in the document") {
  std::ifstream file("docs/profiles.md");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  for (const ProfileHelp& help : profile_help()) {
    INFO(help.name);
    CHECK(text.find("### `" + std::string(help.name) + "`") != std::string::npos);
  }
}

TEST_CASE("the document's cost models are the code's") {
  CHECK(rows_of("costs") == std::vector<std::string>{row_of("default", CostModel{}),
                                                     row_of("tardis", CostModel::tardis())});
}
