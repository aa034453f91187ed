"""Copies of what the hunt has found mistakes in, with those mistakes put back, each of which can be switched on at run
time.

    hunt_mutants.py ROOT OUT STAMP

As mutants.py, which says how; SOURCES are those that the mistakes show in, directly or by a header.
"""
import sys

from planting import plant

SOURCES = ["runtime/pie/engine.cc", "runtime/vertex/piece_engine.cc", "programs/vertex/catalog.cc"]
HEADERS = ["base/array.h", "runtime/vertex/piece_engine.h"]

MUTANTS = {
    # The slowest waits for its answer, and it for the slowest's next round.
    "who-is-suspended-does-not-answer": [
        ("runtime/pie/engine.cc", "|| !answer_meanwhile(*slot, decision.next)) continue;",
         "|| MUTANT || !answer_meanwhile(*slot, decision.next)) continue;")],
    # Virtual nodes are fibers of one thread.
    "nodes-of-one-thread-share-their-scratch": [
        ("base/array.h", "== ScratchBegins::Empty) room_.clear();",
         "== ScratchBegins::Empty) (MUTANT ? kept() : room_).clear();"),
        ("base/array.h", "~Scratch() { kept() = std::move(room_); }",
         "~Scratch() { if (!MUTANT) kept() = std::move(room_); }"),
        ("base/array.h", "std::vector<T>& operator*() { return room_; }",
         "std::vector<T>& operator*() { return MUTANT ? kept() : room_; }")],
    # A piece that always has something to do starves those behind it.
    "a-piece-may-wait-for-ever": [
        ("runtime/vertex/piece_engine.h", "since > other.since;", "(MUTANT ? piece > other.piece : since > other.since);"),
        ("runtime/vertex/piece_engine.cc", "if (turns_ - oldest.turn >", "if (!MUTANT && turns_ - oldest.turn >")],
}

ROOT, OUT, STAMP = sys.argv[1:]
plant(ROOT, OUT, STAMP, SOURCES + HEADERS, MUTANTS)
