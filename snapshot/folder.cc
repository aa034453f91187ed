#include "snapshot/folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/format.h"
#include "base/unfinished_file.h"
#include "snapshot/manifest.h"

namespace leeway::snapshot {

namespace {

constexpr const char* kRemedy = "give a writable folder with enough space";

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
    // mutant: a-part-has-its-name-before-it-is-whole
    const Descriptor file(aside.create());
    if (file.number() < 0) return fail(system_error(path, "create the file", errno, kRemedy));
    LEEWAY_TRY(write_all(file.number(), bytes, path));
    if (::fsync(file.number()) != 0)
      return fail(system_error(path, "make the file durable", errno, kRemedy));
  }
  // mutant: a-part-has-its-name-before-it-is-whole
  if (::rename(aside.path().c_str(), path.c_str()) != 0)
    return fail(system_error(path, "rename the file", errno, kRemedy));
  aside.keep();
  return {};
}

Result<std::vector<std::byte>> content_of(const std::string& path) {
  constexpr const char* kToRead = "give a folder that leeway run --snapshot wrote";
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0) return fail(system_error(path, "open the file", errno, kToRead));
  struct stat about {};
  if (::fstat(file.number(), &about) != 0)
    return fail(system_error(path, "inspect the file", errno, kToRead));
  if (!S_ISREG(about.st_mode))
    return fail(input_error(path, "this is not a regular file", kToRead));
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
  constexpr const char* kToRead = "make sure that no other program writes to the folder";
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat about {};
  if (file.number() < 0 || ::fstat(file.number(), &about) != 0)
    return fail(system_error(path, "inspect the file", errno, kToRead));
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

namespace {

/// Syncs the entries of a folder to the disk.
Status sync_folder(const std::string& path) {
  const Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.number() < 0 || ::fsync(folder.number()) != 0)
    return fail(system_error(path, "make the folder durable", errno, kRemedy));
  return {};
}

namespace fs = std::filesystem;

/// Removes a snapshot's files and its folder. Files that do not belong to a snapshot are kept,
/// together with the folder. Errors are ignored: a later run tries again.
void remove_snapshot(const std::string& path) {
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

constexpr std::size_t kDigits = 6;
constexpr std::string_view kUnfinished = ".unfinished";
constexpr const char* kFolderRemedy = "give a writable folder";
constexpr std::size_t kProbeBytes = 64 * 1024;

std::string name_of(std::uint64_t number) { return format("{:06}", number); }
std::string run_text(std::uint64_t run) { return format("{:016x}", run); }

/// The number in a snapshot's name; 0 if it is not such a name.
std::uint64_t number_of(std::string_view name) {
  std::uint64_t number = 0;
  const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool whole = fault == std::errc() && end == name.data() + name.size();
  return whole && name.size() >= kDigits && name == name_of(number) ? number : 0;
}

std::string machine() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "an unknown machine";
}

}  // namespace

std::string folder_of(const std::string& folder, std::uint64_t number) {
  return in_folder(folder, name_of(number));
}
std::string unfinished_folder_of(const std::string& folder, std::uint64_t number) {
  return in_folder(folder, format(".{}{}", name_of(number), kUnfinished));
}
std::string part_name(std::uint32_t part) { return format("{}{:05}", kPartPrefix, part); }

Result<std::vector<std::uint64_t>> numbers_in(const std::string& folder) {
  std::error_code error;
  std::vector<std::uint64_t> numbers;
  if (!fs::is_directory(folder, error)) {
    return fail(input_error(
        folder, fs::exists(folder, error) ? "this is no folder" : "there is no such folder",
        "give a folder that leeway run --snapshot wrote"));
  }
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (const std::uint64_t number = number_of(at->path().filename().string()))
      numbers.push_back(number);
  }
  if (error) {
    return fail(environment_error(folder, format("cannot read the folder: {}", error.message()),
                                  "give a folder that leeway run --snapshot wrote"));
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::string lock_text(const std::string& folder) {
  return text_of(in_folder(folder, kLockName)).value_or("");
}

Status check_same_folder(const std::string& folder, std::uint64_t run, std::uint32_t process) {
  if (lock_text(folder).starts_with(run_text(run))) return {};
  return fail(environment_error(
      folder, format("process {} does not see the folder that process 0 writes to", process),
      "give --snapshot a folder that all machines of the job share"));
}

Status write_part(const std::string& folder, std::uint64_t number, std::uint32_t part,
                  std::span<const std::byte> sealed) {
  const std::string place = unfinished_folder_of(folder, number);
  if (::mkdir(place.c_str(), 0777) != 0 && errno != EEXIST) {
    return fail(system_error(place, "create the folder", errno,
                             "give a writable folder with enough space"));
  }
  return write_durably(in_folder(place, part_name(part)), sealed);
}

Status prepare_folder(const std::string& path) {
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_directory(path, error))
    return fail(input_error(path, "this is not a folder", "give a folder for --snapshot"));
  fs::create_directories(path, error);
  if (error) {
    return fail(environment_error(path, format("cannot create the folder: {}", error.message()),
                                  kFolderRemedy));
  }
  const std::string probe = in_folder(path, format(".probe-{}", ::getpid()));
  const std::vector<std::byte> bytes(kProbeBytes);
  LEEWAY_TRY(write_durably(probe, bytes));
  fs::remove(probe, error);
  return {};
}

Result<std::unique_ptr<Folder>> Folder::open(const std::string& path, std::uint64_t run,
                                             std::uint32_t kept) {
  LEEWAY_TRY(prepare_folder(path));
  const std::string lock_path = in_folder(path, kLockName);
  const int file = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return fail(system_error(lock_path, "create the file", errno, kFolderRemedy));
  auto folder = std::unique_ptr<Folder>(new Folder(path, file, std::max(kept, 1U)));
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK)
      return fail(system_error(lock_path, "lock the file", errno, kFolderRemedy));
    const std::string holder = lock_text(path);
    return fail(input_error(
        path,
        format("another job writes its snapshots there ({})", holder.substr(0, holder.find('\n'))),
        "wait until it has ended, or give another folder"));
  }
  const std::string text = format("{} process {} on {}\n", run_text(run), ::getpid(), machine());
  if (::ftruncate(file, 0) != 0 ||
      ::write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return fail(system_error(lock_path, "write", errno == 0 ? ENOSPC : errno, kFolderRemedy));
  }
  folder->remove_unfinished();
  std::error_code error;
  LEEWAY_ASSIGN(const auto numbers, numbers_in(path));
  if (!numbers.empty()) folder->next_ = numbers.back() + 1;
  while (fs::exists(unfinished_folder_of(path, folder->next_), error))
    ++folder->next_;  // it contains files that do not belong to a snapshot
  return folder;
}

Result<bool> Folder::is_free(const std::string& path) {
  const std::string lock_path = in_folder(path, kLockName);
  const int file = ::open(lock_path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 && errno == ENOENT) return true;
  if (file < 0)
    return fail(system_error(lock_path, "open the file", errno, "check its permissions"));
  const bool free = ::flock(file, LOCK_SH | LOCK_NB) == 0;
  ::close(file);
  return free;
}

Folder::~Folder() { ::close(lock_); }

bool Folder::complete(std::uint64_t number, std::uint32_t parts) const {
  const std::string place = unfinished_folder_of(path_, number);
  for (std::uint32_t part = 0; part < parts; ++part) {
    if (!is_there(in_folder(place, part_name(part)))) return false;
  }
  return true;
}

Result<std::uint64_t> Folder::commit(Manifest manifest) {
  const std::string place = unfinished_folder_of(path_, manifest.number);
  manifest.parts.clear();
  for (std::uint32_t part = 0; part < manifest.nodes; ++part) {
    LEEWAY_ASSIGN(const FileEnd end, end_of(in_folder(place, part_name(part))));
    manifest.parts.push_back({end.bytes, end.last});  // a part ends with its checksum
  }
  // mutant: a-snapshot-has-its-number-before-its-manifest
  const std::string text = to_text(manifest);
  // mutant: a-snapshot-has-its-number-before-its-manifest
  LEEWAY_TRY(write_durably(in_folder(place, kManifestName), std::as_bytes(std::span(text))));
  // mutant: a-snapshot-has-its-number-before-its-manifest
  LEEWAY_TRY(sync_folder(place));
  const std::string name = folder_of(path_, manifest.number);
  // mutant: a-snapshot-has-its-number-before-its-manifest
  if (::rename(place.c_str(), name.c_str()) != 0) {
    return fail(system_error(name, "rename the folder", errno,
                             "make sure that no other program writes to the folder"));
  }
  next_ = manifest.number + 1;
  LEEWAY_TRY(sync_folder(path_));
  remove_oldest();
  return manifest.bytes();
}

void Folder::drop(std::uint64_t number) { remove_snapshot(unfinished_folder_of(path_, number)); }

void Folder::remove_unfinished() {
  std::error_code error;
  std::vector<std::string> left;
  for (fs::directory_iterator at(path_, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with('.') && name.ends_with(kUnfinished)) left.push_back(name);
  }
  for (const std::string& name : left) remove_snapshot(in_folder(path_, name));
}

/// Renames a snapshot before removing its files, so that an incomplete one is never found. A folder
/// with a snapshot's name but without its manifest is not a snapshot and is kept.
void Folder::remove_oldest() {
  auto numbers = numbers_in(path_);
  if (!numbers) return;
  std::erase_if(*numbers, [&](std::uint64_t number) {
    const auto text = text_of(in_folder(folder_of(path_, number), kManifestName));
    return !text || !text->starts_with(kManifestTitle);
  });
  for (std::size_t i = 0; i + kept_ < numbers->size(); ++i) {
    const std::string aside = unfinished_folder_of(path_, (*numbers)[i]);
    if (::rename(folder_of(path_, (*numbers)[i]).c_str(), aside.c_str()) == 0)
      remove_snapshot(aside);
  }
}

}  // namespace leeway::snapshot
