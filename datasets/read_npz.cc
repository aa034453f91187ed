// SciPy's sparse matrices, as scipy.sparse.save_npz writes them: csr, csc and coo.
#include <algorithm>
#include <cmath>

#include "leeway/base/format.h"
#include "leeway/datasets/npy.h"
#include "leeway/datasets/readers.h"
#include "leeway/datasets/vertex_numbering.h"
#include "leeway/datasets/zip_archive.h"

namespace leeway {

namespace {

constexpr double kLargestWhole = 9007199254740992.0;  // 2^53
constexpr std::size_t kChunk = std::size_t{1} << 20;

Result<std::string> whole_file(const InputFile& file) {
  LEEWAY_ASSIGN(auto source, file.open());
  std::string bytes;
  for (std::size_t have = 0;; bytes.resize(have)) {
    bytes.resize(have + std::max(kChunk, have / 2));
    LEEWAY_ASSIGN(const std::size_t got, source->read(bytes.data() + have, bytes.size() - have));
    have += got;
    if (got > 0) continue;
    bytes.resize(have);
    return bytes;
  }
}

/// The matrix's entries, and the edges they become.
class SparseMatrix {
 public:
  SparseMatrix(const ZipArchive& archive, std::string name, bool keep)
      : archive_(archive), name_(std::move(name)), keep_(keep) {}

  Result<ListedGraph> read() {
    LEEWAY_ASSIGN(const NpyArray kind, array("format"));
    LEEWAY_TRY(read_shape());
    LEEWAY_ASSIGN(const NpyArray values, array("data"));
    LEEWAY_TRY(values.check_numbers(false));
    values_ = &values;
    whole_ = values.is_whole();
    const std::string format_name = kind.text();
    if (format_name == "csr" || format_name == "csc") {
      LEEWAY_TRY(read_compressed(format_name == "csr"));
    } else if (format_name == "coo") {
      LEEWAY_TRY(read_coordinates());
    } else {
      return fail(input_error(name_, format("a sparse matrix of the format '{}'", format_name),
                              "convert it with SciPy: matrix.tocsr()"));
    }
    LEEWAY_TRY(close_chunk());
    LEEWAY_TRY(check_vertex_count(graph_.shape.vertex_count, unpacked_, name_));
    graph_.edges.weight_kind = !keep_   ? WeightKind::None
                               : whole_ ? WeightKind::Integer
                                        : WeightKind::Real;
    return std::move(graph_);
  }

 private:
  Result<NpyArray> array(std::string_view entry) {
    const std::string file = format("{}.npy", entry);
    if (!archive_.has(file)) {
      return fail(input_error(name_, format("the archive has no array '{}'", entry),
                              "give what scipy.sparse.save_npz wrote"));
    }
    LEEWAY_ASSIGN(std::string bytes, archive_.read(file));
    unpacked_ += bytes.size();
    return NpyArray::parse(std::move(bytes), format("{}, array '{}'", name_, entry));
  }

  Result<NpyArray> whole_array(std::string_view entry) {
    LEEWAY_ASSIGN(NpyArray numbers, array(entry));
    LEEWAY_TRY(numbers.check_numbers(true));
    return numbers;
  }

  /// A square matrix is a graph; another one is bipartite, rows first.
  Status read_shape() {
    LEEWAY_ASSIGN(const NpyArray shape, whole_array("shape"));
    if (shape.size() != 2 || shape.whole(0) < 0 || shape.whole(1) < 0)
      return fail(
          input_error(name_, "its shape is not that of a matrix", "save it again with SciPy"));
    rows_ = static_cast<std::uint64_t>(shape.whole(0));
    columns_ = static_cast<std::uint64_t>(shape.whole(1));
    const bool square = rows_ == columns_;
    const std::uint64_t count = square ? rows_ : rows_ + columns_;
    if (rows_ > kMostVertices || columns_ > kMostVertices || count > kMostVertices) {
      return fail(input_error(name_,
                              format("{} x {} is more than a graph may have ({} vertices)", rows_,
                                     columns_, kMostVertices),
                              "take a part of the matrix"));
    }
    first_column_ = square ? 0 : rows_;
    graph_.shape.vertex_count = static_cast<std::uint32_t>(count);
    graph_.shape.names = VertexNames::sequence(0, static_cast<std::uint32_t>(count));
    graph_.shape.directed = true;
    graph_.shape.left_count = square ? 0 : static_cast<std::uint32_t>(rows_);
    return {};
  }

  Status read_compressed(bool by_rows) {
    LEEWAY_ASSIGN(const NpyArray offsets, whole_array("indptr"));
    LEEWAY_ASSIGN(const NpyArray indices, whole_array("indices"));
    const std::uint64_t lists = by_rows ? rows_ : columns_;
    if (offsets.size() != lists + 1 || offsets.whole(0) != 0)
      return fail(
          input_error(offsets.name(), "does not fit the shape", "save it again with SciPy"));
    LEEWAY_TRY(check_length(indices, values_->size()));
    for (std::uint64_t list = 0; list < lists; ++list) {
      const std::int64_t begin = offsets.whole(list);
      const std::int64_t end = offsets.whole(list + 1);
      if (begin < 0 || end < begin || static_cast<std::uint64_t>(end) > indices.size())
        return fail(input_error(offsets.name(), format("item {} is out of order", list + 1),
                                "save it again with SciPy"));
      for (auto at = static_cast<std::uint64_t>(begin); at < static_cast<std::uint64_t>(end);
           ++at) {
        const auto here = static_cast<std::int64_t>(list);
        LEEWAY_TRY(by_rows ? add(here, indices.whole(at), at) : add(indices.whole(at), here, at));
      }
    }
    return {};
  }

  Status read_coordinates() {
    LEEWAY_ASSIGN(const NpyArray rows, whole_array("row"));
    LEEWAY_ASSIGN(const NpyArray columns, whole_array("col"));
    LEEWAY_TRY(check_length(rows, values_->size()));
    LEEWAY_TRY(check_length(columns, values_->size()));
    for (std::uint64_t at = 0; at < values_->size(); ++at)
      LEEWAY_TRY(add(rows.whole(at), columns.whole(at), at));
    return {};
  }

  static Status check_length(const NpyArray& numbers, std::uint64_t wanted) {
    if (numbers.size() == wanted) return {};
    return fail(input_error(numbers.name(),
                            format("{} items where 'data' has {}", numbers.size(), wanted),
                            "save it again with SciPy"));
  }

  Status add(std::int64_t row, std::int64_t column, std::uint64_t at) {
    if (row < 0 || column < 0 || static_cast<std::uint64_t>(row) >= rows_ ||
        static_cast<std::uint64_t>(column) >= columns_) {
      return fail(input_error(
          name_, format("entry {} stands at ({}, {}), outside the matrix", at, row, column),
          "save it again with SciPy"));
    }
    const VertexId source(static_cast<std::uint32_t>(row));
    const VertexId target(
        static_cast<std::uint32_t>(first_column_ + static_cast<std::uint64_t>(column)));
    if (keep_) {
      const double weight = values_->real(at);
      if (std::isnan(weight))
        return fail(input_error(name_, format("entry {} is not a number", at),
                                "drop it, or give it a value"));
      whole_ = whole_ && std::abs(weight) <= kLargestWhole;
      builder_.add(source, target, weight);
    } else {
      builder_.add(source, target);
    }
    return builder_.size() < kChunk ? Status{} : close_chunk();
  }

  Status close_chunk() {
    LEEWAY_ASSIGN(auto chunk, builder_.finish());
    graph_.edges.chunks.push_back(std::move(chunk));
    return {};
  }

  const ZipArchive& archive_;
  std::string name_;
  bool keep_;
  bool whole_ = false;
  std::uint64_t rows_ = 0, columns_ = 0, first_column_ = 0;
  std::uint64_t unpacked_ = 0;  // bytes of arrays
  const NpyArray* values_ = nullptr;
  EdgeChunkBuilder builder_;
  ListedGraph graph_;
};

}  // namespace

Result<ListedGraph> read_npz(const InputFile& file, const LoadOptions& options) {
  LEEWAY_ASSIGN(const std::string bytes, whole_file(file));
  LEEWAY_ASSIGN(const ZipArchive archive, ZipArchive::open(bytes, file.name));
  return SparseMatrix(archive, file.name, keeps_weights(options)).read();
}

}  // namespace leeway
