#!/usr/bin/env bash
# usage: bare_test.sh
# Both commands of the README, ./dev demo and ./dev test, in a clone in a bare Debian 12 that debootstrap makes, as a newcomer on
# a fresh machine: nothing is installed and no compiler's cache exists. Needs root and debootstrap, and takes an hour.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
  echo "skipped: this needs root and debootstrap"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
fi
area=$(mktemp -d)
trap 'rm -rf "$area"' EXIT
passed=0 failed=0

check() {  # check WHAT COMMAND...
  local what=$1 start=$SECONDS
  shift
  if "$@" >"$area/output" 2>&1; then
    passed=$((passed + 1))
    echo "ok, $((SECONDS - start)) s: $what"
  else
    failed=$((failed + 1))
    echo "failed: $what"
    tail -40 "$area/output"
  fi
}

# in_bare COMMAND...: in the bare Debian, in the clone, with /proc, /sys and /dev, which go with this process.
in_bare() {
  (
    exec unshare --mount --fork bash -euc "
      for folder in proc sys dev; do mount --rbind /\$folder '$area/bare'/\$folder; done
      exec chroot '$area/bare' env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        bash -euc 'cd /root/leeway && exec \"\$@\"' bash \"\$@\"" bare "$@"
  )
}

makes_bare() {
  debootstrap --variant=minbase --include=git,ca-certificates bookworm "$area/bare" && cp /etc/resolv.conf "$area/bare/etc/" &&
    git clone -q --no-hardlinks . "$area/bare/root/leeway"
}
demo_in_time() {
  local start=$SECONDS
  in_bare ./dev demo || return 1
  [ $((SECONDS - start)) -le 300 ] || { echo "took $((SECONDS - start)) s, more than 300"; return 1; }
}

check "a bare Debian with a clone" makes_bare
check "./dev demo, within five minutes" demo_in_time
check "./dev test" in_bare ./dev test
check "./dev install" in_bare ./dev install /root/installed
check "./dev python" in_bare ./dev python

echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
