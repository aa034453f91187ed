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

/// While it lives no file gets longer: a disk that fills up in the middle of one.
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

TEST_CASE("a snapshot stands under its number only once it is whole") {
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

TEST_CASE("a part that cannot be written whole has no name") {
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

TEST_CASE("a snapshot whose manifest cannot be written has no number") {
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

TEST_CASE("as many snapshots are kept as were asked for, the newest") {
  const TestFolder here;
  for (int i = 0; i < 5; ++i) put_snapshot(here.path(), 2, 3);
  REQUIRE(*numbers_in(here.path()) == std::vector<std::uint64_t>{3, 4, 5});
  put_snapshot(here.path(), 2, 1);
  REQUIRE(*numbers_in(here.path()) == std::vector<std::uint64_t>{6});
}

TEST_CASE("what a run left unfinished is gone when the next takes the folder") {
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

TEST_CASE("a second job is refused a folder that another one writes to, and told which") {
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

TEST_CASE("a file is no folder for snapshots") {
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
