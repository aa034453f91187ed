#include "leeway/datasets/write_graph.h"

#include <algorithm>
#include <array>
#include <vector>

#include "leeway/base/format.h"
#include "leeway/base/log.h"
#include "leeway/base/nearest.h"
#include "leeway/datasets/byte_stream.h"
#include "leeway/datasets/write_lists.h"

namespace leeway {

namespace {

using Writer = Status (*)(const Graph& graph, ByteSink& sink);

constexpr std::array<FormatInfo, 6> kFormats = {
    {{"edge-list", "an edge a line, weight last; '#' comments"},
     {"matrix-market", "Matrix Market coordinate .mtx"},
     {"metis", "METIS .graph"},
     {"dimacs", "DIMACS .gr: p tw if undirected and unweighted, else p sp"},
     {"csv", "comma-separated values, an edge a row; no direction, no vertex without edges"},
     {"npz", "SciPy's sparse matrix .npz, csr; no names"}}};
constexpr std::array<Writer, 6> kWriters = {write_edge_list, write_matrix_market, write_metis,
                                            write_dimacs,    write_csv,           write_npz};

/// What a name may end in, and what is written under it. The binary form is written elsewhere.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kSuffixes = {
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

/// Says what another reader of the file cannot know.
void warn_of_loss(const Graph& graph, std::string_view format, const std::string& path) {
  const NameKind names = graph.names().kind();
  const bool csv = format == "csv";
  if (!csv && format != "npz") return;
  if (csv && !graph.directed())
    log_warning("{}: CSV does not say that the graph is undirected; read it with --undirected",
                path);
  if (csv && has_isolated(graph))
    log_warning("{}: CSV has no place for vertices without edges, which are left out", path);
  if (!csv && (names != NameKind::Sequence || graph.names().first() != 0))
    log_warning("{}: vertices are called 0 to {} there, not by their names", path,
                std::max<std::uint64_t>(graph.vertex_count(), 1) - 1);
}

Result<Writer> writer_called(std::string_view name) {
  for (std::size_t i = 0; i < kFormats.size(); ++i) {
    if (kFormats[i].name == name) return kWriters[i];
  }
  std::vector<std::string_view> names;
  names.reserve(kFormats.size());
  for (const auto& info : kFormats) names.push_back(info.name);
  return fail(
      input_error("--to", format("'{}' cannot be written", name), did_you_mean(name, names)));
}

/// A name of several lines would break the comments that carry it.
Status check_names(const Graph& graph) {
  if (graph.names().kind() != NameKind::Strings) return {};
  for (const char c : graph.names().text().span()) {
    if (c != '\n' && c != '\r') continue;
    return fail(input_error("vertex names",
                            "a name holds a line break, which no text format carries",
                            "rename the vertex, or write the binary format"));
  }
  return {};
}

}  // namespace

std::span<const FormatInfo> writable_formats() { return kFormats; }

Result<std::string_view> format_of_name(const std::filesystem::path& path) {
  const std::string whole = path.filename().string();
  const std::string_view name = without_compression(whole);
  const auto dot = name.rfind('.');
  if (dot == name.npos || dot == 0) return "edge-list";
  const std::string_view suffix = name.substr(dot);
  std::vector<std::string_view> known;
  for (const auto& [each, format] : kSuffixes) {
    if (each == suffix) return format;
    known.push_back(each);
  }
  return fail(
      input_error(path.string(), format("no format that can be written is called '{}'", suffix),
                  format("use one of {}, perhaps with .gz, .zst or .xz, or say which with --to",
                         fmt::join(known, " "))));
}

Status write_graph(const Graph& graph, const std::filesystem::path& path,
                   std::optional<std::string> format) {
  std::string_view chosen = format ? std::string_view(*format) : std::string_view();
  if (!format) {
    LEEWAY_ASSIGN(chosen, format_of_name(path));
  }
  LEEWAY_ASSIGN(const Writer write, writer_called(chosen));
  LEEWAY_TRY(check_names(graph));
  LEEWAY_ASSIGN(const auto sink, create_sink(path));
  LEEWAY_TRY(write(graph, *sink));
  LEEWAY_TRY(sink->finish());
  warn_of_loss(graph, chosen, path.string());
  return {};
}

}  // namespace leeway
