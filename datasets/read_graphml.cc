// Reader of GraphML, by means of pugixml: nodes, edges, direction, and the edge key with the name "weight" (or the only
// numeric key).

#include <algorithm>
#include <cstring>
#include <pugixml.hpp>
#include <unordered_map>

#include "base/format.h"
#include "datasets/parse.h"
#include "datasets/readers.h"
#include "datasets/vertex_numbering.h"

namespace leeway {

namespace {

Result<std::string> read_all(const InputFile& file) {
  LEEWAY_ASSIGN(auto source, file.open());
  std::string text;
  for (;;) {
    const std::size_t have = text.size();
    const std::size_t room =
        std::clamp<std::size_t>(have, std::size_t{64} << 10, std::size_t{16} << 20);
    text.resize(have + room);
    LEEWAY_ASSIGN(const std::size_t got, source->read(text.data() + have, room));
    text.resize(have + got);
    if (got == 0) return text;
  }
}

class GraphmlReader {
 public:
  GraphmlReader(const std::string& name, const std::string& text, bool keep)
      : name_(name), text_(text), keep_(keep) {}

  Result<ListedGraph> read() {
    pugi::xml_document document;
    const auto parsed = document.load_buffer(text_.data(), text_.size(), pugi::parse_default);
    if (!parsed) return fault(parsed.offset, parsed.description(), "correct the XML");
    const pugi::xml_node root = document.child("graphml");
    if (!root) return fault(0, "there is no <graphml> element", "check that the file is GraphML");
    const pugi::xml_node graph = root.child("graph");
    if (!graph)
      return fault(root.offset_debug(), "there is no <graph> element",
                   "check that the file is GraphML");
    const std::string_view direction = graph.attribute("edgedefault").as_string("undirected");
    if (direction != "directed" && direction != "undirected") {
      return fault(graph.offset_debug(), format("edgedefault is '{}'", direction),
                   "write directed or undirected");
    }
    directed_ = direction == "directed";
    LEEWAY_TRY(choose_weight(root));
    LEEWAY_TRY(read_nodes(graph));
    LEEWAY_TRY(read_edges(graph));
    return finish();
  }

 private:
  tl::unexpected<Error> fault(std::ptrdiff_t offset, std::string what, std::string remedy) const {
    const auto end = text_.begin() + std::clamp<std::ptrdiff_t>(
                                         offset, 0, static_cast<std::ptrdiff_t>(text_.size()));
    const auto line = std::count(text_.begin(), end, '\n') + 1;
    return fail(input_error(format("{}:{}", name_, line), std::move(what), std::move(remedy)));
  }

  Status choose_weight(pugi::xml_node root) {
    std::vector<pugi::xml_node> numeric;
    for (const auto key : root.children("key")) {
      const std::string_view kind = key.attribute("for").as_string("all");
      if (kind != "edge" && kind != "all") continue;
      const std::string_view type = key.attribute("attr.type").as_string("string");
      if (type == "string" || type == "boolean") continue;
      if (std::string_view(key.attribute("attr.name").as_string()) == "weight") {
        numeric = {key};
        break;
      }
      numeric.push_back(key);
    }
    if (numeric.size() != 1) return {};
    weight_key_ = numeric[0].attribute("id").as_string();
    const std::string_view type = numeric[0].attribute("attr.type").as_string();
    declared_whole_ = type == "int" || type == "long";
    if (const auto usual = numeric[0].child("default")) {
      LEEWAY_TRY(read_number(usual, default_weight_.emplace()));
    }
    return {};
  }

  Status read_number(pugi::xml_node node, double& value) {
    std::string text = node.text().get();
    text.erase(0, text.find_first_not_of(" \t\r\n"));
    text.erase(text.find_last_not_of(" \t\r\n") + 1);
    const std::string word = text;
    text += '\n';
    const char* at = text.data();
    if (parse_real(at, value, whole_) != NumberFault::None || *at != '\n') {
      return fault(node.offset_debug(), format("'{}' is not a finite weight", word.substr(0, 40)),
                   "give a number");
    }
    return {};
  }

  Status read_nodes(pugi::xml_node graph) {
    for (const auto node : graph.children("node")) {
      const std::string id = node.attribute("id").as_string();
      if (id.empty()) return fault(node.offset_debug(), "a node has no id", "give it one");
      if (first_not_text(id) || !is_one_line(id)) {
        return fault(node.offset_debug(), "a node's id is not one line of UTF-8 text",
                     "rename the node");
      }
      if (!vertices_.try_emplace(id, static_cast<std::uint32_t>(ids_.size())).second) {
        return fault(node.offset_debug(), format("two nodes have the id '{}'", id), "rename one");
      }
      ids_.push_back(id);
      if (node.child("graph"))
        return fault(node.offset_debug(), "a graph inside a node is not supported",
                     "flatten the graph");
    }
    return {};
  }

  Result<VertexId> end_of(pugi::xml_node edge, const char* which) const {
    const std::string id = edge.attribute(which).as_string();
    const auto found = vertices_.find(id);
    if (found == vertices_.end()) {
      return fault(edge.offset_debug(),
                   format("the edge's {} '{}' is not a node", which, id.substr(0, 40)),
                   "add the node or drop the edge");
    }
    return VertexId(found->second);
  }

  Status read_edges(pugi::xml_node graph) {
    if (const auto hyper = graph.child("hyperedge")) {
      return fault(hyper.offset_debug(), "hyperedges are not supported", "replace them by edges");
    }
    for (const auto edge : graph.children("edge")) {
      LEEWAY_ASSIGN(const VertexId source, end_of(edge, "source"));
      LEEWAY_ASSIGN(const VertexId target, end_of(edge, "target"));
      const bool arc = edge.attribute("directed").as_bool(directed_);
      if (arc && !directed_) {
        return fault(edge.offset_debug(), "a directed edge in an undirected graph",
                     "write edgedefault=\"directed\"");
      }
      double weight = default_weight_.value_or(0);
      if (!weight_key_.empty()) LEEWAY_TRY(read_weight(edge, weight));
      add(source, target, weight);
      if (!arc && directed_ && source != target) add(target, source, weight);
    }
    return {};
  }

  Status read_weight(pugi::xml_node edge, double& weight) {
    for (const auto data : edge.children("data")) {
      if (weight_key_ == data.attribute("key").as_string()) return read_number(data, weight);
    }
    if (default_weight_) return {};
    return fault(edge.offset_debug(), format("the edge has no '{}'", weight_key_),
                 "give its weight, or the key a default");
  }

  void add(VertexId source, VertexId target, double weight) {
    if (weight_key_.empty() || !keep_)
      builder_.add(source, target);
    else
      builder_.add(source, target, weight);
  }

  /// If all ids are ascending numbers, the vertices are named by number, otherwise by text.
  Result<ListedGraph> finish() {
    ListedGraph graph;
    graph.shape.vertex_count = static_cast<std::uint32_t>(ids_.size());
    graph.shape.directed = directed_;
    LEEWAY_ASSIGN(auto chunk, builder_.finish());
    graph.edges.chunks.push_back(std::move(chunk));
    const bool whole = declared_whole_ && whole_;
    graph.edges.weight_kind = weight_key_.empty() || !keep_ ? WeightKind::None
                              : whole                       ? WeightKind::Integer
                                                            : WeightKind::Real;
    std::vector<std::uint64_t> numbers;
    for (const auto& id : ids_) {
      const std::string text = id + '\n';
      const char* at = text.data();
      std::uint64_t value = 0;
      const bool plain = parse_unsigned(at, value) == NumberFault::None && *at == '\n' &&
                         std::to_string(value) == id;
      if (!plain || (!numbers.empty() && value <= numbers.back())) break;
      numbers.push_back(value);
    }
    if (numbers.size() == ids_.size()) {
      LEEWAY_ASSIGN(graph.shape.names, names_from_numbers(numbers));
    } else {
      LEEWAY_ASSIGN(graph.shape.names, names_from_words(ids_));
    }
    return graph;
  }

  const std::string& name_;
  const std::string& text_;
  const bool keep_;
  bool directed_ = false;
  bool whole_ = true;
  bool declared_whole_ = false;
  std::string weight_key_;
  std::optional<double> default_weight_;
  std::vector<std::string> ids_;
  std::unordered_map<std::string, std::uint32_t> vertices_;
  EdgeChunkBuilder builder_;
};

}  // namespace

Result<ListedGraph> read_graphml(const InputFile& file, const LoadOptions& options) {
  LEEWAY_ASSIGN(const std::string text, read_all(file));
  if (const auto bad = first_not_text(text)) {
    const auto line =
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(*bad), '\n') + 1;
    return fail(input_error(format("{}:{}", file.name, line), std::string(kNotText),
                            std::string(kMakeText)));
  }
  return GraphmlReader(file.name, text, keeps_weights(options)).read();
}

}  // namespace leeway
