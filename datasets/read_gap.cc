// Reader of GAP's serialized graphs: one byte "directed", then 64-bit numbers of arcs and vertices, offsets and 32-bit
// neighbours (.wsg: neighbour and weight), and the same for incoming arcs if directed.

#include <algorithm>
#include <cstring>

#include "base/format.h"
#include "datasets/readers.h"
#include "datasets/vertex_numbering.h"

namespace leeway {

namespace {

constexpr std::size_t kPackedNumbers = std::size_t{1} << 20;

/// Reads values from a stream and tracks the offset for messages. Allocates memory only for data that is present, so a
/// damaged header cannot cause a huge allocation.
class BinaryInput {
 public:
  BinaryInput(std::string name, std::unique_ptr<ByteSource> source)
      : name_(std::move(name)), source_(std::move(source)) {}

  Status exactly(char* into, std::size_t count) {
    while (count > 0) {
      LEEWAY_ASSIGN(const std::size_t got, source_->read(into, count));
      if (got == 0) return fail(fault("the file ends early", "copy the file again"));
      into += got;
      count -= got;
      read_ += got;
    }
    return {};
  }
  template <class T>
  Status value(T& into) {
    return exactly(reinterpret_cast<char*>(&into), sizeof(T));
  }
  Result<bool> at_end() {
    char byte = 0;
    LEEWAY_ASSIGN(const std::size_t got, source_->read(&byte, 1));
    return got == 0;
  }
  /// Calls `visit(value)` for each of `count` values.
  template <class T, class Visit>
  Status each(std::uint64_t count, Visit&& visit) {
    std::vector<T> piece;
    while (count > 0) {
      piece.resize(std::min<std::uint64_t>(count, kPackedNumbers / sizeof(T)));
      LEEWAY_TRY(exactly(reinterpret_cast<char*>(piece.data()), piece.size() * sizeof(T)));
      for (const T& value : piece) LEEWAY_TRY(visit(value));
      count -= piece.size();
    }
    return {};
  }
  [[nodiscard]] Error fault(std::string what, std::string remedy) const {
    return input_error(format("{}: byte {}", name_, read_), std::move(what), std::move(remedy));
  }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::unique_ptr<ByteSource> source_;
  std::uint64_t read_ = 0;
};

struct GapArc {
  std::int32_t node;
};
struct WeightedGapArc {
  std::int32_t node;
  std::int32_t weight;
};

template <class Arc>
class SerializedReader {
 public:
  SerializedReader(BinaryInput& input, bool keep) : input_(input), keep_(keep) {}

  Result<ListedGraph> read() {
    LEEWAY_TRY(read_header());
    LEEWAY_TRY(read_offsets());
    LEEWAY_TRY(read_arcs());
    if (directed_ == 1) LEEWAY_TRY(skip_incoming());
    LEEWAY_ASSIGN(const bool ended, input_.at_end());
    if (!ended) return fail(input_.fault("more bytes than the header states", kRemedy));
    graph_.shape.vertex_count = static_cast<std::uint32_t>(vertices_);
    graph_.shape.directed = directed_ == 1;
    graph_.shape.from_both_ends = directed_ == 0;
    graph_.shape.names = VertexNames::sequence(0, graph_.shape.vertex_count);
    graph_.edges.weight_kind = keep_ ? WeightKind::Integer : WeightKind::None;
    if (directed_ == 0) LEEWAY_TRY(check_undirected());
    return std::move(graph_);
  }

 private:
  static constexpr const char* kRemedy =
      "check that GAP's converter wrote the file (.sg unweighted, .wsg weighted)";

  Status read_header() {
    LEEWAY_TRY(input_.value(directed_));
    LEEWAY_TRY(input_.value(arcs_));
    LEEWAY_TRY(input_.value(vertices_));
    if (directed_ > 1 || arcs_ < 0 || vertices_ < 0 || vertices_ > 0x7FFFFFFF) {
      return fail(input_.fault("the header holds impossible values", kRemedy));
    }
    return {};
  }

  Status read_offsets() {
    std::int64_t last = 0;
    LEEWAY_TRY(input_.each<std::int64_t>(
        static_cast<std::uint64_t>(vertices_) + 1, [&](std::int64_t offset) -> Status {
          if (offset < last || offset > arcs_ || (offsets_.empty() && offset != 0)) {
            return fail(input_.fault(format("offset {} is out of order", offset), kRemedy));
          }
          last = offset;
          offsets_.push_back(offset);
          return {};
        }));
    if (last != arcs_)
      return fail(
          input_.fault(format("the offsets end at {}, not at {} arcs", last, arcs_), kRemedy));
    return {};
  }

  Status read_arcs() {
    EdgeChunkBuilder builder;
    std::size_t source = 0;
    std::int64_t index = 0;
    LEEWAY_TRY(input_.each<Arc>(static_cast<std::uint64_t>(arcs_), [&](const Arc& arc) -> Status {
      while (offsets_[source + 1] <= index) ++source;
      ++index;
      if (arc.node < 0 || arc.node >= vertices_) {
        return fail(
            input_.fault(format("neighbour {} is not below {}", arc.node, vertices_), kRemedy));
      }
      const VertexId from(static_cast<std::uint32_t>(source));
      const VertexId to(static_cast<std::uint32_t>(arc.node));
      if constexpr (sizeof(Arc) == sizeof(WeightedGapArc)) {
        if (keep_)
          builder.add(from, to, arc.weight);
        else
          builder.add(from, to);
      } else {
        builder.add(from, to);
      }
      if (builder.size() == kPackedNumbers) return pack(builder);
      return {};
    }));
    return pack(builder);
  }

  Status pack(EdgeChunkBuilder& builder) {
    LEEWAY_ASSIGN(auto chunk, builder.finish());
    graph_.edges.chunks.push_back(std::move(chunk));
    return {};
  }

  Status check_undirected() const {
    std::vector<const EdgeChunk*> chunks;
    for (const EdgeChunk& chunk : graph_.edges.chunks) chunks.push_back(&chunk);
    Status checked = check_both_ends(chunks, 0, input_.name());
    if (checked) return checked;
    Error wrong = std::move(checked).error();
    wrong.remedy = "write the file again: GAP's converter makes undirected graphs with -s";
    return fail(std::move(wrong));
  }

  /// The incoming arcs are redundant; reading them verifies that the file is complete.
  Status skip_incoming() {
    const auto pass = [](const auto&) -> Status { return {}; };
    LEEWAY_TRY(input_.each<std::int64_t>(static_cast<std::uint64_t>(vertices_) + 1, pass));
    return input_.each<Arc>(static_cast<std::uint64_t>(arcs_), pass);
  }

  BinaryInput& input_;
  const bool keep_;
  std::uint8_t directed_ = 0;
  std::int64_t arcs_ = 0;
  std::int64_t vertices_ = 0;
  std::vector<std::int64_t> offsets_;
  ListedGraph graph_;
};

}  // namespace

Result<ListedGraph> read_gap_sg(const InputFile& file, const LoadOptions&) {
  LEEWAY_ASSIGN(auto source, file.open());
  BinaryInput input(file.name, std::move(source));
  return SerializedReader<GapArc>(input, false).read();
}

Result<ListedGraph> read_gap_wsg(const InputFile& file, const LoadOptions& options) {
  LEEWAY_ASSIGN(auto source, file.open());
  BinaryInput input(file.name, std::move(source));
  return SerializedReader<WeightedGapArc>(input, keeps_weights(options)).read();
}

}  // namespace leeway
