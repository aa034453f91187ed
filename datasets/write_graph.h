// The writers of the text formats and .npz, and the buffer through which they write. See leeway/graph.h for `write_graph`.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "datasets/byte_stream.h"
#include "datasets/graph.h"

namespace leeway {

/// Buffers text and writes it to the sink in large pieces. `finish` returns the first error.
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
  /// The weight of arc `index`, after a blank; nothing if unweighted.
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

Status write_npz(const Graph& graph, ByteSink& sink);

}  // namespace leeway
