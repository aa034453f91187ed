#include "leeway/datasets/listed_share.h"

#include <algorithm>
#include <utility>

#include "leeway/datasets/readers.h"

namespace leeway {

namespace {

Result<VertexNames> number_ends(ListedShare& share, unsigned threads) {
  if (share.ends == EndKind::Vertices) return std::move(share.shape.names);
  if (share.ends == EndKind::Wide) return number_wide_ids(share.blocks);
  if (share.ends == EndKind::Small)
    return number_small_ids(share.blocks, IdEnds::Both, share.declared, threads);
  LEEWAY_ASSIGN(const auto words, number_words(share.blocks, IdEnds::Both, {}));
  if (words.size() > kMostVertices)
    return fail(count_mismatch(share.said_at, "vertices", kMostVertices, words.size()));
  return names_from_words(words);
}

}  // namespace

Status check_said(const ListedShare& share, std::uint64_t rows, std::uint64_t vertices) {
  if (share.said_edges && *share.said_edges != rows)
    return fail(count_mismatch(share.said_at, share.said_of, *share.said_edges, rows));
  if (share.said_vertices && *share.said_vertices != vertices)
    return fail(count_mismatch(share.said_at, "vertices", *share.said_vertices, vertices));
  return {};
}

Result<ListedGraph> number_share(ListedShare share, unsigned threads) {
  LEEWAY_ASSIGN(auto names, number_ends(share, threads));
  ListedGraph graph;
  graph.shape = std::move(share.shape);
  graph.shape.vertex_count = names.count();
  graph.shape.names = std::move(names);
  LEEWAY_TRY(check_said(share, share.rows, graph.shape.vertex_count));
  if (share.left)
    graph.shape.left_count =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(*share.left, graph.shape.vertex_count));
  graph.edges = collect_edges(share.blocks, share.weight_kind);
  return graph;
}

}  // namespace leeway
