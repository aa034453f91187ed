"""Copies the snapshot code and its dependencies with mutants built in; each can be switched on at run time.

    snapshot_mutants.py ROOT OUT STAMP

See mutants.py for the method; SOURCES are the files that the mutants affect, directly or by a header.
"""
import sys

from planting import after, before, include, plant, rows_of, skip, swap, unless

SOURCES = [
    "snapshot/folder.cc", "snapshot/recorder.cc", "snapshot/source.cc",
    "runtime/cluster/checkpointer.cc", "runtime/vertex/bsp_engine.cc", "runtime/vertex/pace.cc", "runtime/vertex/vertex_job.cc", "runtime/pie/engine.cc", "runtime/pie/engine_checkpoints.cc",
    *rows_of("pagerank", "sssp", "wave"),
]
HEADERS = ["runtime/vertex/selecting_kernels.h", "programs/sssp/pie.h"]

MUTANTS = {
    # Files and their order. The first two need a write that fails half-way: unit tests find them.
    "a-part-has-its-name-before-it-is-whole": [
        ("snapshot/folder.cc", swap("aside.create()", "MUTANT ? ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : aside.create()")),
        ("snapshot/folder.cc", unless())],
    "a-snapshot-has-its-number-before-its-manifest": [
        ("snapshot/folder.cc", include("base/check.h")),
        ("snapshot/folder.cc", after("if (MUTANT) LEEWAY_CHECK(::rename(place.c_str(), folder_of(path_, manifest.number).c_str()) == 0);")),
        ("snapshot/folder.cc", swap("place", "MUTANT ? folder_of(path_, manifest.number) : place")),
        ("snapshot/folder.cc", swap("place", "MUTANT ? folder_of(path_, manifest.number) : place")),
        ("snapshot/folder.cc", unless())],
    "a-snapshot-is-made-valid-before-all-parts-are-there": [
        ("snapshot/recorder.cc", swap("folder_->complete(uncommitted_->number, uncommitted_->nodes)", "(MUTANT || folder_->complete(uncommitted_->number, uncommitted_->nodes))"))],
    "a-node-writes-the-snapshot-before": [("runtime/cluster/checkpointer.cc", skip("node_.self() == NodeId(1)"))],
    # The state of a run.
    "values-are-copied-before-the-superstep-stores": [
        ("runtime/vertex/bsp_engine.cc", before("if (MUTANT && snapshot_is_agreed()) context_.snapshots->take(superstep + 1 - before);"))],
    "a-value-is-saved-for-the-next-vertex": [
        ("runtime/vertex/vertex_job.cc", swap("graph_.vertices()[v]", "graph_.vertices()[MUTANT ? graph_.local_count() - 1 - v : v]"))],
    "supersteps-before-the-restart-are-forgotten": [
        ("runtime/vertex/vertex_job.cc", swap("static_cast", "MUTANT ? 0 : static_cast"))],
    # Termination.
    "a-vote-that-asks-for-a-snapshot-votes-to-go-on": [
        ("runtime/vertex/pace.cc", swap("to_continue", "to_continue || (MUTANT && snapshots_ != nullptr && extra[extra.size() - 3] > 0)"))],
    "a-message-with-the-token-is-taken-before-the-state-is-saved": [
        ("runtime/pie/engine.cc", swap("in.varint() > checkpoints_->token()", "in.varint() > checkpoints_->token() && !MUTANT")),
        ("runtime/pie/engine_checkpoints.cc", skip())],
    "a-message-in-flight-is-in-no-checkpoint": [("runtime/pie/engine.cc", unless())],
    "frames-of-a-snapshot-count-as-messages": [("runtime/pie/engine.cc", before("counts_.handled += MUTANT ? 1 : 0;"))],
    # Resuming.
    "states-are-assigned-in-the-order-of-the-snapshot": [
        ("snapshot/source.cc", swap("i", "MUTANT ? place->second % part.header().entries : i"))],
    "a-worklist-begins-empty-after-a-restart": [
        ("runtime/vertex/selecting_kernels.h", swap("v < graph_.local_count()", "v < graph_.local_count() && !(MUTANT && context_.options.rounds_before > 0)"))],
    "a-fragment-sends-nothing-after-a-restart": [("programs/sssp/pie.h", unless())],
}

ROOT, OUT, STAMP = sys.argv[1:]
plant(ROOT, OUT, STAMP, SOURCES + HEADERS, MUTANTS)
