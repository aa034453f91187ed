#!/usr/bin/env bash
# usage: demo.sh LEEWAY [FOLDER]
# Runs the eight programs of ASPIRE on one generated graph over sixteen virtual machines, under every mode, and writes tables
# and a page for a browser. Then runs one program with its full output. Prints each command, so that it can be repeated.
set -euo pipefail
leeway=$(realpath "$1")
folder=$(realpath -m "${2:-demo}")
area=$(mktemp -d)
trap 'rm -rf "$area"' EXIT
cd "$area"

show() { printf '$ leeway %s\n' "$*"; }

show replay modes --out demo
"$leeway" replay modes --out "$folder" --force
show run pagerank powerlaw:10000:2.1 --nodes 16 --fabric sim --consistency rcp
"$leeway" run pagerank powerlaw:10000:2.1 --nodes 16 --fabric sim --consistency rcp --quiet
echo
echo "Open $folder/replay.html in a browser."
