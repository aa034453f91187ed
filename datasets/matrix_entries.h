// Whether a coordinate file lists each entry of its matrix once, as the Matrix Market format asks for.
#pragma once

#include <string>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/datasets/block_parse.h"
#include "leeway/datasets/listed_share.h"
#include "leeway/datasets/readers.h"

namespace leeway {

/// Reads the file again only for the line of an entry that stands twice.
Status check_entries_once(const std::vector<ParsedBlock>& blocks, const EntryListing& listing,
                          const InputFile& file);
/// The error for an entry that stands twice: an arc from vertex `row` to vertex `column`, which was column of the
/// matrix.
Error entry_twice(const EntryListing& listing, const InputFile& file, VertexId row,
                  VertexId column);

}  // namespace leeway
