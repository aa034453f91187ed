// The few things a snapshot asks of a file system. All paths are the caller's; nothing is kept open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/base/result.h"

namespace leeway::snapshot {

[[nodiscard]] std::string in_folder(const std::string& folder, std::string_view name);
/// Writes `bytes` aside, makes them durable, and gives them their name.
Status write_durably(const std::string& path, std::span<const std::byte> bytes);
/// The whole content, which must be a regular file's.
Result<std::vector<std::byte>> content_of(const std::string& path);
Result<std::string> text_of(const std::string& path);
/// How long a file is, and the 8 bytes it ends with; an Environment error if it has fewer.
struct FileEnd {
  std::uint64_t bytes = 0;
  std::uint64_t last = 0;
};
Result<FileEnd> end_of(const std::string& path);
[[nodiscard]] bool is_there(const std::string& path);
/// What a folder's entries are called is on the disk when this returns.
Status sync_folder(const std::string& path);
/// A snapshot's folder, with what a snapshot consists of; a folder where anything else lies stays, with that. What cannot
/// be removed stays, too: a later run tries again.
void remove_snapshot(const std::string& path);

}  // namespace leeway::snapshot
