// The header of a plain edge list: comments, an optional line of titles, and the format of its first edge.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "datasets/text_input.h"
#include "datasets/vertex_column.h"
#include "datasets/vertex_numbering.h"
#include "leeway/result.h"

namespace leeway {

/// Message and remedy for a quoted name.
inline constexpr std::string_view kQuotedName = "a quoted name, which an edge list cannot have";
inline constexpr std::string_view kGiveCsv =
    "give --format csv, with --delimiter if it is not a comma";

/// Information from the comments before the first edge, and from the first edge.
struct EdgeListHeader {
  std::optional<bool> directed;
  std::optional<std::uint64_t> nodes;
  std::optional<std::uint64_t> edges;
  std::uint64_t counts_line = 0;
  bool weighted = false;  // according to a comment
  Annotation note;
  unsigned columns = 0;  // of the first edge; 0: there is no edge
  IdMode mode = IdMode::Small;
};

/// Reads the comments and examines the first edge, which is not consumed.
Result<EdgeListHeader> read_edge_list_header(TextInput& input);

}  // namespace leeway
