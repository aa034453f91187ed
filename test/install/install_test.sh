#!/usr/bin/env bash
# usage: install_test.sh SOURCE-FOLDER BUILD-FOLDER PREFIX LIBDIR VERSION
# Installs into a separate folder and builds users' programs with the installed files.
set -euo pipefail
source=$1 build=$2 prefix=$3 libdir=$4 version=$5

area=$(mktemp -d)
trap 'rm -rf "$area"' EXIT
stage=$area/stage
passed=0 failed=0

check() {
  local what=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "failed: $what"
  fi
}

prints() {  # prints PATTERN COMMAND...
  local pattern=$1 output
  shift
  output=$("$@" 2>&1) || true
  grep -qE -- "$pattern" <<<"$output" || { echo "'$pattern' is not in: $output"; return 1; }
}

DESTDIR=$stage meson install -C "$build" --no-rebuild --quiet
libraries=$stage$prefix/$libdir

export PKG_CONFIG_PATH=$libraries/pkgconfig
# A .pc file with an absolute prefix points to the final location: redirect it to the staging folder.
grep -q pcfiledir "$libraries/pkgconfig/leeway.pc" ||
  sed -i "s|^prefix=.*|prefix=$stage$prefix|" "$libraries/pkgconfig/leeway.pc"

pkgconfig_consumer() {
  mkdir -p "$area/pkgconfig"
  make -s -C "$source/test/consumers/pkgconfig" BUILD="$area/pkgconfig"
}
cmake_consumer() {
  if ! {
    cmake -S "$source/test/consumers/cmake" -B "$area/cmake" -G Ninja \
      -DCMAKE_PREFIX_PATH="$stage$prefix" && cmake --build "$area/cmake"
  } >"$area/cmake.log" 2>&1; then
    cat "$area/cmake.log"
    return 1
  fi
}

replays_a_figure() { "$stage$prefix/bin/leeway" replay aap-fig1 --quiet; }
check "the command finds the program that measures figures" prints "^aap-fig1: " replays_a_figure
check "pkg-config knows the version" prints "^$version\$" pkg-config --modversion leeway
names_libraries_once() {
  local words
  words=$(pkg-config --libs leeway | tr ' ' '\n' | grep . | sort)
  [ "${#words}" -lt 500 ] && [ "$(uniq -d <<<"$words" | grep -cvE '^(-pthread|-lmpich)$')" -eq 0 ]
}
check "pkg-config names each library once, in less than 500 characters" names_libraries_once
check "a program builds by way of pkg-config" pkgconfig_consumer
check "and runs" prints "^cut 2 of 2 parts$" "$area/pkgconfig/consumer"
tutorial_program() {  # tutorial_program NAME
  mkdir -p "$area/$1"
  make -s -C "$source/test/consumers/$1" BUILD="$area/$1"
}
# A tutorial must show the program that is built here.
tutorial_code() { awk '/^```cpp$/ { on = 1; next } /^```$/ { exit } on' "$source/docs/$1"; }
same_program() { diff <(tutorial_code "$1") "$source/test/consumers/$2/main.cc"; }

check "the tutorial shows the program that is tested" same_program tutorial.md vertex
check "a user's vertex program builds" tutorial_program vertex
check "and runs on four nodes" prints "^600 vertices, the narrowest way is [0-9]+ wide$" \
  "$area/vertex/consumer"
example_program() {  # with settings: an example that is built as a user builds it
  c++ -O1 "$source/examples/memory.cc" -o "$area/memory" $(pkg-config --cflags --libs leeway)
}
no_vertex_program() {
  printf '#include "leeway/job.h"\nstruct Empty { using Value = double; double init(leeway::VertexId) const { return 0; } };\nint main() { return !leeway::run_job(leeway::Graph(), Empty(), {}); }\n' >"$area/empty.cc"
  c++ -fsyntax-only "$area/empty.cc" $(pkg-config --cflags leeway)
}
check "an example with settings builds" example_program
check "and takes them" prints "0\.[0-9]+ degrees on average" "$area/memory" --nodes 3 --consistency stale-1
check "a type that is no vertex program is reported" prints "this type is no vertex program. It needs" no_vertex_program
check "the tutorial on PIE shows the program that is tested" same_program tutorial-pie.md pie
check "a user's PIE program builds" tutorial_program pie
same_answers() { # same_answers PIE-CONSUMER VERTEX-CONSUMER: compares the runs with IncEval, without, and as a vertex program
  diff <("$1") <("$2" | sed 's/^/bsp: /p; s/^bsp/aap/')
}
check "and finds in steps and without what the vertex program does" same_answers \
  "$area/pie/consumer" "$area/vertex/consumer"
# The tick tutorial shows its program in two pieces, with an empty line between them.
tick_code() {
  awk '/^```cpp$/ { on = 1; if (n++) print ""; next } /^```$/ { on = 0 } on' "$source/docs/tutorial-tick.md"
}
same_tick_program() { diff <(tick_code) "$source/test/consumers/tick/main.cc"; }
check "the tutorial on ticks shows the program that is tested" same_tick_program
check "a user's simulation builds" tutorial_program tick
check "and runs on four nodes" prints "^150 cars at [0-9.]+ m a tick$" "$area/tick/consumer"
check "the tutorial on pieces shows the program that is tested" same_program tutorial-piece.md piece
excerpt_of() {  # excerpt_of DOCUMENT CONSUMER: the document's code must be a literal part of the consumer
  [[ "$(<"$source/test/consumers/$2/main.cc")" == *"$(tutorial_code "$1")"* ]]
}
check "and docs/piece.md shows a part of it" excerpt_of piece.md piece
check "a user's piece program builds" tutorial_program piece
check "and runs on four nodes" prints "^2048 cells, [0-9]+ of them warm, the warmest at [0-9.]+ degrees$" \
  "$area/piece/consumer"
check "a program builds by way of CMake" cmake_consumer
check "and runs, with our errors" prints "metis" "$area/cmake/consumer"

echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
