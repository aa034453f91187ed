#include "leeway/snapshot/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "leeway/base/format.h"
#include "leeway/base/unfinished_file.h"
#include "leeway/snapshot/format.h"

namespace leeway::snapshot {

namespace {

constexpr const char* kRemedy = "give a folder with room that may be written to";

/// Closes what it opened.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

Status write_all(int file, std::span<const std::byte> bytes, const std::string& path) {
  while (!bytes.empty()) {
    const auto wrote = ::write(file, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return fail(system_error(path, "write", wrote == 0 ? ENOSPC : errno, kRemedy));
    bytes = bytes.subspan(static_cast<std::size_t>(wrote));
  }
  return {};
}

}  // namespace

std::string in_folder(const std::string& folder, std::string_view name) {
  return format("{}/{}", folder, name);
}

Status write_durably(const std::string& path, std::span<const std::byte> bytes) {
  UnfinishedFile aside(path + ".unfinished");
  {
    const Descriptor file(aside.create());
    if (file.number() < 0) return fail(system_error(path, "create the file", errno, kRemedy));
    LEEWAY_TRY(write_all(file.number(), bytes, path));
    if (::fsync(file.number()) != 0)
      return fail(system_error(path, "make the file durable", errno, kRemedy));
  }
  if (::rename(aside.path().c_str(), path.c_str()) != 0)
    return fail(system_error(path, "name the file", errno, kRemedy));
  aside.keep();
  return {};
}

Result<std::vector<std::byte>> content_of(const std::string& path) {
  constexpr const char* kToRead = "give a folder that leeway run --snapshot wrote";
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0) return fail(system_error(path, "open the file", errno, kToRead));
  struct stat about {};
  if (::fstat(file.number(), &about) != 0)
    return fail(system_error(path, "look at the file", errno, kToRead));
  if (!S_ISREG(about.st_mode)) return fail(input_error(path, "this is no file", kToRead));
  std::vector<std::byte> content(static_cast<std::size_t>(about.st_size));
  std::size_t have = 0;
  while (have < content.size()) {
    const auto got = ::read(file.number(), content.data() + have, content.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(system_error(path, "read the file", errno, kToRead));
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  content.resize(have);
  return content;
}

Result<std::string> text_of(const std::string& path) {
  LEEWAY_ASSIGN(const auto bytes, content_of(path));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Result<FileEnd> end_of(const std::string& path) {
  constexpr const char* kToRead = "let nobody else write to the folder";
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat about {};
  if (file.number() < 0 || ::fstat(file.number(), &about) != 0)
    return fail(system_error(path, "look at the file", errno, kToRead));
  FileEnd end{.bytes = static_cast<std::uint64_t>(about.st_size)};
  const auto at = static_cast<off_t>(about.st_size) - static_cast<off_t>(sizeof end.last);
  if (at < 0 || ::pread(file.number(), &end.last, sizeof end.last, at) != sizeof end.last)
    return fail(environment_error(path, "the file was cut off after it was written", kToRead));
  return end;
}

bool is_there(const std::string& path) {
  struct stat about {};
  return ::stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode);
}

Status sync_folder(const std::string& path) {
  const Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.number() < 0 || ::fsync(folder.number()) != 0)
    return fail(system_error(path, "make the folder durable", errno, kRemedy));
  return {};
}

void remove_snapshot(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<fs::path> own;
  if (fs::is_symlink(path, error)) return;
  for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(kPartPrefix) || name.starts_with(kManifestName)) own.push_back(at->path());
  }
  for (const fs::path& each : own) ::unlink(each.c_str());
  ::rmdir(path.c_str());
}

}  // namespace leeway::snapshot
