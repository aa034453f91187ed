// The writers of the single formats, and the buffer they write through.
#pragma once

#include <string>
#include <string_view>

#include "datasets/byte_stream.h"
#include "leeway/graph.h"
#include "leeway/result.h"

namespace leeway {

/// Whether some vertex has no arc.
[[nodiscard]] bool has_isolated(const Graph& graph);

/// Gathers text and hands it on in large pieces. The first error is kept until `finish`.
class TextOutput {
 public:
  explicit TextOutput(ByteSink& sink) : sink_(sink) {}
  void text(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= kPiece) flush();
  }
  void number(std::uint64_t value);
  /// The shortest decimal that reads back as the same value.
  void real(double value);
  /// The weight of arc `index` (all its parts, none if unweighted), each after a blank.
  void weight(const Graph& graph, std::uint64_t index);
  Status finish() {
    flush();
    return std::move(status_);
  }
  [[nodiscard]] ByteSink& sink() { return sink_; }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 18;
  void flush();
  ByteSink& sink_;
  std::string buffer_;
  Status status_;
};

Status write_edge_list(const Graph& graph, ByteSink& sink);
Status write_matrix_market(const Graph& graph, ByteSink& sink);
Status write_metis(const Graph& graph, ByteSink& sink);
/// An edge a row, under titles; what CSV has no word for is left out.
Status write_csv(const Graph& graph, ByteSink& sink);
Status write_npz(const Graph& graph, ByteSink& sink);
Status write_dimacs(const Graph& graph, ByteSink& sink);

}  // namespace leeway
