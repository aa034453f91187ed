#!/usr/bin/env python3
"""Generates a C++ source that contains files as constants: std::string_views, named like the files.

usage: embed.py OUTPUT.cc NAMESPACE FILE...
"""
import os
import re
import sys

PIECE = 12000  # compilers need not accept longer literals


def literal(data):
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    pieces = [text[at:at + PIECE] for at in range(0, len(text), PIECE)] or [""]
    return "\n".join(f'R"~~~({piece})~~~"' for piece in pieces)


def constant(name, data):
    text = literal(data)
    if text is not None:
        return f"extern const std::string_view {name};\nconst std::string_view {name} =\n{text};\n"
    numbers = ",".join(f"'\\x{byte:02x}'" for byte in data)
    return (f"static constexpr char {name}_bytes[] = {{{numbers}}};\nextern const std::string_view {name};\n"
            f"const std::string_view {name}({name}_bytes, sizeof {name}_bytes);\n")


def main(output, namespace, *paths):
    parts = []
    for path in paths:
        with open(path, "rb") as file:
            parts.append(constant(re.sub(r"\W", "_", os.path.basename(path)), file.read()))
    with open(output, "w", encoding="utf-8") as file:
        file.write(f"#include <string_view>\n\nnamespace {namespace} {{\n\n" + "\n".join(parts) + f"\n}}  // namespace {namespace}\n")


main(*sys.argv[1:])
