#include "datasets/known_graphs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/process.h"
#include "datasets/build_graph.h"
#include "datasets/generate.h"
#include "datasets/graph.h"
#include "datasets/vertex_numbering.h"

namespace leeway {

namespace {

struct KnownEdge {
  std::uint32_t source;
  std::uint32_t target;
  double weight = 1;
};

// Interactions outside the club: W. W. Zachary, J. Anthropol. Res. 33 (1977). Members are numbered from 1 to 34 in the
// paper, from 0 here. Each edge is listed once, from its smaller end.
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

// D. Krackhardt, Adm. Sci. Q. 35 (1990): degree, closeness and betweenness centrality are maximal at different vertices.
constexpr KnownEdge kKite[] = {{0, 1}, {0, 2}, {0, 3}, {0, 5}, {1, 3}, {1, 4},
                               {1, 6}, {2, 3}, {2, 5}, {3, 4}, {3, 5}, {3, 6},
                               {4, 6}, {5, 6}, {5, 7}, {6, 7}, {7, 8}, {8, 9}};
constexpr std::uint32_t kKiteDegrees[] = {4, 4, 3, 6, 3, 5, 5, 3, 2, 1};

// Defined here: shortest paths from 0 have more edges than the direct connection, so an algorithm that finalizes a vertex
// at its first visit returns wrong distances. Vertex 7 is isolated.
constexpr KnownEdge kDetour[] = {{0, 1, 2},  {0, 2, 9},  {1, 2, 3}, {1, 3, 12},
                                 {2, 3, 4},  {0, 4, 20}, {3, 4, 1}, {4, 5, 6},
                                 {2, 5, 15}, {5, 6, 1},  {0, 6, 30}};
constexpr std::uint32_t kDetourDegrees[] = {4, 3, 4, 3, 3, 3, 2, 0};
constexpr double kDetourDistances[] = {0,  2,  5,  9,
                                       10, 16, 17, std::numeric_limits<double>::infinity()};

// The example of ASPIRE, Figure 1: c is reached from a with weight 20 and from b with weight 16. The distance of b drops
// from 28 to 20 late, and then the distance of c must drop from 40 to 36. Vertices: s, a, b, c, and m between s and b.
constexpr KnownEdge kAspire[] = {{0, 1, 20}, {0, 2, 28}, {1, 3, 20},
                                 {2, 3, 16}, {0, 4, 15}, {2, 4, 5}};
constexpr std::uint32_t kAspireDegrees[] = {3, 2, 3, 2, 2};
constexpr double kAspireDistances[] = {0, 20, 20, 36, 15};

constexpr std::array<KnownGraph, 5> kGraphs = {{
    {"karate", "Zachary's karate club", 1, {34, 78, 1, 5, 3, 45, 5, kKarateDegrees, {}}},
    {"petersen", "the Petersen graph", 0, {10, 15, 1, 2, 5, 0, 3, kPetersenDegrees, {}}},
    {"kite", "Krackhardt's kite", 0, {10, 18, 1, 4, 3, 11, 4, kKiteDegrees, {}}},
    {"detour",
     "weighted, shortest paths have many edges; one isolated vertex",
     0,
     {8, 11, 2, {}, 3, 2, 3, kDetourDegrees, kDetourDistances}},
    {"aspire",
     "weighted, one distance decreases late",
     0,
     {5, 6, 1, 2, 3, 1, 3, kAspireDegrees, kAspireDistances}},
}};
constexpr std::array<std::span<const KnownEdge>, 5> kKnownEdges = {kKarate, kPetersen, kKite,
                                                                   kDetour, kAspire};

}  // namespace

std::span<const KnownGraph> known_graphs() { return kGraphs; }

namespace {

std::optional<KnownGraph> find_known_graph(std::string_view name) {
  const auto found = std::find_if(kGraphs.begin(), kGraphs.end(),
                                  [&](const KnownGraph& graph) { return graph.name == name; });
  if (found == kGraphs.end()) return std::nullopt;
  return *found;
}

/// The edges of `options.share`.
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
  const auto edges = kKnownEdges[index];
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

}  // namespace

Result<Graph> make_known_graph(std::string_view name, const LoadOptions& options) {
  LEEWAY_ASSIGN(ListedGraph listed, list_known_graph(name, options));
  return build_graph(std::move(listed), options);
}

namespace {

/// A graph spec while it is parsed: its parts, and the context for error messages.
class Spec {
 public:
  Spec(std::string_view text, const LoadOptions& options, SpecSize* out_size = nullptr)
      : size(out_size), text_(text), options_(options) {}

  [[nodiscard]] const LoadOptions& options() const { return options_; }
  [[nodiscard]] Error error(std::string what) const {
    return input_error(format("'{}'", text_), std::move(what), format("write it like {}", example));
  }

  SpecSize* size;  ///< if not null: receives the size of the graph, and the graph is not generated
  std::string_view example;
  std::vector<std::string_view> parts;  ///< the text between colons, after the kind

 private:
  std::string_view text_;
  const LoadOptions& options_;
};

template <class Number>
Result<Number> number(const Spec& spec, std::string_view text, Number least, Number most) {
  Number value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || problem == std::errc::invalid_argument || end != text.data() + text.size()) {
    if constexpr (std::is_integral_v<Number>)
      return fail(
          spec.error(format("'{}' is not a whole number from {} to {}", text, least, most)));
    return fail(spec.error(format("'{}' is not a number", text)));
  }
  if (problem != std::errc{} || !(value >= least && value <= most)) {
    return fail(spec.error(format("{} is not between {} and {}", text, least, most)));
  }
  return value;
}

Result<std::uint32_t> vertex_number(const Spec& spec, std::string_view text,
                                    std::uint64_t least = 0) {
  LEEWAY_ASSIGN(const auto value, number<std::uint64_t>(spec, text, least, kMostVertices));
  return static_cast<std::uint32_t>(value);
}

struct Sides {
  std::uint32_t width = 1, height = 1, depth = 1;
  [[nodiscard]] double points() const { return static_cast<double>(width) * height * depth; }
};

/// "WxH" or "WxHxD".
Result<Sides> box(const Spec& spec, std::string_view text, std::size_t dimensions) {
  const auto sides = split(text, 'x');
  if (sides.size() != dimensions) {
    return fail(spec.error(format("'{}' does not have {} sides", text, dimensions)));
  }
  Sides box;
  std::uint32_t* const targets[] = {&box.width, &box.height, &box.depth};
  for (std::size_t i = 0; i < dimensions; ++i) {
    LEEWAY_ASSIGN(*targets[i], vertex_number(spec, sides[i], 1));
  }
  if (box.points() > static_cast<double>(kMostVertices)) {
    return fail(spec.error(format("more than {} vertices", kMostVertices)));
  }
  if (spec.size != nullptr && dimensions == 2) {
    spec.size->width = box.width;
    spec.size->height = box.height;
  }
  return box;
}

/// Returns an error if the edge list and the graph built from it exceed the available memory. `expected` is the expected
/// number of edges; `most` is an upper bound if it is larger. If only the size was requested, stores it in `spec.size`
/// and returns an error, which stops the generation.
Status check_memory(const Spec& spec, double vertices, double expected, bool matrix = false,
                    double most = 0) {
  const bool weighted =
      matrix ? spec.options().weights != Weights::None : spec.options().weights == Weights::Random;
  if (spec.size != nullptr) {
    spec.size->vertices = static_cast<std::uint64_t>(vertices);
    spec.size->arcs = static_cast<std::uint64_t>(matrix ? expected : 2 * expected);
    spec.size->directed = matrix;
    spec.size->weighted = weighted;
    return fail(spec.error("only its size was requested"));
  }
  const double edges = std::max(expected, most);
  const double arcs = matrix ? edges : 2 * edges;
  const double shares = spec.options().share.count;
  const double bytes =
      (vertices * 16 + edges * (weighted ? 16 : 8) + arcs * (weighted ? 12 : 4)) / shares;
  const Room room = memory_room();
  if (bytes <= static_cast<double>(room.left)) return {};
  return fail(environment_error(
      spec.error("").where,
      format("needs about {} of memory, and this machine has {} left, by {}", format_bytes(bytes),
             format_bytes(static_cast<double>(room.left)), room.by),
      "choose a smaller graph; `leeway plan` shows how many machines it needs"));
}

Result<ListedGraph> kron(const Spec& spec) {
  LEEWAY_ASSIGN(const auto scale, number<unsigned>(spec, spec.parts[0], 0, 31));
  std::uint64_t degree = 16;
  if (spec.parts.size() > 1) {
    LEEWAY_ASSIGN(degree, number<std::uint64_t>(spec, spec.parts[1], 0, 1u << 20));
  }
  const double vertices = std::ldexp(1.0, static_cast<int>(scale));
  LEEWAY_TRY(check_memory(spec, vertices, vertices * static_cast<double>(degree)));
  return list_kron(scale, degree, spec.options());
}

Result<ListedGraph> uniform(const Spec& spec) {
  LEEWAY_ASSIGN(const auto vertices, vertex_number(spec, spec.parts[0]));
  std::uint64_t degree = 16;
  if (spec.parts.size() > 1) {
    LEEWAY_ASSIGN(degree, number<std::uint64_t>(spec, spec.parts[1], 0, 1u << 20));
  }
  LEEWAY_TRY(
      check_memory(spec, vertices, static_cast<double>(vertices) * static_cast<double>(degree)));
  return list_uniform(vertices, vertices * degree, spec.options());
}

Result<ListedGraph> grid(const Spec& spec, std::size_t dimensions) {
  LEEWAY_ASSIGN(const Sides sides, box(spec, spec.parts[0], dimensions));
  LEEWAY_TRY(check_memory(spec, sides.points(), sides.points() * static_cast<double>(dimensions)));
  return list_grid(sides.width, sides.height, sides.depth, spec.options());
}
Result<ListedGraph> grid2d(const Spec& spec) { return grid(spec, 2); }
Result<ListedGraph> grid3d(const Spec& spec) { return grid(spec, 3); }

template <Result<ListedGraph> (*Make)(std::uint32_t, const LoadOptions&)>
Result<ListedGraph> shape(const Spec& spec) {
  LEEWAY_ASSIGN(const auto vertices, vertex_number(spec, spec.parts[0]));
  const bool complete = Make == list_complete;
  LEEWAY_TRY(check_memory(spec, vertices, complete ? 0.5 * vertices * vertices : vertices));
  return Make(vertices, spec.options());
}

Result<ListedGraph> tree(const Spec& spec) {
  LEEWAY_ASSIGN(const auto vertices, vertex_number(spec, spec.parts[0]));
  std::uint32_t arity = 2;
  if (spec.parts.size() > 1) {
    LEEWAY_ASSIGN(arity, vertex_number(spec, spec.parts[1], 1));
  }
  LEEWAY_TRY(check_memory(spec, vertices, vertices));
  return list_tree(vertices, arity, spec.options());
}

Result<ListedGraph> small_world(const Spec& spec) {
  LEEWAY_ASSIGN(const auto vertices, vertex_number(spec, spec.parts[0]));
  LEEWAY_ASSIGN(const auto degree, number<std::uint32_t>(spec, spec.parts[1], 0, 1u << 16));
  LEEWAY_ASSIGN(const auto rewire, number<double>(spec, spec.parts[2], 0, 1));
  if (degree % 2 != 0 || std::uint64_t{degree} + 2 > vertices) {
    return fail(spec.error(
        format("degree {} is odd or leaves no other end among {} vertices", degree, vertices)));
  }
  LEEWAY_TRY(check_memory(spec, vertices, 0.5 * vertices * degree));
  return list_small_world(vertices, degree, rewire, spec.options());
}

Result<ListedGraph> power_law(const Spec& spec) {
  LEEWAY_ASSIGN(const auto vertices, vertex_number(spec, spec.parts[0]));
  LEEWAY_ASSIGN(const auto exponent, number<double>(spec, spec.parts[1], 1, 10));
  double weights = 0;
  double ends = 0;
  for (double degree = 1; degree * degree <= vertices; ++degree) {
    weights += std::pow(degree, -exponent);
    ends += std::pow(degree, 1 - exponent);
  }
  LEEWAY_TRY(check_memory(spec, vertices, weights > 0 ? vertices * ends / weights / 2 : 0, false,
                          vertices * std::max(4.0, std::sqrt(vertices) / 4)));
  return list_power_law(vertices, exponent, spec.options());
}

Result<ListedGraph> matrix_of(const Spec& spec, const Sides& sides, const Stencil& stencil,
                              double row_entries) {
  LEEWAY_TRY(check_memory(spec, sides.points(), sides.points() * row_entries, true));
  return list_stencil(sides.width, sides.height, sides.depth, stencil, spec.options());
}

Result<ListedGraph> poisson2d(const Spec& spec) {
  LEEWAY_ASSIGN(const Sides sides, box(spec, spec.parts[0], 2));
  return matrix_of(spec, sides, Stencil{4, -1, -1, -1, -1}, 5);
}

Result<ListedGraph> poisson3d(const Spec& spec) {
  LEEWAY_ASSIGN(const Sides sides, box(spec, spec.parts[0], 3));
  return matrix_of(spec, sides, Stencil{6, -1, -1, -1, -1, -1, -1}, 7);
}

Result<ListedGraph> anisotropic(const Spec& spec) {
  LEEWAY_ASSIGN(const Sides sides, box(spec, spec.parts[0], 2));
  LEEWAY_ASSIGN(const auto epsilon, number<double>(spec, spec.parts[1], 0, 1e6));
  double angle = 0;
  if (spec.parts.size() > 2) {
    LEEWAY_ASSIGN(angle, number<double>(spec, spec.parts[2], -360, 360));
  }
  return matrix_of(spec, sides, anisotropic_stencil(epsilon, angle), 9);
}

Result<ListedGraph> atmosmodl(const Spec& spec) {
  Sides sides{198, 198, 38};
  if (!spec.parts.empty()) {
    LEEWAY_ASSIGN(sides, box(spec, spec.parts[0], 3));
  }
  return matrix_of(spec, sides, atmosphere_stencil(), 7);
}

Result<ListedGraph> dominant(const Spec& spec) {
  LEEWAY_ASSIGN(const auto rows, vertex_number(spec, spec.parts[0], 1));
  std::uint32_t entries = rows - 1;
  if (spec.parts.size() > 1) {
    LEEWAY_ASSIGN(entries, vertex_number(spec, spec.parts[1]));
  }
  if (entries >= rows) {
    return fail(
        spec.error(format("{} entries and the diagonal do not fit in a row of {}", entries, rows)));
  }
  LEEWAY_TRY(check_memory(spec, rows, (entries + 1.0) * rows, true));
  return list_dominant(rows, entries, spec.options());
}

Result<ListedGraph> known(const Spec& spec) {
  return list_known_graph(spec.parts[0], spec.options());
}

struct SpecKind {
  std::string_view name;
  std::size_t least_parts;
  std::size_t most_parts;
  Result<ListedGraph> (*make)(const Spec&);
  GraphSpecInfo info;
};

constexpr std::array<SpecKind, 17> kKinds = {{
    {"kron",
     1,
     2,
     kron,
     {"kron:SCALE[:DEGREE]", "kron:16",
      "Graph500's R-MAT, 2^SCALE vertices, DEGREE (16) edges each", true}},
    {"uniform",
     1,
     2,
     uniform,
     {"uniform:N[:DEGREE]", "uniform:1000:8", "N vertices, DEGREE (16) random edges each", true}},
    {"grid2d",
     1,
     1,
     grid2d,
     {"grid2d:WxH", "grid2d:100x80", "a plane grid, neighbours along two axes"}},
    {"grid3d",
     1,
     1,
     grid3d,
     {"grid3d:WxHxD", "grid3d:20x20x10", "a grid in space, neighbours along three axes"}},
    {"path", 1, 1, shape<list_path>, {"path:N", "path:100", "N vertices in a row"}},
    {"cycle", 1, 1, shape<list_cycle>, {"cycle:N", "cycle:100", "N vertices in a ring"}},
    {"star", 1, 1, shape<list_star>, {"star:N", "star:100", "one centre and N - 1 leaves"}},
    {"tree", 1, 2, tree, {"tree:N[:ARITY]", "tree:127:2", "N vertices, ARITY (2) below each"}},
    {"complete",
     1,
     1,
     shape<list_complete>,
     {"complete:N", "complete:50", "every pair of N vertices joined"}},
    {"small-world",
     3,
     3,
     small_world,
     {"small-world:N:DEGREE:P", "small-world:1000:6:0.1",
      "Watts and Strogatz's ring, far ends redrawn with probability P", true}},
    {"powerlaw",
     2,
     2,
     power_law,
     {"powerlaw:N:EXPONENT", "powerlaw:10000:2.5",
      "configuration model with degrees of a power law", true}},
    {"matrix:poisson2d",
     1,
     1,
     poisson2d,
     {"matrix:poisson2d:WxH", "matrix:poisson2d:100x100", "the 5-point Laplacian"}},
    {"matrix:poisson3d",
     1,
     1,
     poisson3d,
     {"matrix:poisson3d:WxHxD", "matrix:poisson3d:30x30x30", "the 7-point Laplacian"}},
    {"matrix:anisotropic",
     2,
     3,
     anisotropic,
     {"matrix:anisotropic:WxH:EPS[:ANGLE]", "matrix:anisotropic:64x64:0.01:30",
      "diffusion EPS times as strong along y, turned by ANGLE degrees"}},
    {"matrix:atmosmodl",
     0,
     1,
     atmosmodl,
     {"matrix:atmosmodl[:WxHxD]", "matrix:atmosmodl:30x30x10",
      "seven-point convection and diffusion, not symmetric; 198x198x38 as the matrix of that "
      "name"}},
    {"matrix:dominant",
     1,
     2,
     dominant,
     {"matrix:dominant:N[:ENTRIES]", "matrix:dominant:500:20",
      "N rows with ENTRIES (all) random entries and a diagonal 1.25 times their sum", true}},
    {"known",
     1,
     1,
     known,
     {"known:NAME", "known:karate",
      "a small graph with known answers: karate, petersen, kite, detour, aspire"}},
}};

/// The kind that a text begins with: its name, followed by a colon or the end of the text.
const SpecKind* kind_of(std::string_view text) {
  for (const SpecKind& kind : kKinds) {
    if (text.starts_with(kind.name) &&
        (text.size() == kind.name.size() || text[kind.name.size()] == ':')) {
      return &kind;
    }
  }
  return nullptr;
}

/// The part of a text that should name a kind of graph.
std::string kind_in(std::string_view text) {
  const auto parts = split(text, ':');
  std::string given(parts[0]);
  if (given == "matrix" && parts.size() > 1) given += format(":{}", parts[1]);
  return given;
}

const SpecKind& nearest_kind(std::string_view given) {
  return *std::min_element(kKinds.begin(), kKinds.end(), [&](const auto& a, const auto& b) {
    return edit_distance(given, a.name) < edit_distance(given, b.name);
  });
}

/// `given`: the misspelt kind at the begin of `text`. Keeps its numbers.
std::string suggestion(std::string_view text, std::string_view given, const SpecKind& nearest) {
  if (text.size() <= given.size() + 1) return format("did you mean {}?", nearest.info.example);
  return format("did you mean {}{}?", nearest.name, text.substr(given.size()));
}

Error unknown_kind(std::string_view text) {
  const std::string given = kind_in(text);
  const SpecKind& nearest = nearest_kind(given);
  std::string remedy = "give a spec such as kron:10; leeway generate --help lists them";
  if (is_near(given, nearest.name)) remedy = suggestion(text, given, nearest);
  return input_error(std::string(text), format("'{}' is not a kind of graph", given), remedy);
}

}  // namespace

std::span<const GraphSpecInfo> graph_specs() {
  static const auto infos = [] {
    std::array<GraphSpecInfo, kKinds.size()> list;
    for (std::size_t i = 0; i < kKinds.size(); ++i) list[i] = kKinds[i].info;
    return list;
  }();
  return infos;
}

Error no_such_graph(std::string_view text) {
  const std::string given = kind_in(text);
  const SpecKind& nearest = nearest_kind(given);
  const bool file = text.find('/') != text.npos || text.find("://") != text.npos ||
                    (text.find(':') == text.npos && text.find('.') != text.npos);
  if (file) return input_error(std::string(text), "no such file", "check the path");
  std::string remedy = "check the path, or give a spec such as kron:10 (leeway generate --help)";
  if (is_near(given, nearest.name)) remedy = suggestion(text, given, nearest);
  return input_error(std::string(text), "no such file, and no such graph spec", remedy);
}

bool is_drawn_spec(std::string_view text) {
  const SpecKind* kind = kind_of(text);
  return kind != nullptr && kind->info.drawn;
}

bool is_graph_spec(std::string_view text) {
  const SpecKind* kind = kind_of(text);
  return kind != nullptr && (kind->most_parts == 0 || text.size() > kind->name.size());
}

namespace {

Result<ListedGraph> list(std::string_view text, Spec spec) {
  const SpecKind* kind = kind_of(text);
  if (kind == nullptr) return fail(unknown_kind(text));
  spec.example = kind->info.example;
  if (text.size() > kind->name.size()) spec.parts = split(text.substr(kind->name.size() + 1), ':');
  if (spec.parts.size() < kind->least_parts || spec.parts.size() > kind->most_parts) {
    return fail(spec.error(format("does not fit {}", kind->info.form)));
  }
  return kind->make(spec);
}

}  // namespace

Result<ListedGraph> list_spec(std::string_view text, const LoadOptions& options) {
  return list(text, Spec(text, options));
}

Result<Graph> generate(std::string_view text, const LoadOptions& options) {
  LEEWAY_ASSIGN(ListedGraph listed, list_spec(text, options));
  return build_graph(std::move(listed), options);
}

Result<SpecSize> size_of_spec(std::string_view text, const LoadOptions& options) {
  constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();
  SpecSize size{.vertices = kUnknown};
  auto listed = list(text, Spec(text, options, &size));
  if (size.vertices != kUnknown) return size;
  if (!listed) return fail(std::move(listed).error());
  // Known graphs are small, so their size is determined by building them.
  LEEWAY_ASSIGN(const Graph made, build_graph(std::move(*listed), options));
  return SpecSize{made.vertex_count(), made.arc_count(), made.directed(), made.weighted()};
}

}  // namespace leeway
