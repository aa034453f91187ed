#include <unistd.h>
#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <string>

#include "leeway/graph.h"
#include "test/support/small_graphs.h"

using namespace leeway;

namespace {

/// A path of vertices 1, 2, 3, partitioned by a file with this text.
Result<Partition> divide(const std::string& text, std::uint32_t parts = 0) {
  const std::string path = "/tmp/leeway-owners-" + std::to_string(::getpid());
  std::ofstream(path, std::ios::binary) << text;
  const Graph graph =
      testing::graph_of(3, {{0, 1}, {1, 2}}, false, WeightKind::None, VertexNames::sequence(1, 3));
  PartitionOptions options;
  options.method = PartitionMethod::File;
  options.parts = parts;
  options.owner_file = path;
  auto result = partition_graph(graph, options);
  std::remove(path.c_str());
  return result;
}

std::string message(const Result<Partition>& result) {
  REQUIRE_FALSE(result);
  REQUIRE(result.error().exit_code() == 2);
  return result.error().to_string();
}

bool fails_with(const Result<Partition>& result, const std::string& words) {
  const std::string text = message(result);
  INFO(text);
  return text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("an owner file has a part per line, or a name and a part") {
  for (const std::string text :
       {"0\n2\n1\n", "# owners\r\n0\r\n2\r\n1", "1 0\n2\t2\n3 1\n", "3 1\n1 0\n2 2"}) {
    const Partition partition = divide(text).value();
    REQUIRE(partition.part_count == 3);
    REQUIRE(partition.owner[0] == PartId(0));
    REQUIRE(partition.owner[1] == PartId(2));
    REQUIRE(partition.owner[2] == PartId(1));
  }
  REQUIRE(divide("0\n0\n0\n", 5).value().part_count == 5);
}

TEST_CASE("an error in an owner file names file and line") {
  REQUIRE(fails_with(divide("0\nx\n1\n"), ":2: 'x' is not a part"));
  REQUIRE(fails_with(divide("0\n-1\n1\n"), ":2: '-1' is not a part"));
  REQUIRE(fails_with(divide("0\n1\n4294967295\n"), ":3: part 4294967295"));
  REQUIRE(fails_with(divide("0\n1\n2\n", 2), ":3: part 2, but there are only 2 parts"));
  REQUIRE(fails_with(divide("0\n1\n1\n1\n"), ":4: more lines"));
  REQUIRE(fails_with(divide("1 0\n9 1\n"), ":2: the graph has no vertex '9'"));
  REQUIRE(fails_with(divide("1 0\n1 1\n"), ":2: vertex '1' is named twice"));
  REQUIRE(fails_with(divide("1 0\n1\n"), ":2: '1' does not have the form"));
  REQUIRE(fails_with(divide("0\n"), "2 of 3 vertices have no owner"));
  REQUIRE(fails_with(divide(""), "3 of 3 vertices have no owner"));
  REQUIRE(fails_with(divide(std::string(3 << 20, 'a')), ":1: the line is longer than 1 MiB"));
}

TEST_CASE("a missing owner file and a directory are refused") {
  const Graph graph = testing::graph_of(1, {});
  PartitionOptions options;
  options.method = PartitionMethod::File;
  for (const std::string path : {"/nowhere/owners.txt", "/tmp"}) {
    options.owner_file = path;
    const auto result = partition_graph(graph, options);
    REQUIRE_FALSE(result);
    REQUIRE(result.error().where == path);
  }
}
