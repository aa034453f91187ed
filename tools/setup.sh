#!/usr/bin/env bash
# usage: setup.sh [--quiet] [--command-only | --python]
# Installs the missing packages of tools/packages.txt; with --command-only, only those that the command needs; with
# --python, also those of the Python package. If nothing is missing, it only queries dpkg and does not use the network.
set -euo pipefail
cd "$(dirname "$0")"

quiet=false
until='^-- nothing'
for argument in "$@"; do
  case "$argument" in
    --quiet) quiet=true ;;
    --command-only) until='^# --' ;;
    --python) until='^# -- The rest' ;;
    *)
      echo "tools/setup.sh: unknown argument '$argument'; it takes --quiet, --command-only and --python" >&2
      exit 2
      ;;
  esac
done
packages() { sed "/$until/,\$d" packages.txt; }
mapfile -t required < <(packages | grep -vE '^(#|[[:space:]]*$)')

if ! command -v dpkg-query >/dev/null; then
  echo "tools/setup.sh: this is not a Debian machine; install by hand what tools/packages.txt lists" >&2
  exit 3
fi

installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${required[@]}" 2>/dev/null || true)
missing=()
for package in "${required[@]}"; do
  grep -qx "$package installed" <<<"$installed" || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  $quiet || echo "setup: all ${#required[@]} packages are here"
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "setup: missing ${missing[*]}; run as root: apt-get install ${missing[*]}" >&2
    exit 3
  fi
  as_root=(sudo)
fi

apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o DPkg::Lock::Timeout=300 \
    -o Acquire::Retries=3 "$@" </dev/null
}

echo "setup: installing ${#missing[@]} packages: ${missing[*]}"
# Package lists may be missing (on a fresh machine) or old; they are updated only after the installation has failed.
if ! apt install --no-install-recommends "${missing[@]}"; then
  apt update
  apt install --no-install-recommends "${missing[@]}"
fi
