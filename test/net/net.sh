#!/usr/bin/env bash
# usage: net.sh RELAY HOSTS [--net PROFILE] [--seed N] -- COMMAND...
#
# Runs COMMAND in a simulated network of HOSTS network namespaces, connected by a relay that delays every packet as
# PROFILE specifies (ideal, infiniband, gigabit, ec2, custom:...). COMMAND runs on the first host; `leeway launch` gets
# the hosts from the environment (LEEWAY_HOSTS, LEEWAY_LAUNCHER, LEEWAY_RENDEZVOUS). NET_ORDERS is a pipe for orders to
# the relay, such as "down 1 2" (see relay.cc); the relay writes to the file NET_EVENTS when they took effect. The
# network is removed at the end.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
complain() {
  echo "net: $*" >&2
  exit 2
}

[ $# -ge 2 ] || complain "usage: net HOSTS [--net PROFILE] [--seed N] -- COMMAND..."
relay=$1 hosts=$2 profile=ideal seed=1
shift 2
while [ $# -gt 0 ]; do
  case "$1" in
    --net) profile=${2:?} && shift 2 ;;
    --seed) seed=${2:?} && shift 2 ;;
    --) shift && break ;;
    *) complain "unknown flag '$1'" ;;
  esac
done
[[ $hosts =~ ^[1-9][0-9]?$ ]] || complain "'$hosts' is not 1 to 99 hosts"
[ $# -gt 0 ] || complain "no command; write it after --"

name=lw$$
area=$(mktemp -d)
relay_process=
# shellcheck disable=SC2317  # called by the trap
cleanup() {
  trap - EXIT
  if [ -n "$relay_process" ]; then
    kill "$relay_process" 2>/dev/null || true
    wait "$relay_process" 2>/dev/null || true
  fi
  for ((i = 1; i <= hosts; i++)); do
    for process in $(ip netns pids "$name-$i" 2>/dev/null); do kill -9 "$process" 2>/dev/null || true; done
    ip netns delete "$name-$i" 2>/dev/null || true
  done
  rm -rf "$area"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

if ! command -v ip >/dev/null; then
  echo "skipped: no ip command here; install iproute2"
  exit 77
fi
if ! ip netns add "$name-1" 2>"$area/why" || [ ! -w /dev/net/tun ]; then
  echo "skipped: no network namespaces here: $(cat "$area/why")"
  exit 77
fi
for ((i = 2; i <= hosts; i++)); do ip netns add "$name-$i"; done

mkfifo "$area/orders" "$area/ready"
"$relay" "${name}h" "$hosts" "$profile" "$seed" "$area/events" <>"$area/orders" >"$area/ready" &
relay_process=$!
status=0
read -r -t 120 word <"$area/ready" || status=$?
[ "$status" -le 128 ] || complain "no answer from the relay for two minutes"
if [ "$status" -ne 0 ] || [ "$word" != ready ]; then
  echo "skipped: no TUN devices here"
  exit 77
fi
for ((i = 1; i <= hosts; i++)); do
  ip link set "${name}h$i" netns "$name-$i"
  ip -n "$name-$i" link set lo up
  ip -n "$name-$i" address add "10.77.0.$i/24" dev "${name}h$i"
  ip -n "$name-$i" link set "${name}h$i" up
  echo "$name-$i" >>"$area/hosts"
done

export LEEWAY_HOSTS=$area/hosts LEEWAY_LAUNCHER=$here/enter.sh LEEWAY_RENDEZVOUS=10.77.0.1
export NET_ORDERS=$area/orders NET_EVENTS=$area/events
outcome=0
ip netns exec "$name-1" "$@" || outcome=$?
exit "$outcome"
