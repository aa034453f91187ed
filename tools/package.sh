#!/usr/bin/env bash
# usage: package.sh BUILD-FOLDER OUTPUT-FOLDER
# Makes OUTPUT-FOLDER/leeway_VERSION_ARCHITECTURE.deb from a build that is configured with --prefix=/usr: command, library,
# headers, Python package, man pages and completion.
set -euo pipefail
build=$(realpath "$1") output=$2
mkdir -p "$output"
output=$(realpath "$output")

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"
DESTDIR=$root meson install -C "$build" --no-rebuild --quiet --strip </dev/null

version=$("$build/cli/leeway" --version | cut -d' ' -f2)
architecture=$(dpkg --print-architecture)

# The packages that own the shared libraries of the executables and of the Python module.
mapfile -t binaries < <(find "$root" -type f \( -path '*/bin/*' -o -name '_core*.so' \))
libraries=$(ldd "${binaries[@]}" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u | xargs -r realpath | sort -u)
# Debian 12 merges /lib into /usr/lib; dpkg knows some files by the one path and some by the other.
depends=$(for library in $libraries; do dpkg -S "$library" "${library#/usr}" 2>/dev/null || true; done | cut -d: -f1 | sort -u | paste -sd, | sed 's/,/, /g')
[ -n "$depends" ] || { echo "package.sh: no package owns the libraries of ${binaries[*]}" >&2; exit 3; }
develops=$(sed '/^# --/,$d' "$(dirname "$0")/packages.txt" | grep -E '^lib.*-dev$|^nlohmann|^zlib1g-dev' | paste -sd, | sed 's/,/, /g')

mkdir -p "$root/DEBIAN"
cat >"$root/DEBIAN/control" <<CONTROL
Package: leeway
Version: $version
Architecture: $architecture
Maintainer: The Leeway developers <leeway@localhost>
Section: science
Priority: optional
Depends: $depends, mpich, python3, python3-numpy
Recommends: g++, pkg-config
Suggests: $develops
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f1)
Description: distributed shared memory for iterative computations
 Object-based distributed shared memory with relaxed consistency: cached copies may be a bounded number of versions
 old. The command leeway, the C++ library and the Python package.
CONTROL
dpkg-deb --build --root-owner-group "$root" "$output/leeway_${version}_${architecture}.deb" >/dev/null
echo "$output/leeway_${version}_${architecture}.deb"
