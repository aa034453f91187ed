#!/usr/bin/env bash
# usage: demo.sh LEEWAY
# Looks at two graphs the command carries within, divides them, and plans their memory.
set -euo pipefail
leeway=$(realpath "$1")
area=$(mktemp -d)
trap 'rm -rf "$area"' EXIT
cd "$area"

show() {
  printf '\n$ leeway %s\n' "$*"
  "$leeway" "$@"
}

echo "Zachary's karate club: 34 members, 78 friendships."
show info known:karate
show partition known:karate 2 owners.txt
echo
echo "The two halves, by member:"
for part in 0 1; do
  printf '  part %s: %s\n' "$part" "$(awk -v p="$part" '$2 == p { print $1 }' owners.txt | paste -sd' ')"
done

echo
echo "A generated graph in the manner of Graph500, and what four nodes would hold of it."
show generate kron:14:16 kron14.lwg --seed 7
show info kron14.lwg
show partition kron14.lwg 4
show plan kron14.lwg --nodes 4
