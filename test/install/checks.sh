# shellcheck shell=bash disable=SC2154
# For scripts that check one step after another. Requires: area, a folder of the script's own; checkout, the sources.
passed=0 failed=0 skipped=0

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
skip() {  # skip WHAT REASON
  skipped=$((skipped + 1))
  echo "skipped: $1: $2"
}
# The closing line; fails if a check has failed.
conclude() {
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ]
}

readme_code() {  # readme_code LANGUAGE: the README's first block of code in it
  awk -v fence="\`\`\`$1" '$0 == fence { on = 1; next } on && /^```$/ { exit } on' "$checkout/README.md"
}

can_make_bare() { [ "$(id -u)" -eq 0 ] && command -v debootstrap >/dev/null; }
# in_bare COMMAND...: in the bare Debian in $area/bare, with /proc, /sys and /dev.
in_bare() {
  (
    # The mounts are this process's own and go with it.
    exec unshare --mount --fork bash -euc "
      for folder in proc sys dev; do mount --rbind /\$folder '$area/bare'/\$folder; done
      exec chroot '$area/bare' env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \"\$@\"" \
      bare "$@"
  )
}
