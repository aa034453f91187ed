"""Puts former bugs back into copies of the library's files, for the campaign to find. All of them are on.

    mutants.py ROOT OUT_HEADERS OUT_SOURCE STAMP

A mutant is a list of operations on statements that carry its marker (../mutants/planting.py). Headers go to OUT_HEADERS,
which the test's executable searches first; the one source goes to OUT_SOURCE.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "mutants"))
from planting import planted, skip, swap, instead, write_changed

SOURCE = "runtime/cluster/compute_threads.cc"
HEADERS = ["base/disjoint_sets.h", "base/bucket_queue.h"]

MUTANTS = {
    "components-lose-an-arc": [
        ("base/disjoint_sets.h", swap("members = sets.members(sets.likely_largest(lists.count), loop)",
                                      "members = sets.members(sets.likely_largest(lists.count), loop);\n"
                                      "  const std::uint32_t largest = sets.likely_largest(lists.count)")),
        ("base/disjoint_sets.h", swap("members[v] == 0", "sets.root(v) != largest"))],
    "chunks-that-are-no-multiples-of-a-word": [
        (SOURCE, instead("const std::size_t all = size / grain + (size % grain == 0 ? 0 : 1);"
                         " body(thread, first * size / all, end * size / all);"))],
    "buckets-without-an-end": [("base/bucket_queue.h", skip())],
}

root, headers, source, stamp = sys.argv[1:]
texts = planted(root, [SOURCE, *HEADERS], MUTANTS, lambda number: "true")
write_changed({pathlib.Path(source) if path == SOURCE else pathlib.Path(headers) / path: text for path, text in texts.items()}, stamp)
