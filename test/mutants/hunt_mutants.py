"""Copies of sources with former bugs that the hunt has found put back; each can be switched on at run
time.

    hunt_mutants.py ROOT OUT STAMP

See mutants.py for the method; SOURCES are the files that the mutants affect, directly or by a header.
"""
import sys

from planting import plant, rows_of, swap, unless

SOURCES = ["runtime/pie/engine.cc", "runtime/vertex/piece_queue.cc", *rows_of("cdlp", "coloring", "wave")]
HEADERS = ["base/array.h", "runtime/vertex/piece_queue.h"]

MUTANTS = {
    # The slowest worker waits for an answer of a suspended one, which waits for the slowest's next round.
    "who-is-suspended-does-not-answer": [("runtime/pie/engine.cc", swap("!answer_meanwhile", "MUTANT || !answer_meanwhile"))],
    # Virtual nodes are fibers of one thread.
    "nodes-of-one-thread-share-their-scratch": [
        ("base/array.h", swap("room_", "(MUTANT ? kept() : room_)")),
        ("base/array.h", swap("kept() = std::move(room_)", "if (!MUTANT) kept() = std::move(room_)")),
        ("base/array.h", swap("room_", "MUTANT ? kept() : room_"))],
    # A piece that always has work starves the pieces behind it.
    "a-piece-may-wait-for-ever": [
        ("runtime/vertex/piece_queue.h", swap("since > other.since", "(MUTANT ? piece > other.piece : since > other.since)")),
        ("runtime/vertex/piece_queue.cc", unless())],
}

ROOT, OUT, STAMP = sys.argv[1:]
plant(ROOT, OUT, STAMP, SOURCES + HEADERS, MUTANTS)
