#!/usr/bin/env python3
"""Installs the public headers under leeway/, and the headers that they include under leeway/detail/.

usage: install_headers.py SOURCE-ROOT INCLUDEDIR HEADER...   a step of `meson install`
Each HEADER is the name of a public header under leeway/. In installed headers, includes of non-public headers are rewritten to detail/.
"""
import os
import re
import sys

INCLUDE = re.compile(r'^(\s*#\s*include\s*")leeway/([^"]+)(")', re.M)


def closure(root, public):
    """{name: text} of the public headers and of all that they include."""
    found, left = {}, list(public)
    while left:
        name = left.pop()
        if name in found:
            continue
        with open(os.path.join(root, name), encoding="utf-8") as file:
            found[name] = file.read()
        left += [included for _, included, _ in INCLUDE.findall(found[name])]
    return found


def installed_name(name, public):
    return name if name in public else "detail/" + name


def main():
    root, folder, *names = sys.argv[1:]
    public = set(names)
    target = os.path.join(os.environ["MESON_INSTALL_DESTDIR_PREFIX"], folder, "leeway")
    for name, text in sorted(closure(root, public).items()):
        path = os.path.join(target, installed_name(name, public))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(INCLUDE.sub(lambda m: f"{m[1]}leeway/{installed_name(m[2], public)}{m[3]}", text))
    if not os.environ.get("MESON_INSTALL_QUIET"):
        print(f"Installed {len(public)} headers to {target}")


main()
