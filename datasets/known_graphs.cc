#include "leeway/datasets/known_graphs.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "leeway/base/format.h"
#include "leeway/base/nearest.h"
#include "leeway/datasets/build_graph.h"

namespace leeway {

namespace {

struct KnownEdge {
  std::uint32_t source;
  std::uint32_t target;
  double weight = 1;
};

// Who met whom outside the club: W. W. Zachary, J. Anthropol. Res. 33 (1977). Members are 1 to 34;
// here each list holds the higher neighbours of a member, counted from 0.
constexpr KnownEdge kKarate[] = {
    {0, 1},   {0, 2},   {0, 3},   {0, 4},   {0, 5},   {0, 6},   {0, 7},   {0, 8},   {0, 10},
    {0, 11},  {0, 12},  {0, 13},  {0, 17},  {0, 19},  {0, 21},  {0, 31},  {1, 2},   {1, 3},
    {1, 7},   {1, 13},  {1, 17},  {1, 19},  {1, 21},  {1, 30},  {2, 3},   {2, 7},   {2, 8},
    {2, 9},   {2, 13},  {2, 27},  {2, 28},  {2, 32},  {3, 7},   {3, 12},  {3, 13},  {4, 6},
    {4, 10},  {5, 6},   {5, 10},  {5, 16},  {6, 16},  {8, 30},  {8, 32},  {8, 33},  {9, 33},
    {13, 33}, {14, 32}, {14, 33}, {15, 32}, {15, 33}, {18, 32}, {18, 33}, {19, 33}, {20, 32},
    {20, 33}, {22, 32}, {22, 33}, {23, 25}, {23, 27}, {23, 29}, {23, 32}, {23, 33}, {24, 25},
    {24, 27}, {24, 31}, {25, 31}, {26, 29}, {26, 33}, {27, 33}, {28, 31}, {28, 33}, {29, 32},
    {29, 33}, {30, 32}, {30, 33}, {31, 32}, {31, 33}, {32, 33}};
constexpr std::uint32_t kKarateDegrees[] = {16, 9, 10, 6, 3, 4, 4, 4, 5, 2, 3, 1, 2, 5, 2, 2,  2,
                                            2,  2, 3,  2, 2, 2, 5, 3, 3, 2, 4, 3, 4, 4, 6, 12, 17};

// Outer pentagon, inner pentagram, five spokes.
constexpr KnownEdge kPetersen[] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}, {0, 5}, {1, 6}, {2, 7},
                                   {3, 8}, {4, 9}, {5, 7}, {7, 9}, {6, 9}, {6, 8}, {5, 8}};
constexpr std::uint32_t kPetersenDegrees[] = {3, 3, 3, 3, 3, 3, 3, 3, 3, 3};

// D. Krackhardt, Adm. Sci. Q. 35 (1990): the most connected, the most central and the most between are
// three different people.
constexpr KnownEdge kKite[] = {{0, 1}, {0, 2}, {0, 3}, {0, 5}, {1, 3}, {1, 4},
                               {1, 6}, {2, 3}, {2, 5}, {3, 4}, {3, 5}, {3, 6},
                               {4, 6}, {5, 6}, {5, 7}, {6, 7}, {7, 8}, {8, 9}};
constexpr std::uint32_t kKiteDegrees[] = {4, 4, 3, 6, 3, 5, 5, 3, 2, 1};

// Our own: every shortest way from 0 is a detour of more edges than the direct one, so a method that
// settles a vertex at first sight goes wrong. Vertex 7 stands alone.
constexpr KnownEdge kDetour[] = {{0, 1, 2},  {0, 2, 9},  {1, 2, 3}, {1, 3, 12},
                                 {2, 3, 4},  {0, 4, 20}, {3, 4, 1}, {4, 5, 6},
                                 {2, 5, 15}, {5, 6, 1},  {0, 6, 30}};
constexpr std::uint32_t kDetourDegrees[] = {4, 3, 4, 3, 3, 3, 2, 0};
constexpr double kDetourDistances[] = {0,  2,  5,  9,
                                       10, 16, 17, std::numeric_limits<double>::infinity()};

// The situation of ASPIRE's Figure 1: c is reached from a over 20 and from b over 16; b's distance falls
// from 28 to 20 late, and c must fall from 40 to 36 with it. Vertices: s, a, b, c, and m between s and b.
constexpr KnownEdge kAspire[] = {{0, 1, 20}, {0, 2, 28}, {1, 3, 20},
                                 {2, 3, 16}, {0, 4, 15}, {2, 4, 5}};
constexpr std::uint32_t kAspireDegrees[] = {3, 2, 3, 2, 2};
constexpr double kAspireDistances[] = {0, 20, 20, 36, 15};

constexpr std::array<KnownGraph, 5> kGraphs = {{
    {"karate", "Zachary's karate club", 1, {34, 78, 1, 5, 3, 45, 5, kKarateDegrees, {}}},
    {"petersen", "the Petersen graph", 0, {10, 15, 1, 2, 5, 0, 3, kPetersenDegrees, {}}},
    {"kite", "Krackhardt's kite", 0, {10, 18, 1, 4, 3, 11, 4, kKiteDegrees, {}}},
    {"detour",
     "weighted, shortest ways are detours; one vertex alone",
     0,
     {8, 11, 2, {}, 3, 2, 3, kDetourDegrees, kDetourDistances}},
    {"aspire",
     "weighted, a distance that falls late",
     0,
     {5, 6, 1, 2, 3, 1, 3, kAspireDegrees, kAspireDistances}},
}};
constexpr std::array<std::span<const KnownEdge>, 5> kEdges = {kKarate, kPetersen, kKite, kDetour,
                                                              kAspire};

}  // namespace

std::span<const KnownGraph> known_graphs() { return kGraphs; }

std::optional<KnownGraph> find_known_graph(std::string_view name) {
  const auto found = std::find_if(kGraphs.begin(), kGraphs.end(),
                                  [&](const KnownGraph& graph) { return graph.name == name; });
  if (found == kGraphs.end()) return std::nullopt;
  return *found;
}

Result<Graph> make_known_graph(std::string_view name, const LoadOptions& options) {
  LEEWAY_ASSIGN(ListedGraph listed, list_known_graph(name, options));
  return build_graph(std::move(listed), options);
}

Result<ListedGraph> list_known_graph(std::string_view name, const LoadOptions& options) {
  const auto known = find_known_graph(name);
  if (!known) {
    std::vector<std::string_view> names;
    for (const KnownGraph& graph : kGraphs) names.push_back(graph.name);
    return fail(input_error(format("known:{}", name), "no known graph has this name",
                            did_you_mean(name, names)));
  }
  std::size_t index = 0;
  while (kGraphs[index].name != name) ++index;
  const bool weighted = !known->answers.distances.empty();
  EdgeChunkBuilder builder;
  const auto edges = kEdges[index];
  const std::uint64_t end = options.share.end(edges.size());
  for (std::uint64_t i = options.share.begin(edges.size()); i < end; ++i) {
    const KnownEdge& edge = edges[i];
    const VertexId source(edge.source);
    const VertexId target(edge.target);
    if (weighted)
      builder.add(source, target, edge.weight);
    else
      builder.add(source, target);
  }
  ListedGraph listed;
  EdgeList& list = listed.edges;
  list.weight_kind = weighted ? WeightKind::Integer : WeightKind::None;
  list.chunks.emplace_back();
  LEEWAY_ASSIGN(list.chunks.back(), builder.finish());
  GraphShape& shape = listed.shape;
  shape.vertex_count = known->answers.vertices;
  shape.directed = false;
  shape.names = VertexNames::sequence(known->first_name, shape.vertex_count);
  return listed;
}

}  // namespace leeway
