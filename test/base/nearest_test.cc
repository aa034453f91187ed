#include "base/format.h"

#include <array>
#include <catch2/catch.hpp>

using namespace leeway;

TEST_CASE("edit distance counts inserts, deletes, replacements and swaps") {
  REQUIRE(edit_distance("", "abc") == 3);
  REQUIRE(edit_distance("metis", "metis") == 0);
  REQUIRE(edit_distance("mteis", "metis") == 1);
  REQUIRE(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("a near miss is answered with the nearest name, a far one with all of them") {
  constexpr std::array<std::string_view, 3> kNames = {"metis", "block", "hash"};
  REQUIRE(did_you_mean("mettis", kNames) == "did you mean 'metis'?");
  REQUIRE(did_you_mean("quantum", kNames) == "valid: metis, block, hash");
}

TEST_CASE("a name is near if at most a third of its letters differ, and digits are not confused") {
  REQUIRE(is_near("krno", "kron"));
  REQUIRE_FALSE(is_near("nosuch", "path"));
  REQUIRE_FALSE(is_near("fig1", "fig6"));
  REQUIRE_FALSE(is_near("fig1", "fig10"));
  REQUIRE_FALSE(is_near("foo", "box"));
}
