// Whether a coordinate file lists each entry of its matrix once, as the Matrix Market format asks for.
#pragma once

#include <cstdint>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/datasets/block_parse.h"
#include "leeway/datasets/readers.h"

namespace leeway {

struct EntryListing {
  bool half = false;               ///< each entry off the diagonal became two arcs, one mirrored
  std::uint64_t first_line = 0;    ///< behind the size line
  std::uint64_t first_column = 0;  ///< the vertex that column 1 became
};

/// Reads the file again only for the line of an entry that stands twice.
Status check_entries_once(const std::vector<ParsedBlock>& blocks, const EntryListing& listing,
                          const InputFile& file);

}  // namespace leeway
