#!/usr/bin/env bash
# usage: front_door_test.sh CHECKOUT [--within SECONDS]
# Does what a newcomer does, in a clone of CHECKOUT's last commit that has no build folder: ./dev demo, ./dev install into two
# prefixes, the README's first results with the installed command, a program compiled against the installed library,
# ./dev python, and `import leeway` after the clone is gone. The compiler's cache and installed packages count as they are.
# With --within, demo and install must each end in time.
set -euo pipefail
checkout=$(realpath "$1")
within=
[ "${2:-}" != --within ] || within=${3:?}
# Always the same folder, because sources that are compiled together name it, and the compiler's cache compares them.
area=${TMPDIR:-/tmp}/leeway-front-door
rm -rf "$area"
mkdir "$area"
trap 'rm -rf "$area"' EXIT
# shellcheck source=test/install/checks.sh disable=SC1091
. "$checkout/test/install/checks.sh"

timed() {  # timed COMMAND...: fails if it takes too long
  local start=$SECONDS
  "$@" || return 1
  [ -z "$within" ] || [ $((SECONDS - start)) -le "$within" ] || { echo "took $((SECONDS - start)) s, more than $within"; return 1; }
}

clone=$area/leeway
clones() { git clone -q --no-hardlinks "$checkout" "$clone" && [ ! -e "$clone/build" ]; }
demo() { (cd "$clone" && timed ./dev demo) >"$area/demo.log" 2>&1 || { cat "$area/demo.log"; return 1; }; }
prints_tables() {
  local row
  # The rows of the README's tables of the demo, without the decoration of Markdown.
  for row in 'infiniband' 'gigabit' 'ec2' 'asytick' 'coloring powerlaw' 'geometric mean' 'RCP+push' 'BSP'; do
    grep -qF -- "$row" "$area/demo.log" || { echo "no '$row' in the output"; tail -40 "$area/demo.log"; return 1; }
  done
}
writes_pages() {
  local page
  for page in replay.html aspire/replay.html; do
    grep -q '<title>' "$clone/demo/$page" && [ "$(wc -c <"$clone/demo/$page")" -gt 20000 ] || return 1
  done
}

# installs NAME: into a prefix of that name, and nowhere else.
installs() {
  touch "$area/before"
  (cd "$clone" && timed ./dev install "$area/$1") || return 1
  [ -x "$area/$1/bin/leeway" ] && [ -x "$area/$1/bin/leeway-replay" ] && [ -f "$area/$1/include/leeway/dsm.h" ] || return 1
  [ "$(find "$area/$1/share/man" -name 'leeway*.1' | wc -l)" -gt 10 ] || return 1
  if find /usr/local -newer "$area/before" -name '*leeway*' | grep .; then return 1; fi
}
unchanged() { [ -z "$(find "$area/first" -newer "$area/before")" ]; }
# The relay in test/net is not a test: the demo measures with it.
builds_no_tests() { ! find "$clone/build" -type f -path '*/test/*' -name '*.o' | grep -vm 1 '/test/net/relay/'; }
runs_installed() { "$area/first/bin/leeway" run pagerank known:karate && "$area/first/bin/leeway" replay aap-fig1 --quiet; }
first_results() {
  mkdir -p "$area/results"
  readme_code sh >"$area/results/first.sh"
  [ -s "$area/results/first.sh" ] && (cd "$area/results" && PATH=$area/first/bin:$PATH bash -eu first.sh)
}
compiles() {
  local flags
  export PKG_CONFIG_PATH
  PKG_CONFIG_PATH=$(dirname "$(find "$area/first" -name leeway.pc)")
  read -ra flags < <(pkg-config --cflags --libs leeway)
  c++ -O1 "$checkout/examples/vertex.cc" -o "$area/vertex" "${flags[@]}"
}
finds_by_cmake() {
  cmake -S "$checkout/test/consumers/cmake" -B "$area/cmake" -DCMAKE_PREFIX_PATH="$area/first" && cmake --build "$area/cmake" &&
    { "$area/cmake/consumer" 2>&1 || true; } | grep metis
}
runs_compiled() { "$area/vertex" --nodes 4 | grep -E '^600 vertices'; }
installs_python() { (cd "$clone" && PYTHONUSERBASE=$area/user timed ./dev python); }
imports_alone() {
  mv "$clone" "$area/gone"
  readme_code python >"$area/results/first.py"
  (cd "$area/results" && PYTHONUSERBASE=$area/user /usr/bin/python3 first.py)
}

check "a clone without a build folder" clones
check "./dev demo" demo
check "its tables" prints_tables
check "its pages" writes_pages
check "./dev install into a first prefix" installs first
check "./dev install into a second prefix" installs second
check "which leaves the first as it is" unchanged
check "neither builds tests" builds_no_tests
check "the installed command" runs_installed
check "the README's first results" first_results
check "a program compiled against the installed library" compiles
check "runs" runs_compiled
if command -v cmake >/dev/null; then check "CMake finds the library and builds with it" finds_by_cmake; fi
check "./dev python" installs_python
check "the README's Python without the clone" imports_alone

conclude
