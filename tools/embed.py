#!/usr/bin/env python3
"""Generates a C++ source that contains text files as string constants.

usage: embed.py OUTPUT.cc FILE...
"""
import os
import sys

PIECE = 12000  # compilers need not accept longer literals


def literal(text):
    pieces = [text[at:at + PIECE] for at in range(0, len(text), PIECE)] or [""]
    return "\n".join(f'R"~~~({piece})~~~"' for piece in pieces)


def main(output, *paths):
    parts = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            name = os.path.basename(path).replace(".", "_")
            parts.append(f"extern const std::string_view {name};\nconst std::string_view {name} =\n{literal(file.read())};\n")
    with open(output, "w", encoding="utf-8") as file:
        file.write("#include <string_view>\n\nnamespace leeway::cli::page {\n\n" + "\n".join(parts)
                   + "\n}  // namespace leeway::cli::page\n")


main(*sys.argv[1:])
