#!/usr/bin/env bash
# usage: net_test.sh NET.SH RELAY LEEWAY CONFORMANCE JOB-NODE
# Jobs over networks that are slow, jittery and mortal.
# shellcheck disable=SC2016,SC2181  # what stands in single quotes is for the shell inside
set -uo pipefail
net=$1 relay=$2 leeway=$3 conformance=$4 node=$5
passed=0 failed=0
ownerless() {  # namespaces of networks that nobody runs any more; a campaign beside this one has its own
  ip netns list 2>/dev/null | sed -n 's/^lw\([0-9]*\)-.*/\1/p' | while read -r owner; do kill -0 "$owner" 2>/dev/null || echo "$owner"; done | wc -l
}
before=$(ownerless)

verdict() {  # verdict WHAT CODE
  if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "failed: $1"; fi
}

"$net" "$relay" 2 -- true >/dev/null
case $? in
  77) echo "skipped: no network namespaces here" && exit 77 ;;
esac

half_trip() {  # half_trip PROFILE: milliseconds between two hosts, the median of 20
  "$net" "$relay" 2 --net "$1" -- bash -c '
    ip netns exec "$(sed -n 2p "$LEEWAY_HOSTS")" python3 -c "
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind((\"10.77.0.2\", 9))
while True:
    data, who = s.recvfrom(64)
    s.sendto(data, who)" &
    sleep 0.3
    python3 -c "
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(2)
times = []
for _ in range(21):
    start = time.monotonic()
    s.sendto(b\"x\", (\"10.77.0.2\", 9))
    s.recvfrom(64)
    times.append((time.monotonic() - start) * 500)
print(sorted(times)[10])"
    kill %1'
}

slow=$(half_trip custom:latency_us=5000)
python3 -c "import sys; sys.exit(not 5.0 <= float('${slow:-0}') < 9.0)"
verdict "a packet takes the 5 ms its profile asks for (took ${slow:-nothing} ms)" $?

timeout 100 "$net" "$relay" 4 --net ec2 -- "$leeway" launch -n 4 -- "$conformance" job "in order" >/dev/null
verdict "frames keep their order over 4 hosts with ec2 delays" $?

timeout 60 "$net" "$relay" 4 --net gigabit -- "$leeway" launch -n 4 -- "$node" short
verdict "a program of fetches and stores ends right over 4 hosts" $?

timeout 100 "$net" "$relay" 4 --net ec2 -- "$leeway" launch -n 4 -- \
  "$leeway" run pagerank --graph kron:9 --verify --quiet | grep -q "of the sequential oracle"
verdict "ranks over 4 hosts with ec2 delays are the oracle's" $?

# A host that vanishes without a word: only silence tells. The verdict takes a second; two more are for the news.
timeout 60 "$net" "$relay" 3 -- bash -c '
  '"'$leeway'"' launch -n 3 --verdict 1 -- '"'$node'"' endless >"$0" 2>&1 &
  sleep 1.5
  for other in 1 2; do echo "down 3 $other"; echo "down $other 3"; done >"$NET_ORDERS"
  cut=$(date +%s%N)
  wait $!
  code=$?
  echo $((($(date +%s%N) - cut) / 1000000)) >"$0.ms"
  exit $code' "${TMPDIR:-/tmp}/net-test-$$"
[ $? -ne 0 ] && took=$(cat "${TMPDIR:-/tmp}/net-test-$$.ms") && [ "$took" -le 3000 ] &&
  grep -q "node 2 is gone" "${TMPDIR:-/tmp}/net-test-$$"
verdict "a host that vanishes is given up within the verdict time of 1 s and 2 s (took ${took:-nothing} ms)" $?
[ "$failed" -eq 0 ] || cat "${TMPDIR:-/tmp}/net-test-$$"
rm -f "${TMPDIR:-/tmp}/net-test-$$" "${TMPDIR:-/tmp}/net-test-$$.ms"

# Hosts that no longer reach each other, while the launcher reaches all: only they can tell.
cut() {  # cut HOSTS VERDICT ORDER...: a job, and these orders once it runs; its last lines, and how long it took
  local hosts=$1 verdict=$2
  shift 2
  timeout 60 "$net" "$relay" "$hosts" -- bash -c '
    leeway=$0 node=$1 hosts=$2 verdict=$3
    shift 3
    "$leeway" launch -n "$hosts" --verdict "$verdict" -- "$node" endless 2>&1 >/dev/null &
    sleep 1.5
    start=$(date +%s%N)
    for order in "$@"; do
      case $order in sleep*) $order ;; *) echo "$order" >"$NET_ORDERS" ;; esac
    done
    timeout 6 tail -s 0.1 --pid=$! -f /dev/null || { echo "still running" && kill $!; }
    echo "milliseconds: $((($(date +%s%N) - start) / 1000000))"
    wait $!' "$leeway" "$node" "$hosts" "$verdict" "$@"
}
given_up() { sed -n 's/^leeway: node \([0-9]*\): the job has given this node up: it and node .*/\1/p' <<<"$said" | xargs; }
soon() {  # soon VERDICT: whether it took no longer than that and two seconds
  took=$(sed -n 's/^milliseconds: //p' <<<"$said")
  [ "${took:-99999}" -lt $((1000 * $1 + 2000)) ]
}

said=$(cut 3 1 "down 2 3" "down 3 2")
soon 1 && [ "$(given_up)" = 2 ]
verdict "a cut between two hosts is found in time (took ${took:-no} ms), and one of them given up ($(given_up))" $?

said=$(cut 3 1 "down 2 3")
soon 1 && [ "$(given_up)" = 2 ]
verdict "so is one in one direction (took ${took:-no} ms, gave up $(given_up))" $?

said=$(cut 4 1 "down 2 3" "down 3 2" "down 2 4" "down 4 2")
soon 1 && [ "$(given_up)" = 1 ]
verdict "who cannot reach two others is given up, and not they (took ${took:-no} ms, gave up $(given_up))" $?

said=$(cut 3 2 "down 2 3" "down 3 2" "sleep 1" "up 2 3" "up 3 2")
grep -q "still running" <<<"$said" && [ -z "$(given_up)" ]
verdict "a cut that heals before the verdict ends nothing" $?

# While others are still to come; what it says itself still arrives.
said=$(timeout 60 "$net" "$relay" 3 -- bash -c '
  late="[ \"\$LEEWAYJOB_NODE\" != 1 ] || sleep 12; exec \"\$0\" short"
  "$0" launch -n 3 --verdict 1 -- sh -c "$late" "$1" 2>&1 >/dev/null &
  sleep 2
  echo "down 1 3" >"$NET_ORDERS"
  timeout 7 tail -s 0.1 --pid=$! -f /dev/null || { echo "still running" && kill $!; }
  wait $!' "$leeway" "$node")
! grep -q "still running" <<<"$said" && grep -q "its machine no longer answers" <<<"$said"
verdict "who waits for the others ends once it cannot hear the host of the launcher" $?

[ "$(ownerless)" -eq "$before" ]
verdict "no namespace is left behind" $?
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
