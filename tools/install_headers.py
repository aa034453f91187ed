#!/usr/bin/env python3
"""Installs the headers of include/leeway under leeway/, and those that they include under leeway/detail/. Then
removes repetitions and what only the build needs from leeway.pc.

usage: install_headers.py SOURCE-ROOT INCLUDEDIR LIBDIR   a step of `meson install`
In the installed text, an include of a header that is not public names it as leeway/detail/FOLDER/FILE.
"""
import os
import re
import sys

INCLUDE = re.compile(r'^(\s*#\s*include\s*")([^"]+)(")', re.M)


def read(root, name):
    path = os.path.join(root, "include", name) if name.startswith("leeway/") else os.path.join(root, name)
    with open(path, encoding="utf-8") as file:
        return file.read()


def closure(root, public):
    """{name: text} of the public headers and of all that they include."""
    found, left = {}, list(public)
    while left:
        name = left.pop()
        if name not in found:
            found[name] = read(root, name)
            left += [included for _, included, _ in INCLUDE.findall(found[name])]
    return found


def installed_name(name):
    return name if name.startswith("leeway/") else f"leeway/detail/{name}"


def shorten(path):
    """Keeps each word of Libs once, and drops header-only packages from Requires."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    for i, line in enumerate(lines):
        if line.startswith("Libs:"):
            lines[i] = " ".join(dict.fromkeys(line.split(" ")))
        elif line.startswith("Requires:"):
            wanted = [each for each in line.removeprefix("Requires: ").split(", ") if each not in ("CLI11", "nlohmann_json")]
            lines[i] = "Requires: " + ", ".join(wanted)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def main():
    root, folder, libraries = sys.argv[1:]
    public = [f"leeway/{name}" for name in os.listdir(os.path.join(root, "include/leeway"))]
    target = os.path.join(os.environ["MESON_INSTALL_DESTDIR_PREFIX"], folder)
    for name, text in sorted(closure(root, public).items()):
        path = os.path.join(target, installed_name(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(INCLUDE.sub(lambda m: f"{m[1]}{installed_name(m[2])}{m[3]}", text))
    shorten(os.path.join(os.environ["MESON_INSTALL_DESTDIR_PREFIX"], libraries, "pkgconfig", "leeway.pc"))
    if not os.environ.get("MESON_INSTALL_QUIET"):
        print(f"Installed {len(public)} headers to {target}/leeway")


main()
