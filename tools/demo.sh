#!/usr/bin/env bash
# usage: demo.sh LEEWAY [PAGE]
# One program on one generated graph over sixteen virtual machines, under every kind of consistency; side by
# side as a table, and as a page for a browser.
set -euo pipefail
leeway=$(realpath "$1")
page=$(realpath -m "${2:-demo.html}")
area=$(mktemp -d)
trap 'rm -rf "$area"' EXIT
cd "$area"

graph=graph.lwg
"$leeway" generate kron:12:12 "$graph" --seed 7 --duplicates merge --self-loops drop --quiet
echo "PageRank over sixteen virtual machines (simulated: InfiniBand as in ASPIRE's cluster)."
"$leeway" info "$graph" | sed -n 's/^\(vertices\|edges\) /  &/p'
"$leeway" partition "$graph" 16 owners.txt --balance vertices | sed -n 's/^\(cut\|balance\)/  &/p'
echo

# run NAME FLAG...: one run, its report under NAME.
run() {
  local name=$1
  shift
  printf '$ leeway run pagerank --graph GRAPH --nodes 16 --fabric sim --net infiniband %s\n' "$*"
  "$leeway" run pagerank --graph "$graph" --partition owners.txt --nodes 16 --fabric sim \
    --net infiniband --visit all --replicate=false --report "$name.json" --quiet "$@" >/dev/null
}
run scp --consistency scp
run scp+rw --consistency scp+rw
for bound in 1 2 3; do run "stale-$bound" --consistency "stale-$bound"; done
run rcp --consistency rcp
run rcp+push --consistency rcp+push
run bsp --scheduler bsp

printf '\n$ leeway compare scp.json scp+rw.json stale-1.json ...\n'
"$leeway" compare scp.json scp+rw.json stale-{1,2,3}.json rcp.json rcp+push.json bsp.json --page "$page" --force
