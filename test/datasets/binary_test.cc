#include "datasets/binary.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/random.h"
#include "test/support/small_graphs.h"

using namespace leeway;
using leeway::testing::random_graph;

namespace {

/// A temporary folder, removed at the end of the test.
struct Folder {
  Folder()
      : path(std::filesystem::temp_directory_path() /
             ("leeway-binary-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return path / name; }
  std::filesystem::path path;
};

VertexNames some_names(NameKind kind, std::uint32_t count) {
  if (kind == NameKind::Sequence) return VertexNames::sequence(17, count);
  std::vector<std::uint64_t> numbers;
  std::string text;
  std::vector<VertexId> order;
  for (std::uint32_t v = 0; v < count; ++v) {
    numbers.push_back(kind == NameKind::Numbers ? v * 1'000'000'007ull : text.size());
    text += "v" + std::to_string(1000 + (v * 7919) % 1000);
    order.push_back(VertexId(v));
  }
  if (kind == NameKind::Numbers)
    return VertexNames::numbers(Array<std::uint64_t>::copy_of(numbers).value());
  numbers.push_back(text.size());
  std::sort(order.begin(), order.end(), [](VertexId a, VertexId b) {
    return (a.value() * 7919) % 1000 < (b.value() * 7919) % 1000;
  });
  return VertexNames::strings(Array<std::uint64_t>::copy_of(numbers).value(),
                              Array<char>::copy_of(text).value(),
                              Array<VertexId>::copy_of(order).value());
}

Partition random_partition(const Graph& graph, std::uint32_t parts) {
  PartitionOptions options;
  options.method = PartitionMethod::Random;
  options.parts = parts;
  return partition_graph(graph, options).value();
}

std::vector<char> slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void spill(const std::string& path, const std::vector<char>& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// After a change to the header page: recomputes its checksum, as an attacker would.
void seal_header(std::vector<char>& bytes) {
  using namespace binary_format;
  const auto sum = checksum(std::as_bytes(std::span(bytes)).first(kHeaderChecksumAt));
  std::memcpy(bytes.data() + kHeaderChecksumAt, &sum, sizeof sum);
}

/// After a change inside a section: recomputes block, list and header checksums.
void seal_all(std::vector<char>& bytes) {
  using namespace binary_format;
  BinaryHeader header{};
  std::memcpy(&header, bytes.data(), sizeof header);
  std::vector<SectionEntry> table(header.section_count);
  std::memcpy(table.data(), bytes.data() + sizeof header, table.size() * sizeof(SectionEntry));
  std::vector<std::uint64_t> sums;
  const auto all = std::as_bytes(std::span(bytes));
  for (const SectionEntry& entry : table) {
    const auto section = all.subspan(entry.offset, entry.bytes);
    if (entry.kind == static_cast<std::uint32_t>(Section::Checksums)) {
      std::memcpy(bytes.data() + entry.offset, sums.data(), sums.size() * 8);
      header.checksums_checksum = checksum(section);
      continue;
    }
    for (std::uint64_t b = 0; b < block_count(entry.bytes); ++b)
      sums.push_back(checksum(block_of(section, b)));
  }
  std::memcpy(bytes.data(), &header, sizeof header);
  seal_header(bytes);
}

std::uint64_t section_offset(const std::vector<char>& bytes, binary_format::Section kind) {
  using namespace binary_format;
  for (std::size_t i = 0; i < kSectionKinds; ++i) {
    SectionEntry entry{};
    std::memcpy(&entry, bytes.data() + sizeof(BinaryHeader) + i * sizeof entry, sizeof entry);
    if (entry.kind == static_cast<std::uint32_t>(kind)) return entry.offset;
  }
  return 0;
}

std::string refusal(const std::string& path) {
  const auto graph = open_binary(path);
  REQUIRE_FALSE(graph);
  REQUIRE(graph.error().exit_code() == 2);
  REQUIRE_FALSE(graph.error().remedy.empty());
  return graph.error().to_string();
}

bool contains(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("writing and reading a file preserves every kind of graph") {
  const Folder folder;
  const std::string path = folder.file("g.lwg");
  std::uint64_t seed = 1;
  for (const auto weights : {WeightKind::None, WeightKind::Integer, WeightKind::Real}) {
    for (const auto names : {NameKind::Sequence, NameKind::Numbers, NameKind::Strings}) {
      for (const std::uint32_t vertices : {0u, 1u, 2u, 60u}) {
        ++seed;
        const Graph graph = random_graph(seed, vertices, 4 * vertices, seed % 2 == 0, weights,
                                         some_names(names, vertices));
        REQUIRE(write_binary(graph, path));
        REQUIRE(open_binary(path).value() == graph);
        const Partition partition = random_partition(graph, 3);
        REQUIRE(write_binary(graph, path, &partition));
        REQUIRE(open_binary(path).value() == graph);
        const Partition back = open_binary_partition(path).value();
        REQUIRE(std::equal(back.owner.begin(), back.owner.end(), partition.owner.begin(),
                           partition.owner.end()));
      }
    }
  }
}

TEST_CASE("a part holds its vertices' arcs and no others") {
  const Folder folder;
  const std::string path = folder.file("g.lwg");
  const Graph graph = random_graph(4, 90, 500, true, WeightKind::Real);
  const Partition partition = random_partition(graph, 4);
  REQUIRE(write_binary(graph, path, &partition));
  std::vector<VertexId> original;  // the original id of every vertex, in file order
  std::vector<BinaryPart> parts;
  for (std::uint32_t p = 0; p < 4; ++p) {
    parts.push_back(open_binary_part(path, PartId(p)).value());
    REQUIRE(parts.back().first == original.size());
    original.insert(original.end(), parts.back().original.begin(), parts.back().original.end());
  }
  REQUIRE(original.size() == 90);
  for (std::uint32_t p = 0; p < 4; ++p) {
    for (std::size_t i = 0; i < parts[p].vertex_count(); ++i) {
      const VertexId vertex = parts[p].original[i];
      REQUIRE(partition.owner[vertex.index()] == PartId(p));
      std::vector<std::pair<VertexId, double>> arcs;
      for (auto a = parts[p].offsets[i]; a < parts[p].offsets[i + 1]; ++a) {
        arcs.emplace_back(original[parts[p].targets[a].index()], parts[p].weights[a]);
      }
      std::vector<std::pair<VertexId, double>> expected;
      for (std::size_t a = 0; a < graph.degree(vertex); ++a) {
        expected.emplace_back(graph.neighbors(vertex)[a], graph.weights(vertex)[a]);
      }
      std::sort(arcs.begin(), arcs.end());
      std::sort(expected.begin(), expected.end());
      REQUIRE(arcs == expected);
    }
  }
  REQUIRE_FALSE(open_binary_part(path, PartId(4)));
  REQUIRE_FALSE(open_binary_range(path, 50, 91));
  REQUIRE_FALSE(open_binary_range(path, 5, 4));
}

TEST_CASE("a part opens although another part is damaged, and the whole graph does not") {
  const Folder folder;
  const std::string path = folder.file("g.lwg");
  const Graph graph = random_graph(4, 1000, 600'000, true);  // targets: 2.4 MB, three blocks
  REQUIRE(write_binary(graph, path));
  auto bytes = slurp(path);
  bytes[section_offset(bytes, binary_format::Section::Targets) + 2'300'000] ^= 1;
  spill(path, bytes);
  REQUIRE(contains(refusal(path), "checksum"));
  REQUIRE(open_binary_range(path, 0, 100));
  REQUIRE_FALSE(open_binary_range(path, 900, 1000));
}

TEST_CASE("files of another kind, version or byte order are refused with a reason") {
  const Folder folder;
  const std::string path = folder.file("g.lwg");
  REQUIRE(write_binary(random_graph(1, 10, 20, true), path));
  const auto good = slurp(path);
  const auto with = [&](std::size_t at, std::vector<char> change) {
    auto bytes = good;
    std::copy(change.begin(), change.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
    seal_header(bytes);
    spill(path, bytes);
    return refusal(path);
  };
  REQUIRE(contains(with(0, {'P', 'K'}), "not a binary graph"));
  REQUIRE(contains(with(8, {1, 2, 3, 4}), "byte order"));
  REQUIRE(contains(with(12, {0, 0, 0, 0}), "version 0"));
  REQUIRE(contains(with(12, {9, 0, 0, 0}), "newer leeway"));
  REQUIRE(contains(with(32, {0, 0, 0, 0, 0, 0, 0, 16}), "counts are impossible"));  // 2^60 vertices
  REQUIRE(contains(with(40, {0, 0, 0, 0, 0, 0, 0, 16}), "counts are impossible"));  // 2^60 arcs
  REQUIRE(contains(with(40, {0, 0, 0, 0, 0, 16, 0, 0}), "wrong size"));             // 2^44 arcs
  REQUIRE(contains(refusal(folder.path), "not a regular file"));
  REQUIRE(contains(refusal(folder.file("none.lwg")), "no such file"));
  spill(path, {});
  REQUIRE(contains(refusal(path), "not a binary graph"));
  spill(path, {'\x1f', '\x8b', 8, 0, 0, 0});
  REQUIRE(contains(refusal(path), "is compressed, but a binary graph is mapped"));
}

/// Makes the file of a graph with real weights one with complex weights, as earlier versions wrote it. Requires sections
/// of at most a page each, the last of which is the list of checksums.
void make_complex(const std::string& path) {
  using namespace binary_format;
  auto bytes = slurp(path);
  BinaryHeader header{};
  std::memcpy(&header, bytes.data(), sizeof header);
  std::vector<SectionEntry> table(header.section_count);
  std::memcpy(table.data(), bytes.data() + sizeof header, table.size() * sizeof(SectionEntry));
  SectionEntry sums = table.back();
  REQUIRE(sums.kind == static_cast<std::uint32_t>(Section::Checksums));
  table.back() = {static_cast<std::uint32_t>(Section::Imaginary), 0, sums.offset,
                  header.arc_count * sizeof(double)};
  sums.offset += kPage;
  sums.bytes += sizeof(std::uint64_t);
  table.push_back(sums);
  header.weight_kind = kComplexWeights;
  header.section_count = static_cast<std::uint32_t>(table.size());
  bytes.resize(bytes.size() + kPage);
  header.file_bytes = bytes.size();
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, table.data(), table.size() * sizeof(SectionEntry));
  seal_all(bytes);
  spill(path, bytes);
}

TEST_CASE("a file with complex weights opens only without them") {
  const Folder folder;
  const std::string path = folder.file("g.lwg");
  const Graph graph = random_graph(3, 40, 90, true, WeightKind::Real);
  REQUIRE(write_binary(graph, path));
  make_complex(path);
  const std::string expected =
      path +
      ": its values are complex numbers, which no program uses; give --weights none to read only "
      "the structure";
  REQUIRE(refusal(path) == expected);
  REQUIRE(open_binary_range(path, 0, 9).error().to_string() == expected);
  REQUIRE(summarize_binary(path).error().to_string() == expected);
  REQUIRE(load_graph(path, {}).error().to_string() == expected);
  LoadOptions structure;
  structure.weights = Weights::None;
  const Graph read = load_graph(path, structure).value();
  REQUIRE_FALSE(read.weighted());
  REQUIRE(std::equal(read.targets().begin(), read.targets().end(), graph.targets().begin(),
                     graph.targets().end()));
  REQUIRE(open_binary_range(path, 0, 9, false).value().weights.empty());
  REQUIRE(summarize_binary(path, false).value().weight_kind == WeightKind::None);
}

TEST_CASE("every truncation is refused") {
  const Folder folder;
  const std::string path = folder.file("g.lwg");
  REQUIRE(write_binary(
      random_graph(1, 100, 300, true, WeightKind::Real, some_names(NameKind::Strings, 100)), path));
  const auto good = slurp(path);
  for (std::size_t length = 0; length < good.size(); length += 97) {
    spill(path, {good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length)});
    REQUIRE_FALSE(open_binary(path));
  }
}

TEST_CASE("a file with correct checksums and invalid values is refused") {
  const Folder folder;
  const std::string path = folder.file("g.lwg");
  using binary_format::Section;
  const Graph graph =
      random_graph(1, 100, 300, true, WeightKind::Integer, some_names(NameKind::Strings, 100));
  const Partition partition = random_partition(graph, 3);
  REQUIRE(write_binary(graph, path, &partition));
  const auto good = slurp(path);
  const auto with = [&](Section section, std::size_t at, unsigned char value) {
    auto bytes = good;
    bytes[section_offset(bytes, section) + at] = static_cast<char>(value);
    seal_all(bytes);
    spill(path, bytes);
    const bool opens = open_binary(path).has_value();
    return opens;
  };
  REQUIRE_FALSE(with(Section::Offsets, 15, 0xff));
  REQUIRE_FALSE(with(Section::Offsets, 0, 1));
  REQUIRE_FALSE(with(Section::Targets, 3, 0xff));
  REQUIRE_FALSE(with(Section::Weights, 7, 0x7f));  // no longer a whole number
  REQUIRE_FALSE(with(Section::NameNumbers, 5, 0xff));
  REQUIRE_FALSE(with(Section::NameOrder, 3, 0xff));
  REQUIRE_FALSE(with(Section::Parts, 8, 0xff));
  REQUIRE_FALSE(with(Section::Original, 3, 0xff));
}

TEST_CASE("a name with a line break is neither written nor read") {
  const Folder folder;
  const std::string path = folder.file("g.lwg");
  const Graph good =
      random_graph(1, 9, 20, true, WeightKind::None, some_names(NameKind::Strings, 9));
  REQUIRE(write_binary(good, path));
  for (const char breaks : {'\n', '\r'}) {
    auto bytes = slurp(path);
    const std::uint64_t third = 5 * 3;  // each name has five letters
    bytes[section_offset(bytes, binary_format::Section::NameText) + third + 1] = breaks;
    seal_all(bytes);
    spill(folder.file("torn.lwg"), bytes);
    const auto part = open_binary_names(folder.file("torn.lwg"), 2, 5);
    REQUIRE_FALSE(part);
    REQUIRE(contains(part.error().to_string(), "contains a line break"));
    REQUIRE(open_binary_names(folder.file("torn.lwg"), 0, 3));
  }
  std::string text = "a\nbc";
  const std::vector<std::uint64_t> offsets = {0, 3, 4};
  const std::vector<VertexId> order = {VertexId(0), VertexId(1)};
  const Graph torn =
      random_graph(1, 2, 4, true, WeightKind::None,
                   VertexNames::strings(Array<std::uint64_t>::copy_of(offsets).value(),
                                        Array<char>::copy_of(text).value(),
                                        Array<VertexId>::copy_of(order).value()));
  const auto written = write_binary(torn, folder.file("no.lwg"));
  REQUIRE_FALSE(written);
  REQUIRE(contains(written.error().to_string(), "'a\\x0ab' contains a line break"));
  REQUIRE_FALSE(std::filesystem::exists(folder.file("no.lwg")));
}

TEST_CASE("random damage never opens as another graph") {
  const Folder folder;
  const std::string path = folder.file("g.lwg");
  const Graph graph =
      random_graph(8, 50, 200, false, WeightKind::Real, some_names(NameKind::Numbers, 50));
  REQUIRE(write_binary(graph, path));
  const auto good = slurp(path);
  Random random(77);
  for (int i = 0; i < 400; ++i) {
    auto bytes = good;
    bytes[random.below(bytes.size())] = static_cast<char>(random());
    if (i % 2 == 0) seal_header(bytes);
    spill(path, bytes);
    const auto opened = open_binary(path);
    if (opened && i % 2 == 1) REQUIRE(*opened == graph);  // only padding changed
  }
}

TEST_CASE("a failed write leaves no file") {
  const Folder folder;
  const Graph graph = random_graph(1, 10, 20, true);
  const auto nowhere = write_binary(graph, folder.file("no/such/folder/g.lwg"));
  REQUIRE_FALSE(nowhere);
  REQUIRE(nowhere.error().exit_code() == 3);
  std::filesystem::create_directories(folder.file("taken/inside"));
  REQUIRE_FALSE(write_binary(graph, folder.file("taken")));
  REQUIRE(std::distance(std::filesystem::directory_iterator(folder.path), {}) == 1);
}
