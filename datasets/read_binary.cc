// Leeway's own binary files: taken as they are mapped, unless an option changes the graph.
#include "leeway/base/parallel.h"
#include "leeway/datasets/binary.h"
#include "leeway/datasets/readers.h"

namespace leeway {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;

Result<EdgeList> list_arcs(const Graph& graph, bool keep) {
  EdgeList list;
  list.weight_kind = keep ? graph.weight_kind() : WeightKind::None;
  EdgeChunkBuilder builder;
  for (std::uint32_t v = 0; v < graph.vertex_count(); ++v) {
    const VertexId source(v);
    std::uint64_t arc = graph.offsets()[v];
    for (const VertexId target : graph.neighbors(source)) {
      if (list.weight_kind == WeightKind::None)
        builder.add(source, target);
      else if (list.weight_kind != WeightKind::Complex)
        builder.add(source, target, graph.weights()[arc]);
      else
        builder.add(source, target, graph.weights()[arc], graph.imaginary()[arc]);
      ++arc;
    }
    if (builder.size() < kChunk) continue;
    LEEWAY_ASSIGN(auto chunk, builder.finish());
    list.chunks.push_back(std::move(chunk));
  }
  LEEWAY_ASSIGN(auto chunk, builder.finish());
  list.chunks.push_back(std::move(chunk));
  return list;
}

Result<VertexNames> copy_of(const VertexNames& names) {
  if (names.kind() == NameKind::Sequence)
    return VertexNames::sequence(names.first(), names.count());
  LEEWAY_ASSIGN(auto ids, Array<std::uint64_t>::copy_of(names.ids().span()));
  if (names.kind() == NameKind::Numbers) return VertexNames::numbers(std::move(ids));
  LEEWAY_ASSIGN(auto text, Array<char>::copy_of(names.text().span()));
  LEEWAY_ASSIGN(auto sorted, Array<VertexId>::copy_of(names.sorted().span()));
  return VertexNames::strings(std::move(ids), std::move(text), std::move(sorted));
}

}  // namespace

Result<Graph> map_binary(const InputFile& file, const LoadOptions& options) {
  if (file.path.empty()) {
    return fail(input_error(file.name, "a binary graph is mapped from a file", "write it to one"));
  }
  return open_binary(file.path.string(), thread_count(options.threads));
}

Result<ListedGraph> read_binary(const InputFile& file, const LoadOptions& options) {
  LEEWAY_ASSIGN(const Graph graph, map_binary(file, options));
  ListedGraph listed;
  LEEWAY_ASSIGN(listed.edges, list_arcs(graph, keeps_weights(options)));
  LEEWAY_ASSIGN(listed.shape.names, copy_of(graph.names()));
  listed.shape.vertex_count = graph.vertex_count();
  listed.shape.directed = graph.directed();
  listed.shape.from_both_ends = !graph.directed();
  listed.shape.left_count = graph.left_count();
  return listed;
}

}  // namespace leeway
