#include "test/answers/graph_input.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <set>

namespace leeway::answers {

std::string decimal(double value) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::optional<std::string> chosen(const Choices& choices, std::string_view name) {
  for (const Choice& choice : choices) {
    if (choice.name == name) return choice.value;
  }
  return std::nullopt;
}

bool Lists::symmetric() const {
  std::set<std::pair<std::uint32_t, std::uint32_t>> arcs;
  for (std::uint32_t v = 0; v < size(); ++v) {
    for (const Arc& arc : out[v]) arcs.emplace(v, arc.to);
  }
  return std::all_of(arcs.begin(), arcs.end(), [&](const auto& arc) {
    return arcs.contains({arc.second, arc.first});
  });
}

std::vector<std::vector<std::uint32_t>> Lists::both_ways() const {
  std::vector<std::vector<std::uint32_t>> both(size());
  for (std::uint32_t v = 0; v < size(); ++v) {
    for (const Arc& arc : out[v]) {
      both[v].push_back(arc.to);
      if (directed) both[arc.to].push_back(v);
    }
  }
  return both;
}

namespace {

double merged(double kept, double come, const std::string& how) {
  if (how == "min") return std::min(kept, come);
  if (how == "max") return std::max(kept, come);
  if (how == "first") return kept;
  if (how == "last") return come;
  return kept + come;
}

/// Merges parallel arcs into one, in the order of the file.
void merge(std::vector<Lists::Arc>& arcs, const std::string& how) {
  std::vector<Lists::Arc> kept;
  for (const Lists::Arc& arc : arcs) {
    const auto same = std::find_if(kept.begin(), kept.end(),
                                   [&](const Lists::Arc& each) { return each.to == arc.to; });
    if (same == kept.end())
      kept.push_back(arc);
    else
      same->weight = merged(same->weight, arc.weight, how);
  }
  arcs = std::move(kept);
}

bool is_matrix(const InputGraph& graph) {
  bool fits = graph.form == FileForm::Matrix && graph.directed && !graph.words;
  for (std::uint32_t v = 0; v < graph.size(); ++v)
    fits = fits && graph.names[v] == std::to_string(v + 1);
  std::set<std::pair<std::uint32_t, std::uint32_t>> entries;  // each position once
  for (const InputEdge& edge : graph.edges)
    fits = fits && entries.emplace(edge.from, edge.to).second;
  return fits;
}

}  // namespace

void remove_vertices(InputGraph& graph, std::uint32_t first, std::uint32_t end) {
  const auto dropped = [&](std::uint32_t v) { return v >= first && v < end; };
  std::erase_if(graph.edges,
                [&](const InputEdge& edge) { return dropped(edge.from) || dropped(edge.to); });
  for (InputEdge& edge : graph.edges) {
    if (edge.from >= end) edge.from -= end - first;
    if (edge.to >= end) edge.to -= end - first;
  }
  graph.names.erase(graph.names.begin() + first, graph.names.begin() + end);
  if (graph.users > first) graph.users -= std::min(end, graph.users) - first;
}

Lists read_as(const InputGraph& graph, const Choices& choices) {
  Lists lists;
  lists.directed = graph.directed;
  if (chosen(choices, "directed")) lists.directed = true;
  if (chosen(choices, "undirected") || chosen(choices, "symmetrize")) lists.directed = false;
  // A matrix declares in its first line whether it has values; an edge list shows it by its edges.
  const bool shows_weights = is_matrix(graph) || !graph.edges.empty();
  lists.weighted = graph.weighted && shows_weights && chosen(choices, "weights") != "none";
  lists.out.resize(graph.size());
  const bool drop_loops = chosen(choices, "self-loops") == "drop";
  for (const InputEdge& edge : graph.edges) {
    const double weight = lists.weighted ? edge.weight : 1;
    if (edge.from == edge.to) {
      if (!drop_loops) lists.out[edge.from].push_back({edge.to, weight});
      continue;
    }
    lists.out[edge.from].push_back({edge.to, weight});
    if (!lists.directed) lists.out[edge.to].push_back({edge.from, weight});
  }
  if (chosen(choices, "duplicates") == "merge") {
    const std::string how = chosen(choices, "merge-weights").value_or("sum");
    for (auto& arcs : lists.out)
      merge(arcs, lists.weighted ? how : "first");  // an arc without weight keeps weight 1
  }
  return lists;
}

namespace {

std::string edge_line(const InputGraph& graph, const InputEdge& edge, bool indices) {
  std::string line = indices ? std::to_string(edge.from) + " " + std::to_string(edge.to)
                             : graph.names[edge.from] + " " + graph.names[edge.to];
  if (graph.weighted) line += " " + decimal(edge.weight);
  return line + "\n";
}

bool all_have_edges(const InputGraph& graph) {
  std::set<std::uint32_t> seen;
  for (const InputEdge& edge : graph.edges) seen.insert({edge.from, edge.to});
  return seen.size() == graph.size();
}

bool all_whole(const InputGraph& graph) {
  return std::all_of(graph.edges.begin(), graph.edges.end(), [](const InputEdge& edge) {
    return decimal(edge.weight).find_first_not_of("0123456789") == std::string::npos;
  });
}

void write_edges(const InputGraph& graph, std::ofstream& file) {
  // String names are numbered in order of appearance, so the order must follow from the edges.
  if (graph.size() > 0 && !graph.words && all_have_edges(graph)) {
    file << (graph.directed ? "# directed\n" : "# undirected\n");
    for (const InputEdge& edge : graph.edges) file << edge_line(graph, edge, false);
    return;
  }
  const bool weighted = graph.weighted && !graph.edges.empty();
  file << "# Nodes: " << graph.size() << " Edges: " << graph.edges.size()
       << "\n# leeway: directed=" << (graph.directed ? "yes" : "no") << " weights="
       << (!weighted          ? "none"
           : all_whole(graph) ? "integer"
                              : "real");
  if (graph.size() > 0)
    file << " names=" << (graph.words ? "strings" : "numbers") << " ids=indices";
  file << "\n";
  for (const std::string& name : graph.names) file << "# leeway-vertex: " << name << "\n";
  for (const InputEdge& edge : graph.edges) file << edge_line(graph, edge, true);
}

void write_matrix(const InputGraph& graph, std::ofstream& file) {
  file << "%%MatrixMarket matrix coordinate "
       << (!graph.weighted    ? "pattern"
           : all_whole(graph) ? "integer"
                              : "real")
       << " general\n"
       << graph.size() << " " << graph.size() << " " << graph.edges.size() << "\n";
  for (const InputEdge& edge : graph.edges) file << edge_line(graph, edge, false);
}

}  // namespace

std::vector<std::string> graph_files(const InputGraph& graph, const std::string& stem) {
  if (graph.form == FileForm::Ldbc) return {stem + ".v", stem + ".e", stem + ".properties"};
  if (is_matrix(graph)) return {stem + ".mtx"};
  return {stem + (graph.form == FileForm::Ratings ? ".ratings" : ".txt")};
}

std::string format_of(const InputGraph& graph) {
  if (graph.form == FileForm::Ldbc) return "ldbc";
  if (graph.form == FileForm::Ratings) return "ratings";
  return is_matrix(graph) ? "matrix-market" : "edge-list";
}

std::string write_graph(const InputGraph& graph, const std::string& stem) {
  const std::vector<std::string> files = graph_files(graph, stem);
  std::ofstream file(files[0]);
  if (graph.form == FileForm::Ldbc) {
    for (const std::string& name : graph.names) file << name << "\n";
    std::ofstream edges(files[1]);
    for (const InputEdge& edge : graph.edges) edges << edge_line(graph, edge, false);
    std::ofstream(files[2]) << "graph.g.directed = " << (graph.directed ? "true" : "false") << "\n";
    return files[0];
  }
  if (graph.form == FileForm::Ratings) {
    for (const InputEdge& edge : graph.edges) {
      file << graph.names[edge.from].substr(1) << "::" << graph.names[edge.to].substr(1)
           << "::" << decimal(edge.weight) << "\n";
    }
    return files[0];
  }
  if (is_matrix(graph))
    write_matrix(graph, file);
  else
    write_edges(graph, file);
  return files[0];
}

}  // namespace leeway::answers
