"""Builds mutants into copies of the library's files, each behind a condition that can be switched on."""
import pathlib
import shutil
import sys


def sources_of(root, *folders):
    """All headers and sources of these folders, by their path relative to root."""
    return [path.relative_to(root).as_posix() for folder in folders
            for path in sorted((pathlib.Path(root) / folder).glob("*.*")) if path.suffix in (".h", ".cc")]


def plant(root, out, stamp, files, mutants):
    """Copies these files to out as described in mutants.py; mutants: name -> list of (file, text, replacement)."""
    root, out = pathlib.Path(root), pathlib.Path(out)
    texts = {path: (root / path).read_text() for path in files}
    for number, (name, replacements) in enumerate(mutants.items(), 1):
        for path, find, put in replacements:
            if texts.get(path, "").count(find) != 1:
                sys.exit(f"{pathlib.Path(sys.argv[0]).name}: '{name}' does not apply to {path} any more: update its entry "
                         "in MUTANTS for today's code")
            if '#include "leeway/mutant.h"' not in texts[path]:
                texts[path] = '#include "leeway/mutant.h"\n' + texts[path]
            texts[path] = texts[path].replace(find, put.replace("MUTANT", f"(::leeway::active_mutant == {number})"))
    names = "".join(f'    "{name}",\n' for name in mutants)
    headers = out / "headers"
    outputs = {headers / "leeway/mutant.h":
               "#pragma once\n#include <array>\n#include <string_view>\nnamespace leeway {\n"
               "/// The active mutant of this process, from 1; 0: none.\ninline int active_mutant = 0;\n"
               f"inline constexpr std::array<std::string_view, {len(mutants)}> kMutants = {{\n{names}}};\n"
               "}  // namespace leeway\n"}
    for path, text in texts.items():
        outputs[headers / path.removeprefix("include/") if path.endswith(".h") else out / path.replace("/", "_")] = text
    changed = not pathlib.Path(stamp).is_file()
    # Copies of an earlier layout of the sources would be found first.
    for path in headers.rglob("*.h"):
        if path not in outputs:
            path.unlink()
    for folder in {path.split("/")[0] for path in files} | {"leeway"}:
        if any((out / folder).rglob("*.h")) and not (out / folder / "stamp.h").exists():
            shutil.rmtree(out / folder)
    for path, text in outputs.items():
        if not path.is_file() or path.read_text() != text:
            changed = True
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    if changed:  # every object includes the stamp, the only header known to the build system
        pathlib.Path(stamp).write_text("#pragma once\n")
