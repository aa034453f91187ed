#include "leeway/datasets/write_graph.h"

#include <algorithm>
#include <array>
#include <vector>

#include "leeway/base/format.h"
#include "leeway/base/nearest.h"
#include "leeway/datasets/byte_stream.h"
#include "leeway/datasets/write_lists.h"

namespace leeway {

namespace {

using Writer = Status (*)(const Graph& graph, ByteSink& sink);

constexpr std::array<FormatInfo, 4> kFormats = {
    {{"edge-list", "an edge a line, weight last; '#' comments"},
     {"matrix-market", "Matrix Market coordinate .mtx"},
     {"metis", "METIS .graph"},
     {"dimacs", "DIMACS .gr: p tw if undirected and unweighted, else p sp"}}};
constexpr std::array<Writer, 4> kWriters = {write_edge_list, write_matrix_market, write_metis,
                                            write_dimacs};

Result<Writer> writer_called(std::string_view name) {
  for (std::size_t i = 0; i < kFormats.size(); ++i) {
    if (kFormats[i].name == name) return kWriters[i];
  }
  std::vector<std::string_view> names;
  names.reserve(kFormats.size());
  for (const auto& info : kFormats) names.push_back(info.name);
  return fail(
      input_error("--format", format("'{}' cannot be written", name), did_you_mean(name, names)));
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

std::string_view format_of_name(const std::filesystem::path& path) {
  const std::string whole = path.string();
  const std::string_view name = without_compression(whole);
  if (name.ends_with(".mtx")) return "matrix-market";
  if (name.ends_with(".graph") || name.ends_with(".metis")) return "metis";
  if (name.ends_with(".gr")) return "dimacs";
  return "edge-list";
}

Status write_graph(const Graph& graph, const std::filesystem::path& path,
                   std::optional<std::string> format) {
  LEEWAY_ASSIGN(const Writer write, writer_called(format ? *format : format_of_name(path)));
  LEEWAY_TRY(check_names(graph));
  LEEWAY_ASSIGN(const auto sink, create_sink(path));
  LEEWAY_TRY(write(graph, *sink));
  return sink->finish();
}

}  // namespace leeway
