#!/usr/bin/env bash
# usage: net_test.sh NET.SH RELAY LEEWAY CONFORMANCE JOB-NODE
# Jobs over slow, jittery and failing networks.
# shellcheck disable=SC2016,SC2181  # single-quoted text is expanded by the inner shell
set -uo pipefail
net=$1 relay=$2 leeway=$3 conformance=$4 node=$5
support=$(dirname "$0")/../support
passed=0 failed=0
ownerless() {  # number of namespaces whose creator has exited; concurrent campaigns have theirs
  ip netns list 2>/dev/null | sed -n 's/^lw\([0-9]*\)-.*/\1/p' | while read -r owner; do kill -0 "$owner" 2>/dev/null || echo "$owner"; done | wc -l
}
before=$(ownerless)

in_time() {  # in_time MILLISECONDS VERDICT: true within the verdict time plus 2 s, adjusted to the load of the machine
  [ -n "$1" ] && python3 -c "
import sys
sys.path.insert(0, '$support')
from machine_load import slack
sys.exit($1 > 1000 * ($2 + 2 * slack()))"
}

verdict() {  # verdict WHAT CODE
  if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "failed: $1"; fi
}

"$net" "$relay" 2 -- true >/dev/null
case $? in
  77) echo "skipped: no network namespaces here" && exit 77 ;;
esac

# shellcheck disable=SC2317  # called in the inner shell
running() {  # running FILE NODES: waits until NODES nodes of `job-node endless` have printed that they run
  until [ "$(grep -c '^running' "$1" 2>/dev/null)" -ge "$2" ]; do sleep 0.05; done
}
export -f running

half_trip() {  # half_trip PROFILE: milliseconds between two hosts, the median of 20
  "$net" "$relay" 2 --net "$1" -- bash -c '
    ip netns exec "$(sed -n 2p "$LEEWAY_HOSTS")" python3 -c "
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind((\"10.77.0.2\", 9))
while True:
    data, who = s.recvfrom(64)
    s.sendto(data, who)" &
    python3 -c "
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(0.2)
for _ in range(300):  # until the other host listens
    try:
        s.sendto(b\"x\", (\"10.77.0.2\", 9))
        s.recvfrom(64)
        break
    except OSError:
        time.sleep(0.05)
s.settimeout(10)
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
python3 -c "import sys; sys.exit(not 5.0 <= float('${slow:-0}') < 50.0)"
verdict "a packet takes the 5 ms its profile asks for (took ${slow:-nothing} ms)" $?

timeout 200 "$net" "$relay" 4 --net ec2 -- "$leeway" launch -n 4 -- "$conformance" job "in order" >/dev/null
verdict "frames keep their order over 4 hosts with ec2 delays" $?

timeout 200 "$net" "$relay" 4 --net gigabit -- "$leeway" launch -n 4 -- "$node" short
verdict "a program of fetches and stores ends right over 4 hosts" $?

timeout 200 "$net" "$relay" 4 --net ec2 -- "$leeway" launch -n 4 -- \
  "$leeway" run pagerank --graph kron:9 --verify --quiet | grep -q "of the sequential oracle"
verdict "ranks over 4 hosts with ec2 delays are the oracle's" $?

# A host that stops without closing its connections is detected by silence only.
log=$(mktemp)
timeout 200 "$net" "$relay" 3 -- bash -c '
  "$1" launch -n 3 --verdict 3 -- "$2" endless >"$0" 2>&1 &
  running "$0" 3
  for other in 1 2; do echo "down 3 $other"; echo "down $other 3"; done >"$NET_ORDERS"
  cut=$(date +%s%N)
  wait $!
  code=$?
  echo $((($(date +%s%N) - cut) / 1000000)) >"$0.ms"
  exit $code' "$log" "$leeway" "$node"
[ $? -ne 0 ] && took=$(cat "$log.ms") && in_time "$took" 3 && grep -q "node 2 is gone" "$log"
verdict "a vanished host is declared lost after the verdict time of 3 s (took ${took:-nothing} ms)" $?
[ "$failed" -eq 0 ] || cat "$log"
rm -f "$log" "$log.ms"

# Hosts that cannot reach each other, while the launcher reaches all of them: only the hosts can detect it.
cut() {  # cut HOSTS VERDICT PATIENCE ORDER...: starts a job, sends the orders once it runs, prints its output and duration
  local hosts=$1 verdict=$2 patience=$3
  shift 3
  timeout 200 "$net" "$relay" "$hosts" -- bash -c '
    leeway=$0 node=$1 hosts=$2 verdict=$3 patience=$4 lines=$(mktemp)
    shift 4
    "$leeway" launch -n "$hosts" --verdict "$verdict" -- "$node" endless >"$lines" 2>&1 &
    running "$lines" "$hosts"
    start=$(date +%s%N)
    for order in "$@"; do
      case $order in sleep*) $order ;; *) echo "$order" >"$NET_ORDERS" ;; esac
    done
    timeout "$patience" tail -s 0.1 --pid=$! -f /dev/null || { echo "still running" && kill $!; }
    echo "milliseconds: $((($(date +%s%N) - start) / 1000000))"
    wait $!
    cat "$lines"
    rm "$lines"' "$leeway" "$node" "$hosts" "$verdict" "$patience" "$@"
}
removed_hosts() { sed -n 's/^leeway: node \([0-9]*\): the job has removed this node: it and node .*/\1/p' <<<"$output" | xargs; }
ended() {  # ended VERDICT: in time
  took=$(sed -n 's/^milliseconds: //p' <<<"$output")
  ! grep -q "still running" <<<"$output" && in_time "$took" "$1"
}

output=$(cut 3 2 30 "down 2 3" "down 3 2")
ended 2 && [ "$(removed_hosts)" = 2 ]
verdict "a cut between two hosts is found (took ${took:-no} ms), and one host removed ($(removed_hosts))" $?

output=$(cut 3 2 30 "down 2 3")
ended 2 && [ "$(removed_hosts)" = 2 ]
verdict "a cut in one direction is found (took ${took:-no} ms, removed $(removed_hosts))" $?

output=$(cut 4 2 30 "down 2 3" "down 3 2" "down 2 4" "down 4 2")
ended 2 && [ "$(removed_hosts)" = 1 ]
verdict "a host that cannot reach two others is removed, and not those (took ${took:-no} ms, removed $(removed_hosts))" $?

output=$(cut 3 3 6 "down 2 3" "down 3 2" "sleep 1" "up 2 3" "up 3 2")
grep -q "still running" <<<"$output" && [ -z "$(removed_hosts)" ]
verdict "a cut that heals before the verdict does not end the job" $?

# While the job waits for a third process, a waiting host loses the packets from the launcher's host; its own packets
# still arrive there.
output=$(timeout 200 "$net" "$relay" 3 -- bash -c '
  late="[ \"\$LEEWAYJOB_NODE\" != 1 ] || sleep 12; exec \"\$0\" short"
  "$0" launch -n 3 --verdict 1 -- sh -c "$late" "$1" 2>&1 >/dev/null &
  sleep 2
  echo "down 1 3" >"$NET_ORDERS"
  timeout 9 tail -s 0.1 --pid=$! -f /dev/null || { echo "still running" && kill $!; }
  wait $!' "$leeway" "$node")
! grep -q "still running" <<<"$output" && grep -q "its machine no longer answers" <<<"$output"
verdict "a waiting process ends once it receives nothing from the launcher's host" $?

[ "$(ownerless)" -eq "$before" ]
verdict "no namespace is left behind" $?
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
