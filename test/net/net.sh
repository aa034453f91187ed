#!/usr/bin/env bash
# usage: net.sh RELAY HOSTS [--net PROFILE] [--seed N] -- COMMAND...
#
# Runs COMMAND in a network of its own: HOSTS network namespaces, joined by a relay that delays every packet
# as PROFILE says (ideal, infiniband, gigabit, ec2, custom:...). COMMAND runs at the first host; `leeway launch`
# finds the hosts in its settings (LEEWAY_HOSTS, LEEWAY_LAUNCHER, LEEWAY_RENDEZVOUS). NET_ORDERS is a
# pipe that takes the relay's orders, such as "down 1 2" (see relay.cc), and NET_EVENTS the file that tells when they
# took effect. Everything is taken away at the end.
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

if ! ip netns add "$name-1" 2>"$area/why" || [ ! -w /dev/net/tun ]; then
  echo "skipped: no network namespaces here: $(cat "$area/why")"
  exit 77
fi
for ((i = 2; i <= hosts; i++)); do ip netns add "$name-$i"; done

mkfifo "$area/orders" "$area/ready"
"$relay" "${name}h" "$hosts" "$profile" "$seed" "$area/events" <>"$area/orders" >"$area/ready" &
relay_process=$!
told=0
read -r -t 120 word <"$area/ready" || told=$?
[ "$told" -le 128 ] || complain "the relay has said nothing for two minutes"
if [ "$told" -ne 0 ] || [ "$word" != ready ]; then
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
