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

TEST_CASE("an abbreviation is answered with its name, if there is only one") {
  constexpr std::array<std::string_view, 4> kNames = {"tolerance", "top", "trace", "training-log"};
  REQUIRE(did_you_mean("toler", kNames) == "did you mean 'tolerance'?");
  REQUIRE(did_you_mean("tolerance-of", kNames) == "did you mean 'tolerance'?");
  REQUIRE(did_you_mean("tra", kNames).starts_with("valid:"));
  constexpr std::array<std::string_view, 2> kFigures = {"fig10", "fig21"};
  REQUIRE(did_you_mean("fig1", kFigures).starts_with("valid:"));
}

TEST_CASE(
    "of equally near names, the one with the same beginning is meant, and never the given one") {
  constexpr std::array<std::string_view, 3> kNames = {"force", "source", "sources"};
  REQUIRE(did_you_mean("sorce", kNames) == "did you mean 'source'?");
  REQUIRE(did_you_mean("source", kNames) == "did you mean 'sources'?");
}

TEST_CASE("control characters are shown, line breaks and tabs stay") {
  REQUIRE(printable("a\x1b[31mb\x7f") == "a\\x1b[31mb\\x7f");
  REQUIRE(printable("two\nlines\tä") == "two\nlines\tä");
  REQUIRE(printable_line("two\nlines\tä\x1b") == "two\\x0alines\\x09ä\\x1b");
}

TEST_CASE("a name is near if at most a third of its letters differ, and digits are not confused") {
  REQUIRE(is_near("krno", "kron"));
  REQUIRE_FALSE(is_near("nosuch", "path"));
  REQUIRE_FALSE(is_near("fig1", "fig6"));
  REQUIRE_FALSE(is_near("fig1", "fig10"));
  REQUIRE_FALSE(is_near("foo", "box"));
}
