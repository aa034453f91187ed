// A graph as SciPy's sparse matrix, rows to columns: what scipy.sparse.load_npz reads.
#include <array>
#include <bit>
#include <limits>
#include <vector>

#include "leeway/base/format.h"
#include "leeway/datasets/npy.h"
#include "leeway/datasets/write_lists.h"
#include "leeway/datasets/zip_archive.h"

namespace leeway {

namespace {

template <class Number>
std::string_view bytes_of(std::span<const Number> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}

}  // namespace

Status write_npz(const Graph& graph, ByteSink& sink) {
  static_assert(std::endian::native == std::endian::little,
                "arrays are written as they lie in memory");
  static_assert(sizeof(VertexId) == sizeof(std::int32_t));
  if (graph.vertex_count() > static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max())) {
    return fail(input_error("--to npz", "SciPy's indices hold no more than 2^31 - 1 vertices",
                            "write the binary format"));
  }
  if (graph.weight_kind() == WeightKind::Complex)
    return fail(input_error("--to npz", "complex weights are not written so", "write .mtx"));
  const std::array<std::int64_t, 2> shape = {graph.vertex_count(), graph.vertex_count()};
  constexpr std::array<std::uint64_t, 1> kNoVertices = {
      0};  // a default graph has no offsets of its own
  const std::span<const std::uint64_t> offsets =
      graph.offsets().empty() ? std::span<const std::uint64_t>(kNoVertices) : graph.offsets();
  ZipWriter zip(sink);
  const auto add = [&](std::string_view name, std::string_view type,
                       const std::vector<std::uint64_t>& sides, std::string_view bytes) {
    const std::string header = npy_header(type, sides);
    return zip.add(format("{}.npy", name), {header, bytes});
  };
  LEEWAY_TRY(add("indices", "<i4", {graph.arc_count()}, bytes_of(graph.targets())));
  LEEWAY_TRY(add("indptr", "<i8", {offsets.size()}, bytes_of(offsets)));
  LEEWAY_TRY(add("format", "|S3", {}, "csr"));
  LEEWAY_TRY(add("shape", "<i8", {2}, bytes_of(std::span<const std::int64_t>(shape))));
  if (graph.weight_kind() == WeightKind::Integer) {
    std::vector<std::int64_t> whole;
    whole.reserve(graph.arc_count());
    for (const double weight : graph.weights()) whole.push_back(static_cast<std::int64_t>(weight));
    LEEWAY_TRY(
        add("data", "<i8", {graph.arc_count()}, bytes_of(std::span<const std::int64_t>(whole))));
  } else if (graph.weighted()) {
    LEEWAY_TRY(add("data", "<f8", {graph.arc_count()}, bytes_of(graph.weights())));
  } else {
    LEEWAY_TRY(add("data", "|i1", {graph.arc_count()}, std::string(graph.arc_count(), '\1')));
  }
  return zip.finish();
}

}  // namespace leeway
