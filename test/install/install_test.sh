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
# The examples, as a user builds them.
read -ra flags < <(pkg-config --cflags --libs leeway)
example() {  # example NAME
  c++ -O1 "$source/examples/$1.cc" -o "$area/$1" "${flags[@]}"
}
# The code of a tutorial that is in none of its blocks of a complete program.
snippet() { awk '/^```c\+\+$/ { on = 1; next } /^```$/ { on = 0 } on' "$source/docs/$1"; }
conditions() {  # conditions EDIT: the check of tutorial-pie.md, on its program after an edit with sed
  {
    sed -e 's/int main(int argc/int run(int argc/' -e "$1" "$source/examples/pie.cc"
    printf 'int main() {\n  leeway::LoadOptions load;\n  load.weights = leeway::Weights::Random;\n'
    printf '  const auto graph = leeway::value_or_exit(leeway::generate("grid2d:30x20", load));\n'
    snippet tutorial-pie.md
    printf '}\n'
  } >"$area/conditions.cc"
  c++ -w -O1 "$area/conditions.cc" -o "$area/conditions" "${flags[@]}" && "$area/conditions"
}
# wrong_program HEADER CALL: a call with a type that lacks the functions of a program.
wrong_program() {
  printf '#include "leeway/%s"\nstruct Empty { using Value = double; double init(leeway::VertexId) const { return 0; } };\nint main() { %s; }\n' \
    "$1" "$2" >"$area/empty.cc"
  c++ -fsyntax-only "$area/empty.cc" "${flags[@]}"
}
# first_complaint VALUE ACCESS: the first error for a vertex program with this type of value and access to its members.
first_complaint() {
  printf '#include <string>\n#include "leeway/job.h"\nstruct Large { double numbers[12800]; bool operator==(const Large&) const = default; };\nstruct Plain { double a, b; };\n%s Own { using Value = %s; Value init(leeway::VertexId) const { return {}; } Value update(const leeway::Vertex<Value>& v) const { return v.value(); } };\nint main() { (void)leeway::run_job(leeway::Graph(), Own(), leeway::RunOptions()); }\n' \
    "$2" "$1" >"$area/own.cc"
  c++ -fsyntax-only "$area/own.cc" "${flags[@]}" 2>&1 | grep -m1 'error:'
}
check "the shared memory by hand builds" example memory
check "and takes settings" prints "0\.[0-9]+ degrees on average" "$area/memory" --nodes 3 --consistency stale-1
check "a vertex program builds" example vertex
check "and runs on four nodes" prints "^600 vertices, the narrowest way is [0-9]+ wide$" "$area/vertex" --nodes 4
check "a type that is no vertex program is reported" prints "this type is no vertex program. It needs" \
  wrong_program job.h "(void)leeway::run_job(leeway::Graph(), Empty(), {})"
check "a type that is no PIE program is reported" prints "this type is not a PIE program. It needs" \
  wrong_program pie.h "leeway::pie::run_pie(leeway::Graph(), Empty(), leeway::RunOptions())"
check "a type that is no tick program is reported" prints "this type is not a tick program. It needs" \
  wrong_program tick.h "leeway::tick::run_ticks(Empty(), leeway::tick::TickOptions(), leeway::ClusterOptions())"
check "a value that owns memory is reported first" prints "Value cannot be copied byte by byte" first_complaint std::string struct
check "so is a value that is too large" prints "Value is larger than 64 KiB" first_complaint Large struct
check "and one that cannot be compared" prints "Value has no operator==" first_complaint Plain struct
check "and a program with private members" prints "members of this vertex program are private" first_complaint double class
check "a vertex program that divides by degrees builds" example ranks
check "and runs on four nodes" prints "of 1.0000 in all$" "$area/ranks" --nodes 4
check "a PIE program builds" example pie
same_answers() {
  diff <("$area/pie" --nodes 2 --workers 8 --scheduler bsp) <("$area/vertex") && diff <("$area/pie" --scheduler aap) <("$area/vertex")
}
check "and finds in steps and without what the vertex program does" same_answers
check "it meets the conditions of PIE" prints "^$" conditions ""
check "a program that does not is found" prints "fails: " conditions 's/kept = std::max(kept, come)/kept = come/'
check "a simulation in ticks builds" example tick
check "and runs on four nodes" prints "^150 cars at [0-9.]+ m a tick$" "$area/tick" --nodes 4
check "a simulation in ticks with two tables builds" example tables
check "and runs on four nodes" prints "^[1-9][0-9]* stops$" "$area/tables" --nodes 4
check "a simulation in pieces builds" example piece
check "and runs on four nodes" prints "^2048 cells, [0-9]+ of them warm, the warmest at [0-9.]+ degrees$" "$area/piece" --nodes 4
check "a program builds by way of CMake" cmake_consumer
check "and runs, with our errors" prints "metis" "$area/cmake/consumer"

echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
