#include "snapshot/folder.h"

#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>

#include "test/snapshot/snapshot_support.h"

using namespace leeway;
using namespace leeway::snapshot;

namespace fs = std::filesystem;

namespace {

/// Limits the size of files during its lifetime, like a disk that becomes full in the middle of a
/// file.
class LongestFile {
 public:
  explicit LongestFile(std::size_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
    rlimit now = before_;
    now.rlim_cur = bytes;
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &now) == 0);
  }
  ~LongestFile() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  LongestFile(const LongestFile&) = delete;
  LongestFile& operator=(const LongestFile&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

}  // namespace

TEST_CASE("a snapshot gets its number only when it is complete") {
  const TestFolder here;
  auto folder = Folder::open(here.path(), 77, 2);
  REQUIRE(folder);
  Part part;
  fill(part, 1, 0, 2);
  REQUIRE(write_part(here.path(), 1, 0, part.sealed()));
  REQUIRE(numbers_in(here.path())->empty());
  fill(part, 1, 1, 2);
  REQUIRE(write_part(here.path(), 1, 1, part.sealed()));
  REQUIRE(numbers_in(here.path())->empty());
  REQUIRE((*folder)->commit(a_manifest(1, 2)));
  REQUIRE(*numbers_in(here.path()) == std::vector<std::uint64_t>{1});
}

TEST_CASE("a part that cannot be written completely gets no name") {
  const TestFolder here;
  Part part;
  fill(part, 1, 0, 1);
  const std::string place = unfinished_folder_of(here.path(), 1);
  {
    const LongestFile longest(part.sealed().size() / 2);
    const Status written = write_part(here.path(), 1, 0, part.sealed());
    REQUIRE_FALSE(written);
    REQUIRE(written.error().kind == ErrorKind::Environment);
  }
  REQUIRE(fs::is_empty(place));
  REQUIRE(write_part(here.path(), 1, 0, part.sealed()));
}

TEST_CASE("a snapshot whose manifest cannot be written gets no number") {
  const TestFolder here;
  auto folder = Folder::open(here.path(), 77, 2);
  REQUIRE(folder);
  Part part;
  fill(part, 1, 0, 1);
  REQUIRE(write_part(here.path(), 1, 0, part.sealed()));
  {
    const LongestFile longest(16);
    REQUIRE_FALSE((*folder)->commit(a_manifest(1, 1)));
  }
  REQUIRE(numbers_in(here.path())->empty());
  REQUIRE((*folder)->commit(a_manifest(1, 1)));
  REQUIRE(read_all(here.path()).error.empty());
}

TEST_CASE("the given number of snapshots is kept, the newest ones") {
  const TestFolder here;
  for (int i = 0; i < 5; ++i) put_snapshot(here.path(), 2, 3);
  REQUIRE(*numbers_in(here.path()) == std::vector<std::uint64_t>{3, 4, 5});
  put_snapshot(here.path(), 2, 1);
  REQUIRE(*numbers_in(here.path()) == std::vector<std::uint64_t>{6});
}

TEST_CASE("unfinished files of a run are removed when the next run opens the folder") {
  const TestFolder here;
  put_snapshot(here.path(), 2);
  Part part;
  fill(part, 2, 0, 2);
  REQUIRE(write_part(here.path(), 2, 0, part.sealed()));
  REQUIRE(fs::exists(unfinished_folder_of(here.path(), 2)));
  REQUIRE(Folder::open(here.path(), 78, 2));
  REQUIRE_FALSE(fs::exists(unfinished_folder_of(here.path(), 2)));
  REQUIRE(*numbers_in(here.path()) == std::vector<std::uint64_t>{1});
}

TEST_CASE("a folder that another job writes to is refused with the name of that job") {
  const TestFolder here;
  auto first = Folder::open(here.path(), 77, 2);
  REQUIRE(first);
  const auto second = Folder::open(here.path(), 78, 2);
  REQUIRE_FALSE(second);
  REQUIRE(second.error().kind == ErrorKind::Input);
  REQUIRE(second.error().what.find("process") != std::string::npos);
  first->reset();
  REQUIRE(Folder::open(here.path(), 78, 2));
}

TEST_CASE("a file is refused as a folder for snapshots") {
  const TestFolder here;
  put_bytes(here.inside("file"), {});
  const auto folder = Folder::open(here.inside("file"), 77, 2);
  REQUIRE_FALSE(folder);
  REQUIRE(folder.error().kind == ErrorKind::Input);
}

TEST_CASE("a folder that vanished is an error, not a crash") {
  const TestFolder here;
  auto folder = Folder::open(here.inside("snapshots"), 77, 2);
  REQUIRE(folder);
  fs::remove_all(here.inside("snapshots"));
  Part part;
  fill(part, 1, 0, 1);
  const Status written = write_part(here.inside("snapshots"), 1, 0, part.sealed());
  REQUIRE_FALSE(written);
  REQUIRE(written.error().kind == ErrorKind::Environment);
  REQUIRE_FALSE((*folder)->commit(a_manifest(1, 1)));
}
