// A checkpoint: the whole state after one tick, as a file that a later run starts from, on any number of
// nodes. Holds a checksum, and words that say which program and model it is of.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/runtime/tick/tick.h"

namespace leeway {

struct TickCheckpoint {
  std::string program;
  std::string model;  ///< whatever a state of this program can only be stepped with
  Tick tick{};
  std::vector<std::byte> state;  ///< as the state encodes all of itself
};

/// Written aside and renamed: the file is whole, or the one from before.
Status write_checkpoint(const std::string& path, const TickCheckpoint& checkpoint);

/// An Input error for what is no checkpoint, is damaged, or is of another program or model.
Result<TickCheckpoint> read_checkpoint(const std::string& path, const std::string& program,
                                       const std::string& model);

}  // namespace leeway
