"""Copies of sources with former bugs that the hunt has found put back; each can be switched on at run
time.

    hunt_mutants.py ROOT OUT STAMP

See mutants.py for the method; SOURCES are the files that the mutants affect, directly or by a header.
"""
import sys

from planting import plant

SOURCES = ["runtime/pie/engine.cc", "runtime/vertex/piece_engine.cc", "programs/vertex/catalog.cc"]
HEADERS = ["base/array.h", "runtime/vertex/piece_engine.h"]

MUTANTS = {
    # The slowest worker waits for an answer of a suspended one, which waits for the slowest's next round.
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
    # A piece that always has work starves the pieces behind it.
    "a-piece-may-wait-for-ever": [
        ("runtime/vertex/piece_engine.h", "since > other.since;", "(MUTANT ? piece > other.piece : since > other.since);"),
        ("runtime/vertex/piece_engine.cc", "if (turns_ - oldest.turn >", "if (!MUTANT && turns_ - oldest.turn >")],
}

ROOT, OUT, STAMP = sys.argv[1:]
plant(ROOT, OUT, STAMP, SOURCES + HEADERS, MUTANTS)
