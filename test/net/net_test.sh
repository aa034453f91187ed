#!/usr/bin/env bash
# usage: net_test.sh NET.SH RELAY LEEWAY CONFORMANCE JOB-NODE
# Jobs over networks that are slow, jittery and mortal.
# shellcheck disable=SC2016,SC2181  # what stands in single quotes is for the shell inside
set -uo pipefail
net=$1 relay=$2 leeway=$3 conformance=$4 node=$5
passed=0 failed=0
before=$(ip netns list 2>/dev/null | wc -l)

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

# A host that vanishes without a word: only silence tells.
start=$(date +%s%N)
timeout 60 "$net" "$relay" 3 -- bash -c '
  '"'$leeway'"' launch -n 3 --verdict 1 -- '"'$node'"' endless >"$0" 2>&1 &
  sleep 1.5
  for other in 1 2; do echo "down 3 $other"; echo "down $other 3"; done >"$NET_ORDERS"
  wait $!' "${TMPDIR:-/tmp}/net-test-$$"
[ $? -ne 0 ] && [ $(($(date +%s%N) - start)) -lt 15000000000 ] &&
  grep -q "node 2 is gone" "${TMPDIR:-/tmp}/net-test-$$"
verdict "a host that vanishes is given up within the verdict time" $?
[ "$failed" -eq 0 ] || cat "${TMPDIR:-/tmp}/net-test-$$"
rm -f "${TMPDIR:-/tmp}/net-test-$$"

[ "$(ip netns list | wc -l)" -eq "$before" ]
verdict "no namespace is left behind" $?
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
