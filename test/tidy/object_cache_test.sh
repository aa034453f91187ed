#!/usr/bin/env bash
# With the settings that ./dev gives ccache: after a change of a precompiled header, files that include it must be
# compiled again.  object_cache_test.sh DEV COMPILER
set -euo pipefail
dev=$(realpath "$1")
compiler=$2
command -v ccache >/dev/null || { echo "ccache is not here, so it keeps no object"; exit 77; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# shellcheck disable=SC1090
source <(grep -E '^(export CCACHE_|unset CCACHE_)' "$dev")
export CCACHE_DIR=$folder/cache CCACHE_BASEDIR=$folder

mkdir own
printf '#include "answer.h"\n' >own/all.h
printf 'int main() { return answer(); }\n' >main.cc

# As with Meson, the precompiled header is in a separate folder, found by -I.
build() {
  printf 'inline int answer() { return %d; }\n' "$1" >answer.h
  ccache "$compiler" -I. -x c++-header -MD -MF own/all.h.gch.d -o own/all.h.gch -c own/all.h
  ccache "$compiler" -Iown -I. -fpch-preprocess -include all.h -MD -MF main.d -o main.o -c main.cc
  "$compiler" main.o -o main
}

for answer in 1 2 1 3; do
  build "$answer"
  found=0
  ./main || found=$?
  [ "$found" -eq "$answer" ] || { echo "the header has $answer, the program built from it has $found"; exit 1; }
done
ccache --print-stats | grep -qE '^(direct_cache_hit|preprocessed_cache_hit)[[:space:]]+[1-9]' || {
  echo "nothing was found again, so this proves nothing"
  exit 1
}
