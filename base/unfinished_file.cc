#include "base/unfinished_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

namespace leeway {

namespace {

constexpr std::size_t kSlots = 256;

// A path is exchanged with null before it is freed, so that no other thread uses it afterwards.
std::array<std::atomic<char*>, kSlots> paths{};
std::array<std::atomic<::pid_t>, kSlots> processes{};

/// Adds a path to the table and returns its slot, or `none` if the table is full: such a file is removed only by its
/// destructor.
std::size_t add_to_table(const std::string& path, std::size_t none) {
  char* copy = ::strdup(path.c_str());
  for (std::size_t slot = 0; slot < kSlots && copy != nullptr; ++slot) {
    char* free_slot = nullptr;
    if (!paths[slot].compare_exchange_strong(free_slot, copy)) continue;
    processes[slot] = ::getpid();
    return slot;
  }
  ::free(copy);
  return none;
}

// A file created after the removal would remain. Therefore `remove_unfinished_files` waits for threads that are creating a
// file, and no thread may begin to create one afterwards.
std::atomic<bool> process_ends{false};
std::atomic<int> creators{0};
thread_local bool creating =
    false;  // true in a thread that is creating a file, which a signal may interrupt

class FileCreation {
 public:
  FileCreation() {
    creating = true;
    creators.fetch_add(1);
    if (!process_ends) return;
    creators.fetch_sub(1);
    for (;;) ::pause();
  }
  ~FileCreation() {
    creators.fetch_sub(1);
    creating = false;
  }
  FileCreation(const FileCreation&) = delete;
  FileCreation& operator=(const FileCreation&) = delete;
};

void wait_for_creators() {
  constexpr int kMostMs = 1000;  // limits how long a slow disk delays the end of the process
  const int here = creating ? 1 : 0;
  for (int waited = 0; creators > here && waited < kMostMs; ++waited) ::poll(nullptr, 0, 1);
}

std::string random_letters() {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  constexpr std::size_t kCount = 6;
  std::array<unsigned char, kCount> drawn{};
  (void)!::getrandom(drawn.data(), drawn.size(), 0);
  std::string letters;
  for (const unsigned char each : drawn) letters += kLetters[each % kLetters.size()];
  return letters;
}

}  // namespace

UnfinishedFile::UnfinishedFile(std::string path)
    : path_(std::move(path)), slot_(add_to_table(path_, kNone)) {}

UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept
    : path_(std::exchange(other.path_, {})), slot_(std::exchange(other.slot_, kNone)) {}

UnfinishedFile& UnfinishedFile::operator=(UnfinishedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(slot_, other.slot_);
  return *this;
}

std::pair<UnfinishedFile, int> UnfinishedFile::next_to(const std::string& path) {
  constexpr int kTries = 100;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    UnfinishedFile file(path + '.' + random_letters());
    const int descriptor = file.create(O_EXCL);
    if (descriptor >= 0) return {std::move(file), descriptor};
    const int why = errno;
    file.keep();  // do not remove it: it belongs to another process or does not exist
    errno = why;
    if (why != EEXIST) break;
  }
  return {UnfinishedFile(), -1};
}

int UnfinishedFile::create(int flags) const {
  const FileCreation here;
  return ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | flags, 0666);
}

void UnfinishedFile::keep() {
  release_slot();
  path_.clear();
}

void UnfinishedFile::release_slot() {
  if (slot_ != kNone) ::free(paths[slot_].exchange(nullptr));
  slot_ = kNone;
}

void UnfinishedFile::remove() {
  if (path_.empty()) return;
  ::unlink(path_.c_str());
  keep();
}

void remove_unfinished_files() {
  process_ends = true;
  wait_for_creators();
  const ::pid_t self = ::getpid();
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    if (processes[slot] != self) continue;
    if (const char* const path = paths[slot].exchange(nullptr)) ::unlink(path);
  }
}

}  // namespace leeway
