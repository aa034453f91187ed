#!/usr/bin/env bash
# Prints a Markdown table of the time of one consistency mode relative to another on simulated networks.
#
#   modes_table.sh MODE BASELINE NETWORK... -- "PROGRAM GRAPH [FLAG...]"...
#
# `leeway` comes from PATH. Four nodes, every other flag at its default.
set -euo pipefail

mode=$1 baseline=$2
shift 2
networks=()
while [ "$1" != -- ]; do
  networks+=("$1")
  shift
done
shift

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

echo "| program |$(printf ' %s |' "${networks[@]}")"
echo "|---|$(printf -- '---:|%.0s' "${networks[@]}")"
for run in "$@"; do
  read -r -a words <<<"$run"
  row="|"
  for word in "${words[@]}"; do row+=" $(basename -- "$word")"; done
  row+=" |"
  for network in "${networks[@]}"; do
    for each in "$baseline" "$mode"; do
      leeway run "${words[@]}" --nodes 4 --fabric sim --net "$network" --consistency "$each" --quiet --verify=false \
        --report "$folder/$each.json" >/dev/null
    done
    ratio=$(leeway compare "$folder/$baseline.json" "$folder/$mode.json" | awk 'END { sub(/x$/, "", $3); print $3 }')
    row+=" $ratio |"
  done
  echo "$row"
done
