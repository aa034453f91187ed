#!/usr/bin/env bash
# usage: package.sh BUILD-FOLDER OUTPUT-FOLDER
# Makes OUTPUT-FOLDER/leeway_VERSION_ARCHITECTURE.deb from a build that is configured with --prefix=/usr: command, library,
# headers, Python package, man pages, completion and examples.
set -euo pipefail
build=$(realpath "$1") output=$2 source=$(realpath "$(dirname "$0")/..")
mkdir -p "$output"
output=$(realpath "$output")

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"
DESTDIR=$root meson install -C "$build" --no-rebuild --quiet --strip </dev/null
find "$root" -name 'libleeway.a' -exec strip --strip-debug {} +
find "$root/usr/share/man" -name '*.1' -exec gzip -9n {} +
documents=$root/usr/share/doc/leeway
mkdir -p "$documents"
cp -r "$source/examples" "$source/README.md" "$documents/"
cp "$source/LICENSE" "$documents/copyright"

version=$("$build/cli/leeway" --version | cut -d' ' -f2)
architecture=$(dpkg --print-architecture)

# The packages that own the shared libraries of the executables and of the Python module.
# libfabric is loaded while a program runs, so it is not among them.
mapfile -t binaries < <(find "$root" -type f \( -path '*/bin/*' -o -name '_core*.so' \))
libraries=$(ldd "${binaries[@]}" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u | xargs -r realpath | sort -u)
# Debian 12 merges /lib into /usr/lib; dpkg knows some files by the one path and some by the other.
depends=$(for library in $libraries; do dpkg -S "$library" "${library#/usr}" 2>/dev/null || true; done | cut -d: -f1 | sort -u | paste -sd, | sed 's/,/, /g')
[ -n "$depends" ] || { echo "package.sh: no package owns the libraries of ${binaries[*]}" >&2; exit 3; }
# What a user's C++ program needs in order to build.
develops=$(sed '/^# -- Python/,$d' "$source/tools/packages.txt" | grep -E '^lib.*-dev$|^nlohmann|^zlib1g-dev' | paste -sd, | sed 's/,/, /g')

mkdir -p "$root/DEBIAN"
cat >"$root/DEBIAN/control" <<CONTROL
Package: leeway
Version: $version
Architecture: $architecture
Maintainer: The Leeway developers <leeway@localhost>
Section: science
Priority: optional
Depends: $depends, libfabric1, mpich, python3, python3-numpy
Recommends: g++, pkg-config, $develops
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f1)
Description: distributed shared memory for iterative computations
 Object-based distributed shared memory with relaxed consistency: cached copies may be a bounded number of versions
 old. The command leeway, the C++ library and the Python package.
CONTROL
dpkg-deb --build --root-owner-group "$root" "$output/leeway_${version}_${architecture}.deb" >/dev/null
echo "$output/leeway_${version}_${architecture}.deb"
