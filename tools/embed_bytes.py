#!/usr/bin/env python3
"""Generates a C++ source that contains binary files as constants.

usage: embed_bytes.py OUTPUT.cc NAMESPACE NAME=FILE...
"""
import sys


def main(output, namespace, *files):
    parts = []
    for each in files:
        name, path = each.split("=", 1)
        with open(path, "rb") as file:
            data = file.read()
        numbers = ",".join(str(byte) for byte in data)
        parts.append(f"static constexpr unsigned char {name}_bytes[] = {{{numbers}}};\n"
                     f"extern const std::span<const unsigned char> {name};\n"
                     f"const std::span<const unsigned char> {name}({name}_bytes);\n")
    with open(output, "w", encoding="utf-8") as file:
        file.write(f"#include <span>\n\nnamespace {namespace} {{\n\n" + "\n".join(parts) + f"\n}}  // namespace {namespace}\n")


main(*sys.argv[1:])
