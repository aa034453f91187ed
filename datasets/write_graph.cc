#include "datasets/write_graph.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <vector>

#include "base/csv.h"
#include "base/format.h"
#include "base/log.h"
#include "datasets/byte_stream.h"
#include "datasets/graph.h"
#include "datasets/vertex_column.h"
#include "datasets/vertex_numbering.h"

namespace leeway {

namespace {

/// The arcs to write: all, or one for each undirected edge, from its smaller or its larger end (the lower half of a
/// symmetric matrix).
enum class EdgeSelection { All, FromSmaller, FromLarger };

/// Calls `visit(index, from, to)` for each selected arc.
template <class Visit>
void for_each_edge(const Graph& graph, EdgeSelection selection, Visit&& visit) {
  for (std::uint32_t v = 0; v < graph.vertex_count(); ++v) {
    const std::uint64_t begin = graph.offsets()[v];
    const auto list = graph.neighbors(VertexId(v));
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::uint32_t to = list[i].value();
      if ((selection == EdgeSelection::FromSmaller && to < v) ||
          (selection == EdgeSelection::FromLarger && to > v))
        continue;
      visit(begin + i, v, to);
    }
  }
}

/// True if a name can be written to an edge list unchanged and is read back as a word.
bool is_plain_word(const std::string& name) {
  if (name.empty()) return false;
  const auto first = static_cast<unsigned char>(name[0]);
  const bool begins = std::isalpha(first) != 0 || first == '_' || first >= 0x80;
  return begins && name.find_first_of(" \t\r\n,") == std::string::npos;
}

bool all_plain_words(const Graph& graph) {
  for (std::uint32_t v = 0; v < graph.vertex_count(); ++v) {
    if (!is_plain_word(graph.names().name(VertexId(v)))) return false;
  }
  return true;
}

std::string_view kind_word(WeightKind kind) {
  constexpr std::array<std::string_view, 3> kWords = {"pattern", "integer", "real"};
  return kWords[static_cast<std::size_t>(kind)];
}

/// True if a vertex has no arc.
bool has_isolated(const Graph& graph) {
  std::vector<bool> seen(graph.vertex_count());
  for_each_edge(graph, EdgeSelection::All,
                [&](std::uint64_t, std::uint32_t from, std::uint32_t to) {
                  seen[from] = true;
                  seen[to] = true;
                });
  return std::find(seen.begin(), seen.end(), false) != seen.end();
}

}  // namespace

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
}

namespace {

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
  for_each_edge(graph, graph.directed() ? EdgeSelection::All : EdgeSelection::FromSmaller,
                [&](std::uint64_t index, std::uint32_t from, std::uint32_t to) {
                  id(from);
                  out.text(" ");
                  id(to);
                  out.weight(graph, index);
                  out.text("\n");
                });
  return out.finish();
}

/// One edge in each row, after a title row. Omits what CSV cannot express: direction and vertices without edges.
Status write_csv(const Graph& graph, ByteSink& sink) {
  TextOutput out(sink);
  out.text(graph.weighted() ? "source,target,weight\n" : "source,target\n");
  const bool words = graph.names().kind() == NameKind::Strings;
  const auto id = [&](std::uint32_t v) {
    const std::string name(graph.names().name(VertexId(v)));
    out.text(words ? csv_field(name) : name);
  };
  for_each_edge(graph, graph.directed() ? EdgeSelection::All : EdgeSelection::FromSmaller,
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
  for_each_edge(graph, graph.directed() ? EdgeSelection::All : EdgeSelection::FromLarger,
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
  for_each_edge(graph, topology ? EdgeSelection::FromSmaller : EdgeSelection::All,
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

using GraphWriter = Status (*)(const Graph& graph, ByteSink& sink);

constexpr std::array<FormatInfo, 6> kWrittenFormats = {
    {{"edge-list", "one edge on each line, weight last; '#' comments"},
     {"matrix-market", "Matrix Market coordinate .mtx"},
     {"metis", "METIS .graph"},
     {"dimacs", "DIMACS .gr: p tw if undirected and unweighted, else p sp"},
     {"csv", "comma-separated values, one edge in each row; no direction, no vertex without edges"},
     {"npz", "SciPy's sparse matrix .npz, csr; no names"}}};
constexpr std::array<GraphWriter, 6> kWriters = {write_edge_list, write_matrix_market, write_metis,
                                                 write_dimacs,    write_csv,           write_npz};

/// File suffixes and their formats. The binary format is written by `write_binary`.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kFormatSuffixes = {
    {{".lwg", "binary"},
     {".txt", "edge-list"},
     {".edges", "edge-list"},
     {".edgelist", "edge-list"},
     {".snap", "edge-list"},
     {".mtx", "matrix-market"},
     {".graph", "metis"},
     {".metis", "metis"},
     {".gr", "dimacs"},
     {".csv", "csv"},
     {".npz", "npz"}}};

/// Warns about properties of the graph that the format does not preserve.
void warn_of_loss(const Graph& graph, std::string_view format, const std::string& path) {
  const NameKind names = graph.names().kind();
  const bool csv = format == "csv";
  if (!csv && format != "npz") return;
  if (csv && !graph.directed())
    log_warning("{}: CSV does not store that the graph is undirected; read it with --undirected",
                path);
  if (csv && has_isolated(graph))
    log_warning("{}: CSV cannot store vertices without edges; they are omitted", path);
  if (!csv && (names != NameKind::Sequence || graph.names().first() != 0))
    log_warning("{}: .npz does not store vertex names; vertices are numbered from 0 to {}", path,
                std::max<std::uint64_t>(graph.vertex_count(), 1) - 1);
}

Result<GraphWriter> writer_called(std::string_view name) {
  for (std::size_t i = 0; i < kWrittenFormats.size(); ++i) {
    if (kWrittenFormats[i].name == name) return kWriters[i];
  }
  std::vector<std::string_view> names;
  names.reserve(kWrittenFormats.size());
  for (const auto& info : kWrittenFormats) names.push_back(info.name);
  return fail(input_error("--to", format("'{}' is not a format that can be written", name),
                          did_you_mean(name, names)));
}

}  // namespace

std::span<const FormatInfo> writable_formats() { return kWrittenFormats; }

Result<std::string_view> format_of_name(const std::filesystem::path& path) {
  const std::string whole = path.filename().string();
  const std::string_view name = without_compression(whole);
  const auto dot = name.rfind('.');
  if (dot == name.npos || dot == 0) return "edge-list";
  const std::string_view suffix = name.substr(dot);
  std::vector<std::string_view> known;
  for (const auto& [each, format] : kFormatSuffixes) {
    if (each == suffix) return format;
    known.push_back(each);
  }
  return fail(input_error(
      path.string(), format("no format that can be written has the suffix '{}'", suffix),
      format("use one of {}, optionally with .gz, .zst or .xz, or select a format with --to",
             fmt::join(known, " "))));
}

Status write_graph(const Graph& graph, const std::filesystem::path& path,
                   std::optional<std::string> format) {
  std::string_view chosen = format ? std::string_view(*format) : std::string_view();
  if (!format) {
    LEEWAY_ASSIGN(chosen, format_of_name(path));
  }
  LEEWAY_ASSIGN(const GraphWriter write, writer_called(chosen));
  LEEWAY_TRY(check_one_line(graph.names(), "vertex names"));
  LEEWAY_ASSIGN(const auto sink, create_sink(path));
  LEEWAY_TRY(write(graph, *sink));
  LEEWAY_TRY(sink->finish());
  warn_of_loss(graph, chosen, path.string());
  return {};
}

}  // namespace leeway
