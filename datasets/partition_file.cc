// Owners from a text file, as gpmetis writes it (a part a line) or with names (`vertex part`), or from a divided .lwg.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "leeway/base/format.h"
#include "leeway/datasets/binary.h"
#include "leeway/datasets/partition_methods.h"
#include "leeway/datasets/vertex_column.h"

namespace leeway::partitioners {

namespace {

Result<PartId> parse_part(std::string_view text, std::uint32_t limit) {
  std::uint32_t part = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), part);
  if (problem != std::errc{} || end != text.data() + text.size()) {
    return fail(
        input_error("", format("'{}' is not a part", text), "parts are whole numbers from 0 up"));
  }
  if (part < limit) return PartId(part);
  return fail(input_error("", format("part {} where there are {} parts", part, limit),
                          format("number parts from 0 to {}", limit - 1)));
}

}  // namespace

Result<Partition> from_file(const Graph& graph, const PartitionOptions& options) {
  const std::string& path = options.owner_file;
  if (is_binary_name(path) && std::filesystem::exists(path)) {
    LEEWAY_ASSIGN(Partition stored, open_binary_partition(path));
    stored.part_count = std::max(stored.part_count, options.parts);
    if (stored.owner.size() == graph.vertex_count()) return stored;
    return fail(input_error(path,
                            format("it divides {} vertices, and the graph has {}",
                                   stored.owner.size(), graph.vertex_count()),
                            "give the division of this graph"));
  }
  LEEWAY_ASSIGN(auto owners, Array<PartId>::make(graph.vertex_count()));
  const std::span<PartId> owner = owners.mutable_span();
  const std::uint32_t limit = options.parts > 0 ? options.parts : kMaxParts;
  std::uint32_t parts = std::max(options.parts, 1U);
  const auto take = [&](VertexId vertex, std::string_view field) -> Status {
    LEEWAY_ASSIGN(const PartId part, parse_part(field, limit));
    owner[vertex.index()] = part;
    parts = std::max(parts, part.value() + 1);
    return {};
  };
  LEEWAY_ASSIGN(const VertexColumn column, read_vertex_column(path, graph.names(), "part", take));
  if (!column.complete()) {
    return fail(input_error(
        path,
        format("{} of {} vertices have no owner, vertex '{}' among them",
               owner.size() - column.count, owner.size(), column.first_missing(graph.names())),
        "give one line a vertex"));
  }
  return Partition{parts, std::move(owners)};
}

}  // namespace leeway::partitioners
