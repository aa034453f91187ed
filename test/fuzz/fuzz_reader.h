// Fuzz target of every reader: any bytes, read in one format, give either a graph whose arcs end at
// its vertices, or an input error, but never a crash, a leak or a hang.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "leeway/graph.h"

namespace leeway::testing {

inline int fuzz_reader(const char* format, const std::uint8_t* data, std::size_t size) {
  LoadOptions options;
  options.threads = 1;
  if (format != nullptr) options.format = format;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto graph = load_graph_from_memory(text, "input", options);
  if (!graph) {
    if (graph.error().exit_code() != 2) std::abort();
    return 0;
  }
  for (const VertexId target : graph->targets()) {
    if (target.value() >= graph->vertex_count()) std::abort();
  }
  return 0;
}

}  // namespace leeway::testing
