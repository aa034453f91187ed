#include "leeway/datasets/overwriting.h"

#include <sys/stat.h>
#include <sys/xattr.h>

#include <mutex>
#include <set>
#include <utility>

#include "leeway/base/format.h"

namespace leeway {

namespace {

constexpr const char* kMark = "user.leeway.writer";

struct Rules {
  std::mutex mutex;
  bool protects = false;
  bool force = false;
  std::string writer;
  std::set<std::string> written;  // by this process
};

Rules& rules() {
  static Rules all;
  return all;
}

std::string mark_of(const std::string& writer, const struct ::stat& facts) {
  return format("{} {} {}.{}", writer, facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec);
}

bool carries_mark(const std::string& path, const std::string& wanted) {
  std::string mark(wanted.size() + 1, '\0');
  const ::ssize_t length = ::getxattr(path.c_str(), kMark, mark.data(), mark.size());
  return length == static_cast<::ssize_t>(wanted.size()) && mark.starts_with(wanted);
}

}  // namespace

void protect_files(std::string writer, bool force) {
  const std::lock_guard lock(rules().mutex);
  rules().protects = true;
  rules().force = force;
  rules().writer = std::move(writer);
}

Result<bool> may_replace(const std::string& path) {
  if (path == "-") return false;
  struct ::stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return true;  // nothing there, or nothing to be seen there
  if (S_ISDIR(facts.st_mode)) {
    return fail(input_error(path, "this is a directory", "name a file in it"));
  }
  if (!S_ISREG(facts.st_mode)) return false;
  Rules& now = rules();
  const std::lock_guard lock(now.mutex);
  if (!now.protects || now.force || now.written.contains(path)) return true;
  if (carries_mark(path, mark_of(now.writer, facts))) return true;
  return fail(input_error(
      path,
      format("this file exists, and {} did not write it, or it was changed since", now.writer),
      "name another file, or give --force to replace it"));
}

void mark_written(int file, const std::string& path) {
  Rules& now = rules();
  const std::lock_guard lock(now.mutex);
  if (!now.protects) return;
  now.written.insert(path);
  struct ::stat facts {};
  if (::fstat(file, &facts) != 0) return;
  const std::string mark = mark_of(now.writer, facts);
  (void)::fsetxattr(file, kMark, mark.data(), mark.size(), 0);
}

}  // namespace leeway
