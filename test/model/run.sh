#!/usr/bin/env bash
# usage: run.sh MODEL WORK-FOLDER
# Checks the Spin model exhaustively, then once with each seeded bug. Fails if the clean model has an
# error, if a search was not complete, or if a bug survives.
set -euo pipefail
model=$(realpath "$1")
work=$2
mutants="LOSE_INVALIDATION FORGET_SHARER EVICT_IGNORES_NUMBER REPLY_OLD_VERSION KEEP_STALE STOP_EARLY
         FORGET_STALE_USE COUNT_SAME_WAVE"
sizes=(-DSHARERS=1 -DOBJECTS=1)

# check NAME FLAG...: prints Spin's verdict and keeps its output in WORK-FOLDER/NAME.
check() {
  local folder=$work/$1
  shift
  rm -rf "$folder"
  mkdir -p "$folder"
  (cd "$folder" &&
    spin -a "$@" "$model" >spin.log &&
    gcc -O0 -w -DSAFETY -DCOLLAPSE -DMEMLIM=3800 -o pan pan.c &&
    ./pan -m1000000 >pan.log 2>&1) || true
  if grep -q "errors: 0" "$folder/pan.log" 2>/dev/null; then
    if grep -qE "Search not completed|max search depth too small|out of memory" "$folder/pan.log"; then
      echo incomplete
    else
      echo clean
    fi
  elif grep -qE "errors: [1-9]" "$folder/pan.log" 2>/dev/null; then
    echo caught
  else
    echo broken
  fi
}

failed=0
verdict=$(check clean "${sizes[@]}")
states=$(awk '/states, stored/ { print $1; exit }' "$work/clean/pan.log" 2>/dev/null || true)
echo "model: $verdict, ${states:-no} states"
[ "$verdict" = clean ] || failed=1
for mutant in $mutants; do
  verdict=$(check "$mutant" "${sizes[@]}" "-D$mutant")
  echo "$mutant: $verdict"
  [ "$verdict" = caught ] || failed=1
done
exit "$failed"
