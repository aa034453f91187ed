// Broken files of every format: each is refused as an input error with file, line and remedy.
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "leeway/graph.h"

using namespace leeway;
namespace fs = std::filesystem;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

struct Broken {
  std::string name;  // the suffix selects the format
  std::string text;
  std::string message_part;  // expected part of the message
};

const std::string kReal = "%%MatrixMarket matrix coordinate real general\n";
const std::string kSymmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string kXml = "<graphml><graph edgedefault=\"undirected\">\n";

/// GAP's serialized graph; with weights, `neighbours` has pairs.
std::string sg(bool directed, const std::vector<std::int64_t>& offsets,
               const std::vector<std::int32_t>& neighbours) {
  std::string text(1, directed ? '\1' : '\0');
  const std::int64_t counts[] = {offsets.back(), static_cast<std::int64_t>(offsets.size()) - 1};
  text.append(reinterpret_cast<const char*>(counts), sizeof counts);
  text.append(reinterpret_cast<const char*>(offsets.data()), offsets.size() * sizeof offsets[0]);
  text.append(reinterpret_cast<const char*>(neighbours.data()),
              neighbours.size() * sizeof neighbours[0]);
  return text;
}

const std::vector<Broken> kBroken = {
    {"g.txt", "", "g.txt:1: the file is empty"},
    {"g.txt", "# nothing\n", "g.txt:1: the file holds no edges"},
    {"g.txt", "0 1\n2\n", "g.txt:2: the vertex id is missing"},
    {"g.txt", "0 1\n1 2 3\n", "g.txt:2: wrong number of columns"},
    {"g.txt", "0 1 2\n1 2\n", "g.txt:2: wrong number of columns"},
    {"g.txt", "1 2 3 4\n", "found 4 columns"},
    {"g.txt", "0\n", "found 1 column"},
    {"g.txt", "0 1\n2 x\n", "g.txt:2: 'x' is not a vertex id"},
    {"g.txt", "0 1\n2 3x\n", "g.txt:2: '3x' is not a vertex id"},
    {"g.txt", "0 1\n-2 3\n", "g.txt:2: '-2' is negative"},
    {"g.txt", "1.5 2\n", "g.txt:1: '1.5' is not a vertex id"},
    {"g.txt", "0 99999999999999999999\n", "g.txt:1: '99999999999999999999' is too large"},
    {"g.txt", "0 1 nan\n", "g.txt:1: 'nan' is not a finite weight"},
    {"g.txt", "0 1 1\n0 2 -inf\n", "g.txt:2: '-inf' is not a finite weight"},
    {"g.txt", "0 1 1e999\n", "g.txt:1: '1e999' is too large"},
    {"g.txt", "0 1 heavy\n", "g.txt:1: 'heavy' is not a weight"},
    {"g.txt", "# Nodes: 3 Edges: 5\n0 1\n1 2\n",
     "g.txt:1: the header states 5 edges, the file has 2"},
    {"g.txt", "# Nodes: 2 Edges: 2\n0 1\n1 2\n",
     "g.txt:1: the header states 2 vertices, the file has 3"},
    {"g.txt", "# Nodes: 1152921504606846976 Edges: 1\n0 1\n",
     "g.txt:1: 1152921504606846976 vertices"},
    {"g.txt", "# Nodes: 4000000000 Edges: 1\n0 1\n", "g.txt:1: the header states 4000000000"},
    {"g.txt", "0 1\n\xff\xfe 2\n", "g.txt:2: this is not UTF-8"},
    {"g.txt", std::string("\0\1\2\3", 4), "g.txt: binary data"},
    {"g.txt", "# leeway: colour=red\n0 1\n", "g.txt:1: 'colour=red' is not a known property"},

    {"m.mtx", "", "m.mtx:1: the file is empty"},
    {"m.mtx", "1 1 1\n1 1 1\n", "m.mtx:1: '1' in the banner"},
    {"m.mtx", "%%MatrixMarket matrix coordinate quaternion general\n",
     "'quaternion' in the banner"},
    {"m.mtx", kReal, "m.mtx:1: the size line is missing"},
    {"m.mtx", kReal + "2 2\n", "m.mtx:2: the size line has 2 numbers"},
    {"m.mtx", kReal + "2 -2 1\n", "m.mtx:2: '-2' is negative"},
    {"m.mtx", kReal + "2 2 1\n1 1\n", "m.mtx:3: the value is missing"},
    {"m.mtx", kReal + "2 2 1\n1 1 1 1\n", "m.mtx:3: wrong number of columns"},
    {"m.mtx", kReal + "2 2 1\n3 1 1\n", "m.mtx:3: row 3 is not between 1 and 2"},
    {"m.mtx", kReal + "2 2 1\n0 1 1\n", "m.mtx:3: row 0 is not between 1 and 2"},
    {"m.mtx", kReal + "2 2 1\n1 1 nan\n", "m.mtx:3: 'nan' is not a finite value"},
    {"m.mtx", kReal + "2 2 3\n1 1 1\n", "m.mtx:2: the header states 3 entries, the file has 1"},
    {"m.mtx", kReal + "2 2 1152921504606846976\n1 1 1\n",
     "m.mtx:2: the header states 1152921504606846976"},
    {"m.mtx", kReal + "1152921504606846976 1 1\n1 1 1\n", "m.mtx:2: the matrix has more rows"},
    {"m.mtx", kReal + "4000000000 4000000000 1\n1 1 1\n", "m.mtx:2: the header states"},
    {"m.mtx", kSymmetric + "2 2 2\n2 1 5\n1 2 5\n", "m.mtx:4: the matrix is symmetric, but"},
    {"m.mtx", kSymmetric + "2 3 1\n2 1 5\n", "m.mtx:2: a matrix that is not square"},
    {"m.mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 5\n",
     "m.mtx:3: a skew"},
    {"m.mtx", "%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n1 1 5\n",
     "m.mtx:1: only a complex matrix is hermitian"},
    {"m.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 3\n% and\n1 2 1.5\n",
     "m.mtx:5: the banner states integers, but 1.5 is not an integer"},
    {"m.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n",
     "the header states 4 entries, the file has 3"},
    {"m.mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n2\n", "m.mtx:4: more values"},
    {"m.mtx", kReal + "2 2 3\n2 1 5\n1 2 4\n% again\n2 1 6\n",
     "m.mtx:6: row 2, column 1 is listed here for the second time"},
    {"m.mtx", kReal + "2 3 3\n2 1 5\n1 2 4\n2 1 5\n", "m.mtx:5: row 2, column 1 is listed"},
    {"m.mtx", kSymmetric + "2 2 2\n2 1 5\n2 1 5\n", "m.mtx:4: row 2, column 1 is listed"},
    {"m.mtx", kReal + "%%GraphBLAS type int8_t\n1 2 2\n1 1 5\n1 2 1.5\n",
     "m.mtx:5: 1.5 does not fit the type int8_t"},
    {"m.mtx", kReal + "%%GraphBLAS type int8_t\n1 1 1\n1 1 128\n", "m.mtx:4: 128 does not fit"},
    {"m.mtx", kReal + "%%GraphBLAS GrB_UINT16\n1 1 1\n1 1 -1\n", "m.mtx:4: -1 does not fit"},
    {"m.mtx", kReal + "%%GraphBLAS type bool\n1 1 1\n1 1 2\n", "m.mtx:4: 2 does not fit"},
    {"m.mtx", kReal + "%%GraphBLAS type double complex\n1 1 1\n1 1 2\n",
     "m.mtx:2: the %%GraphBLAS line states the type double complex, but the banner states that the "
     "entries are not complex"},
    {"m.mtx", kReal + "%%GraphBLAS type int7\n1 1 1\n1 1 2\n",
     "m.mtx:2: GraphBLAS has no type 'int7'"},

    {"r.gr", "c only\n", "r.gr:1: there is no problem line"},
    {"r.gr", "a 1 2 3\n", "r.gr:1: an edge before the problem line"},
    {"r.gr", "p max 2 1\n", "r.gr:1: 'max' is not a kind"},
    {"r.gr", "p sp 2\n", "r.gr:1: the number of edges is missing"},
    {"r.gr", "p sp 2 1\na 1 2\n", "r.gr:2: the weight is missing"},
    {"r.gr", "p sp 2 1\na 1 3 1\n", "r.gr:2: vertex 3 is not between 1 and 2"},
    {"r.gr", "p sp 2 1\nx 1 2 1\n", "r.gr:2: 'x' does not begin an edge"},
    {"r.gr", "p sp 2 2\na 1 2 1\n", "r.gr:1: the header states 2 edges, the file has 1"},
    {"r.gr", "p sp 2 1\na 1 2 inf\n", "r.gr:2: 'inf' is not a finite weight"},
    {"r.gr", "p sp 1152921504606846976 1\na 1 2 1\n", "r.gr:1: 1152921504606846976 vertices"},
    {"r.gr", "p tw 4000000000 1\n1 2\n", "r.gr:1: the header states"},

    {"m.graph", "% only\n", "m.graph:1: the header is missing"},
    {"m.graph", "2\n2\n1\n", "m.graph:1: the header has 1 numbers"},
    {"m.graph", "2 1 7\n2\n1\n", "m.graph:1: fmt 7 is not valid"},
    {"m.graph", "3 2 100\n2\n1 3\n2\n",
     "m.graph:1: the header states 2 edges, the file has 1 (according to fmt, the first number of "
     "each line is not read as a neighbour); correct fmt"},
    {"m.graph", "2 1\n2\n3\n", "m.graph:3: neighbour 3 is not between 1 and 2"},
    {"m.graph", "2 1\n2\n0\n", "m.graph:3: neighbour 0 is not between 1 and 2"},
    {"m.graph", "2 1 1\n2\n1\n", "m.graph:2: the edge weight is missing"},
    {"m.graph", "2 1\n2 x\n1\n", "m.graph:2: 'x' is not a neighbour"},
    {"m.graph", "3 1\n2\n1\n1\n2\n", "more lines than the 3 vertices"},
    {"m.graph", "5 1\n2\n1\n", "m.graph:1: the header states 5 vertices, the file has 2"},
    {"m.graph", "2 4\n2\n1\n", "m.graph:1: the header states 4 edges, the file has 1"},
    {"m.graph", "3 1\n2\n3\n\n", "vertex 1 lists 2, but 2 does not list 1"},
    {"m.graph", "3 2\n2 3\n1\n\n", "vertex 1 lists 3, but 3 does not list 1"},
    {"m.graph", "3 2\n2 3\n1\n", "vertex 1 lists 3, but 3 does not list 1"},
    {"m.graph", "3 5\n2 3\n1\n1\n", "the header states 5 edges, the file has 2"},
    {"m.graph", "3 2 001\n2 5 3 6\n1 5\n1 7\n", "vertices 1 and 3 list the edge between them"},
    {"m.graph", "1152921504606846976 1\n2\n1\n", "m.graph:1: 1152921504606846976 vertices"},

    {"u.csv", "userId,movieId,rating\n1,2,x\n", "u.csv:2: 'x' is not a rating"},
    {"u.csv", "userId,movieId,rating\n1,2\n", "u.csv:2: the rating is missing"},
    {"u.csv", "userId,movieId,rating\n", "u.csv:1: the file holds no ratings"},
    {"j.csv", "2,1,2,99,99,99,99,99,99,99,99\n3,1,2,99,99,99,99,99,99,99,99\n",
     "j.csv:2: the line begins with 3 ratings but has 2"},
    {"j.csv", "2,1,2,99,99,99,99,99,99,99,99\n1,1,99\n", "j.csv:2: the rating is missing"},

    {"g.sg", "\x07", "the file ends early"},
    {"g.sg", sg(false, {0, 1, 3, 4}, {1, 0, 0, 1}),
     "g.sg: vertex 2 lists 1, but 1 does not list 2, although"},
    {"g.sg", sg(false, {0, 1, 3, 4}, {1, 0, 2, 0}),
     "g.sg: vertex 1 lists 2, but 2 does not list 1, although"},
    {"g.sg", sg(false, {0, 2, 3}, {1, 1, 0}),
     "vertices 0 and 1 list the edge between them a different number of times"},
    {"g.wsg", sg(false, {0, 1, 2}, {1, 5, 0, 6}),
     "or with different weights; write the file again"},
    {"d.gr", "c leeway: directed=no\np sp 3 2\na 1 2 5\na 2 3 5\n",
     "d.gr:2: vertex 1 lists 2, but 2 does not list 1, although"},
    {"d.gr", "c leeway: directed=no\np sp 2 2\na 1 2 5\na 2 1 6\n",
     "d.gr:2: vertices 1 and 2 list"},
    {"g.sg",
     std::string("\x00\xff\xff\xff\xff\xff\xff\xff\x0f\x01\x00\x00\x00\x00\x00\x00\x00", 17),
     "the file ends early"},
    {"g.wsg", std::string(40, '\xff'), "the header holds impossible values"},

    {"x.graphml", "<graphml><graph>", "x.graphml:1: "},
    {"x.graphml", "<graphml/>", "x.graphml:1: there is no <graph>"},
    {"x.graphml", kXml + "<node id=\"a\"/><node id=\"a\"/></graph></graphml>",
     "x.graphml:2: two nodes have the id 'a'"},
    {"x.graphml", kXml + "<node id=\"a\"/>\n<edge source=\"a\" target=\"b\"/></graph></graphml>",
     "x.graphml:3: the edge's target 'b' is not a node"},
    {"g.txt.gz", "0 1\n", "the first bytes are not compressed"},
    {"g.txt.gz", "", "the archive is empty"},
    {"g.txt.zst", "\x28\xb5\x2f\xfd", "ends early"},
    {"g.txt", std::string("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x33", 11), "ends early"},
};

// Small files that claim to be huge, or contain impossible sizes.
const std::vector<std::pair<std::string, std::string>> kHostile = {
    {"g.txt", "# Nodes: 1152921504606846976 Edges: 1152921504606846976\n0 1\n"},
    {"g.txt", "# Nodes: 4200000000 Edges: 1\n0 1\n"},
    {"g.txt", "0 4294967293\n\n#\n0 1 2\n"},
    {"g.txt", "# leeway: left=1152921504606846976 ids=indices\n0 4294967290\n0 1 2\n"},
    {"g.gr", "p sp 1152921504606846976 1152921504606846976\na 1 2 1\n"},
    {"g.gr", "p tw 4200000000 1\n1 2\n"},
    {"g.gr", "p sp 2 1152921504606846976\na 1 2 1\n"},
    {"g.graph", "1152921504606846976 1152921504606846976\n2\n1\n"},
    {"g.graph", "4200000000 1\n2\n1\n"},
    {"g.graph", "2 1 11 1152921504606846976\n2\n1\n"},
    {"m.mtx", kReal + "1152921504606846976 1152921504606846976 1152921504606846976\n1 1 1\n"},
    {"m.mtx", kReal + "4200000000 4200000000 1\n1 1 1\n"},
    {"m.mtx", "%%MatrixMarket matrix array real general\n1000000000 4\n1\n"},
    {"m.mtx",
     "%%MatrixMarket matrix array real general\n1152921504606846976 1152921504606846976\n1\n"},
    {"g.sg", std::string("\x00", 1) + std::string(16, '\x7f')},
    {"g.wsg", std::string("\x01\x00\x00\x00\x10\x00\x00\x00\x10", 9) + std::string(16, '\x10')},
    {"g.lwg", "LEEWAYG\n" + std::string(400, '\x7f')},
    {"j.csv", "1152921504606846976,1,2,99,99,99,99,99,99,99,99\n"},
    {"x.graphml", kXml + std::string(20'000, '<')},
};

struct Cost {
  double seconds;
  std::int64_t bytes;  ///< increase of the resident memory
  int exit_code;
};

std::int64_t peak_bytes() {
  ::rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

double processor_seconds() {
  ::timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Loads in a child process, so that the peak memory of one load does not hide that of the next.
Cost cost_of_loading(const std::string& name, const std::string& text) {
  std::array<int, 2> pipe{};
  REQUIRE(::pipe(pipe.data()) == 0);
  const ::pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const std::int64_t bytes = peak_bytes();
    const double began = processor_seconds();
    LoadOptions options;
    options.threads = 1;
    const auto graph = load_graph_from_memory(text, name, options);
    const Cost cost{processor_seconds() - began, peak_bytes() - bytes,
                    graph ? 0 : graph.error().exit_code()};
    ::_exit(::write(pipe[1], &cost, sizeof cost) == sizeof cost ? 0 : 1);
  }
  Cost cost{};
  REQUIRE(::read(pipe[0], &cost, sizeof cost) == sizeof cost);
  ::close(pipe[0]);
  ::close(pipe[1]);
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  return cost;
}

}  // namespace

TEST_CASE("a broken file is refused with its place, a reason and a remedy") {
  for (const auto& broken : kBroken) {
    CAPTURE(broken.name, broken.text);
    const auto begin = std::chrono::steady_clock::now();
    const auto graph = load_graph_from_memory(broken.text, broken.name, {});
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    REQUIRE_FALSE(graph);
    const std::string message = graph.error().to_string();
    CAPTURE(message);
    CHECK(message.find(broken.message_part) != std::string::npos);
    CHECK(message.starts_with(broken.name.substr(0, 3)));
    CHECK(graph.error().exit_code() == 2);
    CHECK_FALSE(graph.error().remedy.empty());
    CHECK(spent.count() < 10.0);  // hostile headers have a separate time limit
  }
}

// Pages that are reused are counted once, so each load runs in a child process, whose peak is
// measured.
TEST_CASE("a hostile header costs at most 50 ms and 50 MiB, whatever it asks for", "[clock]") {
  const double slowdown = kSanitized ? 20 : 1;
  for (const auto& [name, text] : kHostile) {
    CAPTURE(name, text.substr(0, 80));
    const auto [seconds, bytes, exit_code] = cost_of_loading(name, text);
    CHECK(exit_code == 2);
    CHECK(seconds < 0.05 * slowdown);
    if (!kSanitized) CHECK(bytes < std::int64_t{50} << 20);
  }
}

TEST_CASE("a missing file and a directory are input errors") {
  CHECK(load_graph("/nonexistent/graph.txt", {}).error().exit_code() == 2);
  const auto folder = load_graph(fs::temp_directory_path(), {});
  REQUIRE_FALSE(folder);
  CHECK(folder.error().to_string().find("directory") != std::string::npos);
}

TEST_CASE(
    "a given format overrides the suffix, and an unknown one is refused with the nearest name") {
  LoadOptions options;
  options.format = "metis";
  CHECK(load_graph_from_memory("2 1\n2\n1\n", "odd.txt", options).value().edge_count() == 1);
  options.format = "metsi";
  CHECK(load_graph_from_memory("2 1\n2\n1\n", "odd.txt", options).error().remedy.find("metis") !=
        std::string::npos);
}

TEST_CASE("a writer that fails leaves no file") {
  const auto graph = load_graph_from_memory("0 1\n", "g.txt", {}).value();
  CHECK_FALSE(write_graph(graph, "/nonexistent/out.txt"));
  CHECK(write_graph(graph, "", "metis").error().exit_code() == 2);
  const fs::path folder =
      fs::temp_directory_path() / ("leeway-writer-" + std::to_string(::getpid()));
  fs::create_directory(folder);
  CHECK_FALSE(write_graph(graph, folder / "out.txt", "excel"));
  CHECK(fs::is_empty(folder));
  fs::create_directory(folder / "taken");
  CHECK_FALSE(write_graph(graph, folder / "taken"));  // a directory has this name
  CHECK(std::distance(fs::directory_iterator(folder), fs::directory_iterator()) == 1);
  fs::remove_all(folder);
}
