"""Puts former bugs back into copies of the library's files, for the campaign to find.

    mutants.py ROOT OUT_HEADERS OUT_SOURCE STAMP

A mutant is a list of replacements in files. Headers go to OUT_HEADERS, which the test's executable searches
first; the one source goes to OUT_SOURCE. A mutant whose `stands` text is still in the tree needs no replacement.
If neither `stands` nor the replacements match, the table no longer fits the code, which is an error.
"""
import pathlib
import sys

MUTANTS = {
    "the largest set's root loses its arc to a copy": {
        "stands": ("runtime/vertex/contract_engine.h", "if (parent_[dependents[i]] != largest) continue;"),
        "replace": [
            ("base/disjoint_sets.h",
             "  const std::vector<std::uint8_t> members = sets.members(sets.likely_largest(lists.count), loop);\n",
             "  const std::uint32_t largest = sets.likely_largest(lists.count);\n"
             "  const std::vector<std::uint8_t> members = sets.members(largest, loop);\n"),
            ("base/disjoint_sets.h",
             "if (members[copies.target(arc)] == 0) continue;",
             "if (sets.root(copies.target(arc)) != largest) continue;"),
        ],
    },
    "threads take chunks that are no multiples of a word of the active set": {
        "stands": ("runtime/cluster/compute_threads.cc", "body(thread, first * size / all, end * size / all);"),
        "replace": [
            ("runtime/cluster/compute_threads.cc",
             "    for (std::size_t chunk = first; chunk < end; ++chunk)\n"
             "      body(thread, chunk * grain, std::min(size, (chunk + 1) * grain));",
             "    const std::size_t all = size / grain + (size % grain == 0 ? 0 : 1);\n"
             "    body(thread, first * size / all, end * size / all);"),
        ],
    },
    "buckets of paths are numbered without an end": {
        "stands": ("programs/pie/paths.h", "if (to >= partial.buckets.size()) partial.buckets.resize(to + 1);"),
        "replace": [("base/bucket_queue.h", "    if (place >= kWindow) return false;\n", "")],
    },
}


def main(root, headers, source, stamp):
    root, headers = pathlib.Path(root), pathlib.Path(headers)
    texts = {"runtime/cluster/compute_threads.cc": (root / "runtime/cluster/compute_threads.cc").read_text()}
    for name, mutant in MUTANTS.items():
        path, text = mutant["stands"]
        if (root / path).is_file() and text in (root / path).read_text():
            continue
        for path, find, put in mutant["replace"]:
            if path not in texts and (root / path).is_file():
                texts[path] = (root / path).read_text()
            if texts.get(path, "").count(find) != 1:
                sys.exit(f"mutants.py: '{name}' does not apply to {path} any more: update its entry in MUTANTS for "
                         "today's code")
            texts[path] = texts[path].replace(find, put)
    outputs = {headers / path.removeprefix("include/"): text for path, text in texts.items() if path.endswith(".h")}
    outputs[pathlib.Path(source)] = texts["runtime/cluster/compute_threads.cc"]
    for path, text in outputs.items():
        if not path.is_file() or path.read_text() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    pathlib.Path(stamp).touch()


main(*sys.argv[1:])
