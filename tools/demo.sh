#!/usr/bin/env bash
# usage: demo.sh LEEWAY RELAY [FOLDER]
# Shows what Leeway does, with tables and pages for a browser in FOLDER (demo/): `leeway run` with its defaults next to the
# other schedules, in a virtual cluster on three networks; the same by four real processes behind delays, if this machine
# allows network namespaces; and the modes of the ASPIRE paper in the paper's set-up. Prints each command, so that it can
# be repeated.
set -euo pipefail
leeway=$(realpath "$1")
relay=$(realpath "$2")
folder=$(realpath -m "${3:-demo}")
net=$(realpath "$(dirname "$0")/../test/net/net.sh")
area=$(mktemp -d)
trap 'rm -rf "$area"' EXIT
cd "$area"

show() { printf '$ %s\n' "$*"; }

echo "1. What leeway run does on 16 virtual ranks: time of the defaults and of each schedule, divided by that of bsp"
show leeway replay schedules --out demo
"$leeway" replay schedules --out "$folder" --force

echo "2. The same, measured: four processes in network namespaces behind the delays of ec2"
show ./dev net 4 --net ec2 -- leeway launch -n 4 -- leeway replay schedules --programs pagerank,coloring,sssp --schedulers ap
outcome=0
"$net" "$relay" 4 --net ec2 -- "$leeway" launch -n 4 -- \
  "$leeway" replay schedules --programs pagerank,coloring,sssp --schedulers ap --quiet || outcome=$?
[ "$outcome" -eq 0 ] || [ "$outcome" -eq 77 ] || exit "$outcome"
echo

echo "3. The ASPIRE paper's modes in its set-up (cold caches, one fetch at a time), time divided by that of SCP"
show leeway replay modes --out demo/aspire
"$leeway" replay modes --out "$folder/aspire" --force

echo "Open $folder/replay.html and $folder/aspire/replay.html in a browser."
