#include "leeway/datasets/annotation.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "leeway/base/format.h"
#include "leeway/datasets/vertex_numbering.h"

namespace leeway {

namespace {

constexpr std::string_view kFacts = "leeway:";
constexpr std::string_view kVertex = "leeway-vertex: ";
constexpr std::array<std::string_view, 4> kWeights = {"none", "integer", "real", "complex"};
constexpr std::array<std::string_view, 3> kNames = {"sequence", "numbers", "strings"};

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <class Enum, std::size_t kCount>
std::optional<Enum> choice_of(std::string_view text,
                              const std::array<std::string_view, kCount>& names) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

bool take_fact(std::string_view key, std::string_view value, Annotation& annotation) {
  if (key == "directed" && (value == "yes" || value == "no")) {
    annotation.directed = value == "yes";
    return true;
  }
  if (key == "ids" && (value == "indices" || value == "names")) {
    annotation.ids_are_indices = value == "indices";
    return true;
  }
  if (key == "first") return (annotation.first = number_of(value)).has_value();
  if (key == "left") return (annotation.left = number_of(value)).has_value();
  if (key == "weights")
    return (annotation.weights = choice_of<WeightKind>(value, kWeights)).has_value();
  if (key == "names") return (annotation.names = choice_of<NameKind>(value, kNames)).has_value();
  return false;
}

Error senseless(const std::string& where, std::string what) {
  return input_error(where, std::move(what),
                     "correct the 'leeway' comment lines, or remove them all");
}

}  // namespace

Result<bool> read_annotation(std::string_view comment, const std::string& where,
                             Annotation& annotation) {
  while (comment.starts_with(' ')) comment.remove_prefix(1);
  if (comment.starts_with(kVertex)) {
    annotation.listed.emplace_back(comment.substr(kVertex.size()));
    return true;
  }
  if (!comment.starts_with(kFacts)) return false;
  comment.remove_prefix(kFacts.size());
  while (!comment.empty()) {
    const std::string_view word = comment.substr(0, comment.find(' '));
    comment.remove_prefix(std::min(comment.size(), word.size() + 1));
    if (word.empty()) continue;
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos ||
        !take_fact(word.substr(0, equals), word.substr(equals + 1), annotation)) {
      return fail(senseless(where, format("'{}' means nothing here", word)));
    }
  }
  return true;
}

Status write_annotation(const Graph& graph, std::string_view mark, bool listed,
                        bool ids_are_indices, ByteSink& sink) {
  const VertexNames& names = graph.names();
  std::string text =
      format("{} {} directed={} weights={}", mark, kFacts, graph.directed() ? "yes" : "no",
             kWeights[static_cast<std::size_t>(graph.weight_kind())]);
  if (graph.left_count() > 0) text += format(" left={}", graph.left_count());
  if (names.kind() == NameKind::Sequence)
    text += format(" first={}", names.first());
  else if (listed)
    text += format(" names={}", kNames[static_cast<std::size_t>(names.kind())]);
  if (ids_are_indices) text += " ids=indices";
  text += '\n';
  if (listed && names.kind() != NameKind::Sequence) {
    for (std::uint32_t v = 0; v < graph.vertex_count(); ++v) {
      text += format("{} {}{}\n", mark, kVertex, names.name(VertexId(v)));
      if (text.size() > (std::size_t{1} << 20)) {
        LEEWAY_TRY(sink.write(text));
        text.clear();
      }
    }
  }
  return sink.write(text);
}

Result<VertexNames> annotated_names(const Annotation& annotation, std::uint32_t vertex_count,
                                    std::uint64_t first_usual, const std::string& where) {
  if (annotation.listed.empty()) {
    return VertexNames::sequence(annotation.first.value_or(first_usual), vertex_count);
  }
  if (annotation.listed.size() != vertex_count) {
    return fail(senseless(where, format("{} vertices are named, but there are {}",
                                        annotation.listed.size(), vertex_count)));
  }
  if (annotation.names == NameKind::Numbers) {
    std::vector<std::uint64_t> ids;
    for (const auto& name : annotation.listed) {
      const auto id = number_of(name);
      if (!id || (!ids.empty() && *id <= ids.back())) {
        return fail(
            senseless(where, format("vertex number '{}' is not above the one before", name)));
      }
      ids.push_back(*id);
    }
    LEEWAY_ASSIGN(auto array, Array<std::uint64_t>::copy_of(ids));
    return VertexNames::numbers(std::move(array));
  }
  auto sorted = annotation.listed;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    return fail(senseless(where, format("two vertices are called '{}'", *twice)));
  }
  return names_from_words(annotation.listed);
}

Status annotate_shape(const Annotation& annotation, std::uint64_t vertices,
                      const std::string& where, GraphShape& shape) {
  LEEWAY_CHECK(vertices <= VertexId::none().value());
  shape.vertex_count = static_cast<std::uint32_t>(vertices);
  shape.left_count = static_cast<std::uint32_t>(std::min(annotation.left.value_or(0), vertices));
  LEEWAY_ASSIGN(shape.names, annotated_names(annotation, shape.vertex_count, 1, where));
  return {};
}

WeightKind annotated_kind(const Annotation& annotation, WeightKind found) {
  const WeightKind said = annotation.weights.value_or(found);
  return said == WeightKind::Integer ? found : said;
}

}  // namespace leeway
