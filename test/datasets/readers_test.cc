#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "leeway/graph.h"

using namespace leeway;
namespace fs = std::filesystem;

namespace {

Graph parsed(const std::string& text, const std::string& name, const LoadOptions& options = {}) {
  auto graph = load_graph_from_memory(text, name, options);
  if (!graph) FAIL(graph.error().to_string());
  return std::move(*graph);
}

/// "a>b:weight" for every arc, with vertex names.
std::vector<std::string> arcs(const Graph& graph) {
  std::vector<std::string> all;
  for (std::uint32_t v = 0; v < graph.vertex_count(); ++v) {
    for (std::uint64_t i = graph.offsets()[v]; i < graph.offsets()[v + 1]; ++i) {
      std::string arc =
          graph.names().name(VertexId(v)) + ">" + graph.names().name(graph.targets()[i]);
      if (graph.weighted()) arc += ":" + std::to_string(static_cast<int>(graph.weights()[i]));
      all.push_back(arc);
    }
  }
  return all;
}

using Arcs = std::vector<std::string>;

}  // namespace

TEST_CASE("edge lists may have tabs, blanks, commas, comments, CRLF and no final newline") {
  for (const std::string text :
       {"0 1\n1 2\n", "0\t1\r\n1\t2\r\n", "# c\n0,1\n% d\n\n1, 2", "source,target\n0,1\n1,2"}) {
    CAPTURE(text);
    CHECK(arcs(parsed(text, "g.txt")) == Arcs{"0>1", "1>2"});
  }
}

TEST_CASE("a header's direction and vertex count are used, and isolated vertices are kept") {
  const auto graph = parsed("# Undirected graph\n# Nodes: 5 Edges: 1\n0 3\n", "g.txt");
  CHECK_FALSE(graph.directed());
  CHECK(graph.vertex_count() == 5);
  CHECK(graph.edge_count() == 1);
  CHECK(parsed("# Nodes: 3 Edges: 1\n1 3\n", "g.txt").names().first() == 1);
}

TEST_CASE("sparse, 64-bit and string ids are kept as vertex names") {
  CHECK(arcs(parsed("70 5\n5 9\n", "g.txt")) == Arcs{"5>9", "70>5"});
  CHECK(arcs(parsed("4000000000 7\n", "g.txt")) == Arcs{"4000000000>7"});
  CHECK(arcs(parsed("1152921504606846976 7\n", "g.txt")) == Arcs{"1152921504606846976>7"});
  CHECK(arcs(parsed("zoe ann 3\nann bob 4\n", "g.txt")) == Arcs{"zoe>ann:3", "ann>bob:4"});
}

TEST_CASE("an infinite weight is accepted if the file declares weights") {
  CHECK(parsed("# Undirected weighted graph\n0 1 inf\n", "g.txt").weight_kind() ==
        WeightKind::Real);
  CHECK_FALSE(load_graph_from_memory("# unweighted\n0 1 inf\n", "g.txt", {}));
}

TEST_CASE("each symmetry of a matrix is expanded") {
  const std::string banner = "%%MatrixMarket matrix coordinate ";
  CHECK(arcs(parsed(banner + "real general\n2 2 1\n2 1 5\n", "m.mtx")) == Arcs{"2>1:5"});
  CHECK(arcs(parsed(banner + "pattern symmetric\n2 2 2\n1 1\n2 1\n", "m")) ==
        Arcs{"1>1", "1>2", "2>1"});
  CHECK(arcs(parsed(banner + "integer skew-symmetric\n2 2 1\n2 1 5\n", "m.mtx")) ==
        Arcs{"1>2:-5", "2>1:5"});
  const std::string array = "%%MatrixMarket matrix array real ";
  CHECK(arcs(parsed(array + "general\n2 2\n1\n2\n0\n4\n", "m.mtx")) ==
        Arcs{"1>1:1", "2>1:2", "2>2:4"});
  CHECK(arcs(parsed(array + "symmetric\n2 2\n1\n2\n4\n", "m.mtx")) ==
        Arcs{"1>1:1", "1>2:2", "2>1:2", "2>2:4"});
  const auto wide = parsed(banner + "real general\n1 2 1\n1 2 5\n", "m.mtx");
  CHECK(wide.left_count() == 1);
  CHECK(wide.vertex_count() == 3);
}

TEST_CASE("complex values are refused, unless only the structure is read") {
  struct Case {
    std::string text, name, place;
    Arcs structure;
  };
  const std::string banner = "%%MatrixMarket matrix ";
  const std::string note = "leeway: directed=yes weights=complex first=1\n";
  LoadOptions structure;
  structure.weights = Weights::None;
  for (const Case& each : std::vector<Case>{
           {banner + "coordinate complex general\n2 2 1\n2 1 5 7\n", "m.mtx", "m.mtx:1", {"2>1"}},
           {banner + "coordinate complex symmetric\n2 2 2\n1 1 0 0\n2 1 5 7\n",
            "m.mtx",
            "m.mtx:1",
            {"1>1", "1>2", "2>1"}},
           {banner + "coordinate complex hermitian\n2 2 1\n2 1 5 7\n",
            "m.mtx",
            "m.mtx:1",
            {"1>2", "2>1"}},
           {banner + "coordinate complex skew-symmetric\n2 2 1\n2 1 5 7\n",
            "m.mtx",
            "m.mtx:1",
            {"1>2", "2>1"}},
           {banner + "array complex general\n2 2\n0 0\n0 7\n5 0\n-1 1\n",
            "m.mtx",
            "m.mtx:1",
            {"1>2", "2>1", "2>2"}},
           {banner + "coordinate complex general\n%%GraphBLAS type double complex\n% " + note +
                "2 2 1\n2 1 inf 7\n",
            "m.mtx",
            "m.mtx:1",
            {"2>1"}},
           {"# " + note + "1 2 5 7\n2 1 0 inf\n", "g.txt", "g.txt:1", {"1>2", "2>1"}},
           {"c a\nc " + note + "p sp 2 1\na 1 2 5 7\n", "g.gr", "g.gr:2", {"1>2"}},
           {"% " + note + "2 2 1\n2 5 7\n1 0 -1e9\n", "g.graph", "g.graph:1", {"1>2", "2>1"}}}) {
    CAPTURE(each.text);
    const auto refused = load_graph_from_memory(each.text, each.name, {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().exit_code() == 2);
    CHECK(refused.error().to_string() ==
          each.place +
              ": its values are complex numbers, which no program uses; give --weights none to "
              "read only the structure");
    CHECK(arcs(parsed(each.text, each.name, structure)) == each.structure);
  }
}

TEST_CASE("the kind of a DIMACS problem determines the direction") {
  CHECK(arcs(parsed("c x\np sp 2 1\na 1 2 7\n", "g.gr")) == Arcs{"1>2:7"});
  CHECK(arcs(parsed("p tw 2 1\n1 2\n", "g.gr")) == Arcs{"1>2", "2>1"});
  CHECK(arcs(parsed("p edge 2 1\ne 1 2\n", "g.txt")) == Arcs{"1>2", "2>1"});
}

TEST_CASE("METIS files may have weights of edges and vertices, sizes and blank lines") {
  CHECK(arcs(parsed("3 1\n3\n\n1\n", "g.graph")) == Arcs{"1>3", "3>1"});
  CHECK(arcs(parsed("%c\n2 1 1\n2 5\n1 5\n", "g.graph")) == Arcs{"1>2:5", "2>1:5"});
  for (const char* sized : {"3 1 100\n7 3\n8\n9 1\n", "3 1 100 1\n7 3\n\n9 1\n"})
    CHECK(arcs(parsed(sized, "g.graph")) == Arcs{"1>3", "3>1"});
  CHECK(arcs(parsed("2 1 101\n7 2 5\n8 1 5\n", "g.graph")) == Arcs{"1>2:5", "2>1:5"});
  CHECK(arcs(parsed("2 1 110\n7 4 2\n8 4 1\n", "g.graph")) == Arcs{"1>2", "2>1"});
  CHECK(arcs(parsed("2 1 111 2\n9 8 7 2 5\n9 8 7 1 5", "g.graph")) == Arcs{"1>2:5", "2>1:5"});
  CHECK(parsed("3 1\n2\n1\n", "g.graph").vertex_count() == 3);  // the last, blank line is vertex 3
}

TEST_CASE("ratings and Jester's matrix become bipartite graphs, users first") {
  const Arcs expected = {"u1>i5:3", "u2>i5:4", "i5>u1:3", "i5>u2:4"};
  CHECK(arcs(parsed("userId,movieId,rating,timestamp\n1,5,3,964982703\n2,5,4,1\n", "x.csv")) ==
        expected);
  CHECK(arcs(parsed("1::5::3::978300760\n2::5::4::978300760\n", "x.dat")) == expected);
  CHECK(arcs(parsed("1\t5\t3\t881250949\n2\t5\t4\t881250949\n", "u.data")) == expected);
  CHECK(arcs(parsed("1 5 3\n2 5 4\n", "my-ratings.txt")) == expected);
  const auto jester =
      parsed("2,1.5,99,99,99,99,99,99,99,99,-2\n0,99,99,99,99,99,99,99,99,99,99\n", "j.csv");
  CHECK(jester.left_count() == 2);
  CHECK(jester.vertex_count() == 12);
  CHECK(jester.edge_count() == 2);
}

TEST_CASE("GAP's serialized graphs are read with and without weights") {
  const auto bytes = [](auto... values) {
    std::string text;
    (text.append(reinterpret_cast<const char*>(&values), sizeof values), ...);
    return text;
  };
  using I64 = std::int64_t;
  const auto plain = bytes(false, I64{2}, I64{2}, I64{0}, I64{1}, I64{2}, 1, 0);
  CHECK(arcs(parsed(plain, "g.sg")) == Arcs{"0>1", "1>0"});
  const auto weighted =
      bytes(true, I64{1}, I64{2}, I64{0}, I64{1}, I64{1}, 1, 7, I64{0}, I64{0}, I64{1}, 0, 7);
  CHECK(arcs(parsed(weighted, "g.wsg")) == Arcs{"0>1:7"});
  CHECK_FALSE(load_graph_from_memory(plain + "x", "g.sg", {}));
}

TEST_CASE("GraphML gives nodes, edges, direction and the weight key") {
  const std::string text =
      R"(<?xml version="1.0"?><graphml><key id="d0" for="edge" attr.name="weight" attr.type="int"/>
<graph edgedefault="directed"><node id="n0"/><node id="n1"/><node id="lone"/>
<edge source="n0" target="n1"><data key="d0"> 4 </data></edge></graph></graphml>)";
  const auto graph = parsed(text, "g.xml");
  CHECK(arcs(graph) == Arcs{"n0>n1:4"});
  CHECK(graph.vertex_count() == 3);
  CHECK(graph.weight_kind() == WeightKind::Integer);
}

TEST_CASE("a repeated entry in a Matrix Market file is accepted on request") {
  const std::string text =
      "%%MatrixMarket matrix coordinate real general\n2 2 3\n2 1 5\n1 2 4\n2 1 6\n";
  LoadOptions options;
  CHECK(!load_graph_from_memory(text, "m.mtx", options).has_value());
  options.duplicates = Duplicates::Keep;
  CHECK(arcs(load_graph_from_memory(text, "m.mtx", options).value()) ==
        Arcs{"1>2:4", "2>1:5", "2>1:6"});
  options.duplicates = Duplicates::Merge;
  CHECK(arcs(load_graph_from_memory(text, "m.mtx", options).value()) == Arcs{"1>2:4", "2>1:11"});
}

TEST_CASE("a GraphBLAS type that fits the values has no effect") {
  const std::string banner = "%%MatrixMarket matrix coordinate ";
  for (const char* type : {"type int8_t", "GrB_UINT8", "type double", "type FP32", "type bool",
                           "exported by a program"}) {
    CAPTURE(type);
    CHECK(arcs(parsed(banner + "integer general\n%%GraphBLAS " + type + "\n2 2 1\n1 2 1\n",
                      "m.mtx")) == Arcs{"1>2:1"});
    CHECK(arcs(parsed(banner + "pattern general\n%%GraphBLAS " + type + "\n2 2 1\n1 2\n",
                      "m.mtx")) == Arcs{"1>2"});
  }
}

TEST_CASE("LDBC graphs are read from either file or their common stem") {
  const fs::path folder = fs::temp_directory_path() / ("leeway-ldbc-" + std::to_string(::getpid()));
  fs::create_directory(folder);
  std::ofstream(folder / "g.v") << "2\n10\n3\n";
  std::ofstream(folder / "g.e") << "2 3 5\n";
  std::ofstream(folder / "g.properties") << "graph.g.directed = false\n";
  for (const char* name : {"g.v", "g.e", "g.properties", "g"}) {
    const auto graph = load_graph(folder / name, {}).value();
    CHECK(arcs(graph) == Arcs{"2>3:5", "3>2:5"});
    CHECK(graph.vertex_count() == 3);
  }
  // The .e file of a graph without edges is empty.
  std::ofstream(folder / "g.e") << "";
  for (const char* name : {"g.v", "g.e", "g.properties", "g"}) {
    CAPTURE(name);
    const auto graph = load_graph(folder / name, {});
    REQUIRE(graph.has_value());
    CHECK(graph->vertex_count() == 3);
    CHECK(graph->edge_count() == 0);
  }
  const auto refused = [&](const char* properties, const char* message) {
    std::ofstream(folder / "g.properties") << properties;
    std::ofstream(folder / "g.e") << "2 3\n2 10\n";
    const auto graph = load_graph(folder / "g", {});
    REQUIRE(!graph.has_value());
    CHECK_THAT(graph.error().to_string(), Catch::Contains(message));
  };
  refused("graph.g.meta.vertices = 3\ngraph.g.meta.edges = 99\n",
          "g.properties:2: the properties state 99 edges, but the graph has 2");
  refused("# counts\ngraph.g.meta.vertices = 4\n", "g.properties:2: the properties state 4");
  refused("graph.g.meta.edges = many\n", "g.properties:1: graph.g.meta.edges is 'many'");
  refused("graph.g.directed = maybe\n", "g.properties:1: graph.g.directed is 'maybe'");
  refused("graph.g.edge-file\n", "g.properties:1: 'graph.g.edge-file' has no '='");
  std::ofstream(folder / "g.properties")
      << "graph.g.vertex-file = g.v\ngraph.g.edge-file = h.e\ngraph.g.meta.edges = 1\n";
  std::ofstream(folder / "h.e") << "3 2\n";
  CHECK(arcs(load_graph(folder / "g", {}).value()) == Arcs{"3>2"});
  fs::remove(folder / "g.properties");
  std::ofstream(folder / "g.e") << "2 3\n2 4\n";
  CHECK(load_graph(folder / "g.v", {})
            .error()
            .to_string()
            .find("g.e:2: vertex 4 is not in the .v file") != std::string::npos);
  fs::remove_all(folder);
}

TEST_CASE("every format preserves direction, names, loops, duplicates and isolated vertices") {
  const std::vector<std::pair<std::string, std::string>> graphs = {
      {"# Undirected graph\n# Nodes: 6 Edges: 4\n0 3 2.5\n3 3 1\n1 0 4\n1 0 5\n", "g.txt"},
      {"70 5\n5 9\n9 9\n", "g.txt"},
      {"zoe ann 3\nann bob 4\n", "g.txt"},
      {"# Nodes: 3 Edges: 0\n", "g.txt"},
      {"%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 1e-300\n3 3 -0.1\n", "m.mtx"},
      {"userId,movieId,rating\n1,5,3\n2,5,4.5\n", "r.csv"},
      {"<graphml><graph edgedefault=\"directed\"><node id=\"a b\"/><node id=\"7\"/><edge "
       "source=\"7\" target=\"a b\"/></graph></graphml>",
       "g.xml"},
      {"# weighted\n10 20 inf\n", "g.txt"},
  };
  const fs::path copy =
      fs::temp_directory_path() / ("leeway-writers-" + std::to_string(::getpid()));
  for (const auto& [text, name] : graphs) {
    const auto graph = parsed(text, name);
    for (const auto& format : writable_formats()) {
      if (format.name == "csv" || format.name == "npz")
        continue;  // formats of other tools, compared below
      for (const std::string suffix : {"", ".gz", ".zst", ".xz"}) {
        if (!suffix.empty() && &text != &graphs.front().first)
          continue;  // compression is tested with one graph
        CAPTURE(text, format.name, suffix);
        const fs::path path = copy.string() + suffix;
        const auto written = write_graph(graph, path, std::string(format.name));
        if (!written) FAIL(written.error().to_string());
        LoadOptions options;
        options.format = std::string(format.name);
        const auto again = load_graph(path, options);
        if (!again) FAIL(again.error().to_string());
        CHECK(*again == graph);
        fs::remove(path);
      }
    }
  }
}

TEST_CASE("an edge list states names that begin with a letter or an underscore as they are") {
  const fs::path path =
      fs::temp_directory_path() / ("leeway-names-" + std::to_string(::getpid()) + ".txt");
  for (const std::string text : {"_zoe ann\nann _bob\n", "Zoe \303\274ber\n\303\274ber _\n"}) {
    const Graph graph = parsed(text, "g.txt");
    REQUIRE(write_graph(graph, path));
    std::ifstream file(path);
    const std::string written((std::istreambuf_iterator<char>(file)), {});
    CHECK(written.find("ids=indices") == std::string::npos);
    CHECK(load_graph(path, {}).value() == graph);
  }
  fs::remove(path);
}

TEST_CASE("CSV and SciPy's matrices preserve what they can represent") {
  const fs::path folder =
      fs::temp_directory_path() / ("leeway-tables-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const auto back = [&](const std::string& text, const std::string& name) {
    const fs::path path = folder / name;
    REQUIRE(write_graph(parsed(text, "g.txt"), path));
    return load_graph(path, {}).value();
  };
  for (const std::string text :
       {"70 5\n5 9\n9 9\n", "zoe ann 3\nann bob 4\n", "0 1 2.5\n1 0 -1e-300\n0 1 2.5\n"})
    CHECK(back(text, "g.csv") == parsed(text, "g.txt"));
  for (const std::string text :
       {"0 1 2.5\n1 2 -1e-300\n", "0 1 3\n1 2 4\n0 1 3\n", "# Nodes: 4 Edges: 1\n0 1 7\n"})
    CHECK(back(text, "g.npz") == parsed(text, "g.txt"));
  CHECK(arcs(back("5 7\n", "g.npz")) == Arcs{"0>1:1"});
  for (const std::string name : {"g.graphml", "g.parquet", "g.csv.bz2"})
    CHECK(write_graph(parsed("0 1\n", "g.txt"), folder / name).error().exit_code() == 2);
  fs::remove_all(folder);
}

TEST_CASE("tables exported by spreadsheets are read") {
  CHECK(arcs(parsed("\xEF\xBB\xBFsource;target;weight\r\n\"a;b\";\"cry \"\"c\"\"\";5\r\n",
                    "g.csv")) == Arcs{"a;b>cry \"c\":5"});
  CHECK(arcs(parsed("a b,c\n", "g.csv")) == Arcs{"a b>c"});
  CHECK(arcs(parsed("# Undirected\n0,1\n", "g.csv")) == Arcs{"0>1", "1>0"});
  CHECK(arcs(parsed("1,\"2\"\n3,1\n", "x.txt")) == Arcs{"1>2", "3>1"});
  LoadOptions options;
  options.columns = "to,from";
  CHECK(arcs(parsed("from,note,to\n1,\"x, y\",2\n", "g.txt", options)) == Arcs{"2>1"});
  for (const std::string text :
       {"a,\"b\n", "a,\"b\"c\n", "a,b\nc\n", "1,2\n\"\",3\n", "1,2\nx,3\n"})
    CHECK_FALSE(load_graph_from_memory(text, "g.csv", {}));
}

TEST_CASE("the graph read does not depend on the number of threads") {
  std::string text;
  for (int i = 0; i < 200000; ++i)
    text += std::to_string(i * 7919 % 50021) + "\t" + std::to_string(i * 31 % 49999) + "\n";
  LoadOptions one;
  one.threads = 1;
  LoadOptions five;
  five.threads = 5;
  CHECK(parsed(text, "g.txt", one) == parsed(text, "g.txt", five));
  text += "1 x\n";
  CHECK(load_graph_from_memory(text, "g.txt", five).error().where == "g.txt:200001");
}
