// What a plain edge list says before its edges: comments, a line of titles, and the shape of its first edge.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "datasets/text_input.h"
#include "datasets/vertex_column.h"
#include "datasets/vertex_numbering.h"
#include "leeway/result.h"

namespace leeway {

/// Why a quoted name is refused, and what to do.
inline constexpr std::string_view kQuotedName = "a quoted name, which an edge list does not have";
inline constexpr std::string_view kGiveCsv =
    "give --format csv, with --delimiter if it is not a comma";

/// What the comments before the first edge say.
struct EdgeListHeader {
  std::optional<bool> directed;
  std::optional<std::uint64_t> nodes;
  std::optional<std::uint64_t> edges;
  std::uint64_t counts_line = 0;
  bool weighted = false;  // so says a comment
  Annotation note;
  unsigned columns = 0;  // 0: there is no edge
  IdMode mode = IdMode::Small;
};

/// Comments up to the first edge, and what that edge looks like; the edge is read next.
Result<EdgeListHeader> read_edge_list_header(TextInput& input);

}  // namespace leeway
