// Any bytes as a binary graph: refused, or a graph whose arcs are all valid. Two variants of each
// input: unchanged, and with a valid header checksum, so that the fuzzer gets past the header.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "datasets/binary.h"

namespace {

void follow(const leeway::Graph& graph) {
  std::uint64_t sum = graph.edge_count();
  for (const leeway::VertexId target : graph.targets()) sum += graph.degree(target);
  for (std::uint32_t v = 0; v < graph.vertex_count(); ++v) {
    const leeway::VertexId vertex(v);
    LEEWAY_CHECK(graph.names().find(graph.names().name(vertex)) == vertex);
  }
  LEEWAY_CHECK(sum >= graph.edge_count());
}

void open_all_ways(const std::vector<std::uint8_t>& bytes) {
  const int file = ::memfd_create("fuzz", MFD_CLOEXEC);
  LEEWAY_CHECK(::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  if (const auto graph = leeway::open_binary(path, 1)) follow(*graph);
  if (const auto part = leeway::open_binary_part(path, leeway::PartId(0))) {
    for (const leeway::VertexId target : part->targets)
      LEEWAY_CHECK(target.value() < part->total_vertices);
  }
  const auto partition = leeway::open_binary_partition(path);
  if (partition) LEEWAY_CHECK(partition->part_count > 0u);
  ::close(file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace leeway::binary_format;
  std::vector<std::uint8_t> bytes(data, data + size);
  open_all_ways(bytes);
  if (size < kPage) return 0;
  BinaryHeader header{};
  std::memcpy(&header, bytes.data(), sizeof header);
  header.file_bytes = size;
  std::memcpy(bytes.data(), &header, sizeof header);
  const auto page = std::as_bytes(std::span(bytes)).first(kHeaderChecksumAt);
  const std::uint64_t sum = leeway::checksum(page);
  std::memcpy(bytes.data() + kHeaderChecksumAt, &sum, sizeof sum);
  open_all_ways(bytes);
  return 0;
}
