#include "leeway/datasets/spooled_input.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "leeway/base/format.h"
#include "leeway/base/progress.h"

namespace leeway {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

Status copy(int from, int to, const std::string& name, Progress* progress) {
  std::vector<char> piece(kPiece);
  for (;;) {
    const ::ssize_t got = ::read(from, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(system_error(name, "read", errno, "check what writes to it"));
    if (got == 0) return {};
    if (progress != nullptr) progress->add(static_cast<std::uint64_t>(got));
    for (::ssize_t done = 0; done < got;) {
      const ::ssize_t wrote =
          ::write(to, piece.data() + done, static_cast<std::size_t>(got - done));
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0)
        return fail(system_error(name, "keep in memory", errno, "write it to a file first"));
      done += wrote;
    }
  }
}

}  // namespace

bool gives_once(const std::filesystem::path& path) {
  if (path == "-") return true;
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  return !error && std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

Result<SpooledInput> SpooledInput::take(const std::filesystem::path& path, Progress* progress) {
  const bool standard = path == "-";
  std::string name = standard ? "standard input" : path.string();
  const int from = standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (from < 0) {
    return fail(
        input_error(name, format("cannot open: {}", std::strerror(errno)), "check the path"));
  }
  if (progress != nullptr) progress->start("reading " + name, 0, "bytes");
  SpooledInput spooled(::memfd_create("leeway-input", MFD_CLOEXEC), name);
  Status copied = spooled.file_ >= 0
                      ? copy(from, spooled.file_, name, progress)
                      : fail(system_error(name, "keep in memory", errno, "see ulimit -n"));
  if (!standard) ::close(from);
  if (!copied) return fail(std::move(copied).error());
  return spooled;
}

SpooledInput::~SpooledInput() {
  if (file_ >= 0) ::close(file_);
}

SpooledInput::SpooledInput(SpooledInput&& other) noexcept
    : file_(std::exchange(other.file_, -1)), name_(std::move(other.name_)) {}

SpooledInput& SpooledInput::operator=(SpooledInput&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(name_, other.name_);
  return *this;
}

std::filesystem::path SpooledInput::path() const { return format("/proc/self/fd/{}", file_); }

}  // namespace leeway
