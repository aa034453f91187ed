#include "leeway/datasets/write_lists.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "leeway/base/format.h"
#include "leeway/datasets/annotation.h"
#include "leeway/datasets/csv_row.h"

namespace leeway {

namespace {

/// Calls `visit(index, from, to)` for each arc, or once for each edge of an undirected graph: from
/// the larger end, as symmetric matrices have it, or the smaller.
enum class Ends { All, FromSmaller, FromLarger };

template <class Visit>
void for_each_edge(const Graph& graph, Ends ends, Visit&& visit) {
  for (std::uint32_t v = 0; v < graph.vertex_count(); ++v) {
    const std::uint64_t begin = graph.offsets()[v];
    const auto list = graph.neighbors(VertexId(v));
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::uint32_t to = list[i].value();
      if ((ends == Ends::FromSmaller && to < v) || (ends == Ends::FromLarger && to > v)) continue;
      visit(begin + i, v, to);
    }
  }
}

/// A name that stands in an edge list as it is and is read back as a word.
bool is_plain_word(const std::string& name) {
  const auto c = static_cast<unsigned char>(name.empty() ? '0' : name[0]);
  const bool begins = (c | 0x20) >= 'a' ? (c | 0x20) <= 'z' || c >= 0x80 : c == '_';
  return begins && name.find_first_of(" \t\r\n,") == std::string::npos;
}

bool all_plain_words(const Graph& graph) {
  for (std::uint32_t v = 0; v < graph.vertex_count(); ++v) {
    if (!is_plain_word(graph.names().name(VertexId(v)))) return false;
  }
  return true;
}

std::string_view kind_word(WeightKind kind) {
  constexpr std::array<std::string_view, 4> kWords = {"pattern", "integer", "real", "complex"};
  return kWords[static_cast<std::size_t>(kind)];
}

}  // namespace

bool has_isolated(const Graph& graph) {
  std::vector<bool> seen(graph.vertex_count());
  for_each_edge(graph, Ends::All, [&](std::uint64_t, std::uint32_t from, std::uint32_t to) {
    seen[from] = true;
    seen[to] = true;
  });
  return std::find(seen.begin(), seen.end(), false) != seen.end();
}

void TextOutput::flush() {
  if (status_) status_ = sink_.write(buffer_);
  buffer_.clear();
}

void TextOutput::number(std::uint64_t value) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  text({digits.data(), static_cast<std::size_t>(end - digits.data())});
}

void TextOutput::real(double value) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  text({digits.data(), static_cast<std::size_t>(end - digits.data())});
}

void TextOutput::weight(const Graph& graph, std::uint64_t index) {
  if (!graph.weighted()) return;
  text(" ");
  const double value = graph.weights()[index];
  if (graph.weight_kind() == WeightKind::Integer)
    text(format("{:.0f}", value));
  else
    real(value);
  if (graph.weight_kind() != WeightKind::Complex) return;
  text(" ");
  real(graph.imaginary()[index]);
}

Status write_edge_list(const Graph& graph, ByteSink& sink) {
  const NameKind kind = graph.names().kind();
  const bool words = kind == NameKind::Strings && all_plain_words(graph);
  const bool indices =
      (kind == NameKind::Strings && !words) || (kind == NameKind::Numbers && has_isolated(graph));
  TextOutput out(sink);
  LEEWAY_TRY(sink.write(format("# {} graph\n# Nodes: {} Edges: {}\n",
                               graph.directed() ? "Directed" : "Undirected", graph.vertex_count(),
                               graph.edge_count())));
  LEEWAY_TRY(write_annotation(graph, "#", words || indices, indices, sink));
  const auto id = [&](std::uint32_t v) {
    if (words)
      out.text(graph.names().name(VertexId(v)));
    else if (indices)
      out.number(v);
    else if (kind == NameKind::Sequence)
      out.number(graph.names().first() + v);
    else
      out.number(graph.names().ids()[v]);
  };
  for_each_edge(graph, graph.directed() ? Ends::All : Ends::FromSmaller,
                [&](std::uint64_t index, std::uint32_t from, std::uint32_t to) {
                  id(from);
                  out.text(" ");
                  id(to);
                  out.weight(graph, index);
                  out.text("\n");
                });
  return out.finish();
}

Status write_csv(const Graph& graph, ByteSink& sink) {
  if (graph.weight_kind() == WeightKind::Complex) {
    return fail(input_error("--to csv", "complex weights have no place in one column",
                            "write .mtx or the binary format"));
  }
  TextOutput out(sink);
  out.text(graph.weighted() ? "source,target,weight\n" : "source,target\n");
  const bool words = graph.names().kind() == NameKind::Strings;
  const auto id = [&](std::uint32_t v) {
    const std::string name(graph.names().name(VertexId(v)));
    out.text(words ? csv_field(name) : name);
  };
  for_each_edge(graph, graph.directed() ? Ends::All : Ends::FromSmaller,
                [&](std::uint64_t index, std::uint32_t from, std::uint32_t to) {
                  id(from);
                  out.text(",");
                  id(to);
                  if (graph.weighted()) out.text(",");
                  if (graph.weight_kind() == WeightKind::Integer)
                    out.text(format("{:.0f}", graph.weights()[index]));
                  else if (graph.weighted())
                    out.real(graph.weights()[index]);
                  out.text("\n");
                });
  return out.finish();
}

Status write_matrix_market(const Graph& graph, ByteSink& sink) {
  TextOutput out(sink);
  LEEWAY_TRY(
      sink.write(format("%%MatrixMarket matrix coordinate {} {}\n", kind_word(graph.weight_kind()),
                        graph.directed() ? "general" : "symmetric")));
  LEEWAY_TRY(write_annotation(graph, "%", true, false, sink));
  out.text(format("{} {} {}\n", graph.vertex_count(), graph.vertex_count(), graph.edge_count()));
  for_each_edge(graph, graph.directed() ? Ends::All : Ends::FromLarger,
                [&](std::uint64_t index, std::uint32_t from, std::uint32_t to) {
                  out.number(std::uint64_t{from} + 1);
                  out.text(" ");
                  out.number(std::uint64_t{to} + 1);
                  out.weight(graph, index);
                  out.text("\n");
                });
  return out.finish();
}

Status write_metis(const Graph& graph, ByteSink& sink) {
  TextOutput out(sink);
  LEEWAY_TRY(write_annotation(graph, "%", true, false, sink));
  out.text(
      format("{} {}{}\n", graph.vertex_count(), graph.edge_count(), graph.weighted() ? " 1" : ""));
  for (std::uint32_t v = 0; v < graph.vertex_count(); ++v) {
    const std::uint64_t begin = graph.offsets()[v];
    const auto list = graph.neighbors(VertexId(v));
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out.text(" ");
      out.number(std::uint64_t{list[i].value()} + 1);
      out.weight(graph, begin + i);
    }
    out.text("\n");
  }
  return out.finish();
}

Status write_dimacs(const Graph& graph, ByteSink& sink) {
  const bool topology = !graph.directed() && !graph.weighted();
  TextOutput out(sink);
  LEEWAY_TRY(write_annotation(graph, "c", true, false, sink));
  out.text(format("p {} {} {}\n", topology ? "tw" : "sp", graph.vertex_count(),
                  topology ? graph.edge_count() : graph.arc_count()));
  for_each_edge(graph, topology ? Ends::FromSmaller : Ends::All,
                [&](std::uint64_t index, std::uint32_t from, std::uint32_t to) {
                  if (!topology) out.text("a ");
                  out.number(std::uint64_t{from} + 1);
                  out.text(" ");
                  out.number(std::uint64_t{to} + 1);
                  if (!topology && !graph.weighted()) out.text(" 1");
                  out.weight(graph, index);
                  out.text("\n");
                });
  return out.finish();
}

}  // namespace leeway
