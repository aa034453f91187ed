#!/usr/bin/env bash
# usage: demo.sh LEEWAY [PAGE]
# One program on one generated graph over sixteen virtual machines, under every kind of consistency; side by
# side as a table, and as a page for a browser. Every command is printed as it is run: copied, it gives the same.
set -euo pipefail
leeway=$(realpath "$1")
page=$(realpath -m "${2:-demo.html}")
area=$(mktemp -d)
trap 'rm -rf "$area"' EXIT
cd "$area"

show() { printf '$ leeway %s\n' "$*"; }
# Runs the command, whose own output is left out.
run() {
  show "$@"
  "$leeway" "$@" --quiet >/dev/null
}
# One run, its report under NAME.json.
measure() {  # measure NAME FLAG...
  local name=$1
  shift
  run run pagerank graph.lwg --nodes 16 --fabric sim --net infiniband "$@" --report "$name.json"
}

echo "PageRank over sixteen virtual machines (simulated: InfiniBand as in ASPIRE's cluster)."
echo
run generate kron:12:12 graph.lwg --seed 7 --duplicates merge --self-loops drop
show info graph.lwg
"$leeway" info graph.lwg | sed -n 's/^\(vertices\|edges\) /  &/p'
for mode in scp scp+rw stale-1 stale-2 stale-3 rcp rcp+push; do
  measure "$mode" --consistency "$mode"
done
measure bsp --scheduler bsp
reports=(scp.json scp+rw.json stale-1.json stale-2.json stale-3.json rcp.json rcp+push.json bsp.json)
echo
show compare "${reports[@]}" --page demo.html
"$leeway" compare "${reports[@]}" --page "$page" --force
