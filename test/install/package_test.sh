#!/usr/bin/env bash
# usage: package_test.sh
# Builds the Debian package and the wheel. The package is installed into a bare Debian 12 (debootstrap, as root), where the
# README's first results, every example and a job of two ranks must run, and into a container where one can be made.
# What this machine cannot do counts as skipped, with the reason. Runs for minutes and downloads Debian packages.
set -euo pipefail
cd "$(dirname "$0")/../.."
area=$(mktemp -d)
trap 'rm -rf "$area"' EXIT
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
    tail -20 "$area/output"
  fi
}
skip() {
  skipped=$((skipped + 1))
  echo "skipped: $1: $2"
}

readme_code() {  # readme_code LANGUAGE: the README's first block of code in it
  awk -v fence="\`\`\`$1" '$0 == fence { on = 1; next } on && /^```$/ { exit } on' README.md
}

# in_bare COMMAND...: in the bare Debian, with /proc, /sys and /dev.
in_bare() {
  (
    # The mounts are this process's own and go with it.
    exec unshare --mount --fork bash -euc "
      for folder in proc sys dev; do mount --rbind /\$folder '$area/bare'/\$folder; done
      exec chroot '$area/bare' env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \"\$@\"" \
      bare "$@"
  )
}

make_bare() {
  debootstrap --variant=minbase bookworm "$area/bare" && tar -C "$area/bare" -cf "$area/bare.tar" . &&
    cp /etc/resolv.conf "$area/bare/etc/" && cp "$area"/packages/*.deb "$area/bare/root/" && in_bare apt-get -q update
}
install_package() { in_bare sh -c "apt-get -q -y --no-install-recommends install /root/leeway_*.deb"; }
install_recommended() {
  in_bare bash -euc "apt-get -q -y --no-install-recommends install \$(dpkg-query -W -f '\${Recommends}' leeway | tr -d ,)"
}
first_results() {
  readme_code sh >"$area/bare/root/first.sh"
  readme_code python >"$area/bare/root/first.py"
  [ -s "$area/bare/root/first.sh" ] && [ -s "$area/bare/root/first.py" ] &&
    in_bare bash -euc 'cd /root && . ./first.sh && python3 first.py'
}
two_ranks() {
  in_bare bash -eus <<'SCRIPT'
    cd /root
    mpiexec.mpich -n 2 leeway run cc kron:10 --quiet --out by-mpi.txt </dev/null
    leeway launch -n 2 -- leeway run cc kron:10 --quiet --out by-ofi.txt </dev/null
    cmp by-mpi.txt by-ofi.txt
    leeway doctor
    [ "$(find /usr/share/man -name 'leeway*.1.gz' | wc -l)" -gt 10 ]
SCRIPT
}
examples() {
  in_bare bash -eus <<'SCRIPT'
    cd /usr/share/doc/leeway/examples
    for program in memory vertex pie tick piece; do
      g++ -O1 $program.cc -o /root/$program $(pkg-config --cflags --libs leeway)
      mpiexec.mpich -n 2 /root/$program </dev/null
    done
    python3 memory.py
    python3 programs.py
SCRIPT
}

wheel() (
  /usr/bin/python3 -m venv --system-site-packages "$area/venv" && "$area/venv/bin/pip" install --no-build-isolation --no-index . &&
    cd "$area" && venv/bin/python -c 'import leeway; print(leeway.pagerank(leeway.generate("known:karate"), nodes=2))'
)

container() {
  # The bare Debian from above is the base where it exists, so that no image has to be fetched. The job runs as a build step,
  # because isolation by chroot works on machines whose control groups are not podman's.
  local build=(podman build --isolation=chroot --network=host) base=()
  if [ -f "$area/bare.tar" ]; then
    podman import "$area/bare.tar" leeway-test-base
    base=(--build-arg BASE=leeway-test-base)
  fi
  "${build[@]}" "${base[@]}" -f tools/Containerfile -t leeway-test "$area/packages"
  printf 'FROM leeway-test\nRUN mpiexec.mpich -n 2 leeway run pagerank kron:12\n' |
    "${build[@]}" --no-cache -f - "$area/packages" | tee "$area/container.log"
  podman rmi --force leeway-test leeway-test-base >/dev/null 2>&1 || true
  grep -q 'verified  *within' "$area/container.log"
}

check "the package builds" ./dev package "$area/packages"
if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
  skip "the package in a bare Debian" "this needs root and debootstrap"
else
  check "a bare Debian is made" make_bare
  check "the package installs" install_package
  check "the README's first results" first_results
  check "a job of two ranks" two_ranks
  check "what it recommends installs" install_recommended
  check "the examples build and run" examples
fi

if /usr/bin/python3 -c 'import mesonpy, pip, venv, ensurepip' 2>/dev/null && command -v patchelf >/dev/null; then
  check "pip install builds a wheel that works" wheel
else
  skip "the wheel" "install python3-pip python3-venv python3-mesonpy pybind11-dev patchelf"
fi

if podman info >/dev/null 2>&1; then
  check "a job of two ranks in a container" container
else
  skip "the container" "podman does not work here"
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
