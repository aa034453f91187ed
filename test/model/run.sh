#!/usr/bin/env bash
# usage: run.sh WORK-FOLDER small|large MODEL...
# Checks each Spin model exhaustively, then once with each seeded bug. Fails if a clean model has an error, a search was
# incomplete, or a bug is not found. `small`: one sharer and one object in leeway.pml, two writers in fast_path.pml, three
# nodes in barrier.pml and flags.pml; takes seconds. `large`: two sharers (three nodes) and two objects in leeway.pml, the clean model only; takes minutes
# and about 7 GiB.
set -euo pipefail
work=$1
size=$2
shift 2

# check NAME FLAG...: prints Spin's verdict and keeps its output in WORK-FOLDER/NAME. Every step of the model reads
# shared state, so partial-order reduction has no effect.
check() {
  local folder=$work/$1
  shift
  rm -rf "$folder"
  mkdir -p "$folder"
  (cd "$folder" &&
    spin -a "$@" "$model" >spin.log &&
    gcc "${compile[@]}" -w -DSAFETY -DCOLLAPSE -DNOREDUCE -o pan pan.c &&
    ./pan "${search[@]}" >pan.log 2>&1) || true
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

compile=(-O0 -DMEMLIM=3800)
search=(-m1000000)
if [ "$size" = large ]; then
  compile=(-O2 -DMEMLIM=12000)
  search=(-m3000000 -w26)
fi

failed=0
for path; do
  model=$(realpath "$path")
  name=$(basename "$model" .pml)
  case $name-$size in
    leeway-small)
      sizes=(-DSHARERS=1 -DOBJECTS=1)
      mutants="LOSE_INVALIDATION FORGET_SHARER EVICT_IGNORES_NUMBER REPLY_OLD_VERSION KEEP_STALE STOP_EARLY
               FORGET_STALE_USE COUNT_SAME_WAVE LOSE_SECOND_SHARER" ;;
    leeway-large)
      sizes=(-DSHARERS=2 -DOBJECTS=2)
      mutants= ;;
    barrier-small)
      sizes=(-DNODES=3 -DROUNDS=2)
      mutants="NO_WAIT ONE_PHASE NO_EXPIRE" ;;
    flags-small)
      sizes=(-DSENDS=3)
      mutants="NO_SUM NO_COMPARE KEEP_REPORT" ;;
    fast_path-small)
      sizes=(-DWRITERS=2 -DWRITES=2)
      mutants="LOOK_AND_STORE LOWER_STORES LOWER_AFTER_DRAIN ADD_LOOKS TAKE_BEFORE_CLEAR ANY_AFTER_BITS NO_WAKE
               NO_TICKET" ;;
    *)
      echo "run.sh: $name has no size '$size'" >&2
      exit 2 ;;
  esac
  verdict=$(check "$name-$size" "${sizes[@]}")
  states=$(awk '/states, stored/ { print $1; exit }' "$work/$name-$size/pan.log" 2>/dev/null || true)
  echo "$name: $verdict, ${states:-no} states"
  [ "$verdict" = clean ] || failed=1
  for mutant in $mutants; do
    enough=("${sizes[@]}")
    [ "$mutant" != LOSE_SECOND_SHARER ] || enough=(-DSHARERS=2 -DOBJECTS=1)
    verdict=$(check "$mutant" "${enough[@]}" "-D$mutant")
    echo "$mutant: $verdict"
    [ "$verdict" = caught ] || failed=1
  done
done
exit "$failed"
