#!/usr/bin/env bash
# usage: package_test.sh
# Builds the Debian package and the wheel. The package is installed into a bare Debian 12 (debootstrap, as root), where the
# README's first results, every example and a job of two ranks must run, and into a container where one can be made.
# What this machine cannot do counts as skipped, with the reason. Runs for minutes and downloads Debian packages.
set -euo pipefail
cd "$(dirname "$0")/../.."
area=$(mktemp -d)
trap 'rm -rf "$area"' EXIT
checkout=$PWD
# shellcheck source=test/install/checks.sh disable=SC1091
. test/install/checks.sh

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
if ! can_make_bare; then
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

conclude
