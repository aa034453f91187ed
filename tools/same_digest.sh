#!/usr/bin/env bash
# Runs of the virtual cluster must not depend on the compiler. This script runs the same random programs with two
# builds and compares the digests of all their events.
#
# usage: tools/same_digest.sh BUILD OTHER_BUILD [SEEDS]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [ $# -lt 2 ]; then
  echo "usage: tools/same_digest.sh BUILD OTHER_BUILD [SEEDS]" >&2
  exit 2
fi
seeds=${3:-200}

digest_of() {
  local program=$1/test/campaign/soak line
  if [ ! -x "$program" ]; then
    echo "$program: not built; build $1 first" >&2
    return 2
  fi
  line=$("$program" --seeds "$seeds" | grep -o 'digest [0-9a-f]*')
  echo "${line#digest }"
}

first=$(digest_of "$1")
second=$(digest_of "$2")
echo "$seeds seeds: $1 $first, $2 $second"
if [ -z "$first" ] || [ "$first" != "$second" ]; then
  echo "the two builds ran differently; find the first seed with --first N --seeds 1 --log FILE" >&2
  exit 1
fi
