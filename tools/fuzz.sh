#!/usr/bin/env bash
# usage: fuzz.sh BUILD-FOLDER SECONDS
# Runs each fuzz target for SECONDS, starting from its seeds in test/fuzz/corpus/TARGET. New inputs
# are kept in BUILD-FOLDER/corpus, inputs that crash a target in BUILD-FOLDER/crashes.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
seconds=$2

mapfile -t targets < <(find "$build/test/fuzz" -maxdepth 1 -type f -name 'fuzz-*' -perm -u+x 2>/dev/null | sort)
if [ ${#targets[@]} -eq 0 ]; then
  echo "fuzz.sh: no fuzz targets under $build/test/fuzz" >&2
  exit 2
fi

mkdir -p "$build/crashes"
failed=0
for target in "${targets[@]}"; do
  name=${target##*/fuzz-}
  grown=$build/corpus/$name
  mkdir -p "$grown"
  seeds=()
  [ -d "test/fuzz/corpus/$name" ] && seeds=("test/fuzz/corpus/$name")
  echo "fuzz: $name for $seconds s"
  if ! "$target" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 \
    -verbosity=0 -artifact_prefix="$build/crashes/$name-" "$grown" "${seeds[@]}" </dev/null; then
    failed=$((failed + 1))
  fi
done
echo "$((${#targets[@]} - failed)) passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
