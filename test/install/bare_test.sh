#!/usr/bin/env bash
# usage: bare_test.sh
# Both commands of the README, ./dev demo and ./dev test, in a clone in a bare Debian 12 that debootstrap makes, as a newcomer on
# a fresh machine: nothing is installed and no compiler's cache exists. Needs root and debootstrap, and takes an hour.
set -euo pipefail
cd "$(dirname "$0")/../.."
area=$(mktemp -d)
trap 'rm -rf "$area"' EXIT
checkout=$PWD
# shellcheck source=test/install/checks.sh disable=SC1091
. test/install/checks.sh
if ! can_make_bare; then
  skip "the README's commands in a bare Debian" "this needs root and debootstrap"
  conclude
  exit 0
fi

makes_bare() {
  debootstrap --variant=minbase --include=git,ca-certificates bookworm "$area/bare" && cp /etc/resolv.conf "$area/bare/etc/" &&
    git clone -q --no-hardlinks "$checkout" "$area/bare/root/leeway"
}
in_clone() { in_bare bash -euc 'cd /root/leeway && exec "$@"' bash "$@"; }
demo_in_time() {
  local start=$SECONDS
  in_clone ./dev demo || return 1
  [ $((SECONDS - start)) -le 300 ] || { echo "took $((SECONDS - start)) s, more than 300"; return 1; }
}

check "a bare Debian with a clone" makes_bare
check "./dev demo, within five minutes" demo_in_time
check "./dev test" in_clone ./dev test
check "./dev install" in_clone ./dev install /root/installed
check "./dev python" in_clone ./dev python
conclude
