"""Copies the snapshot code and its dependencies with mutants built in; each can be switched on at run time.

    snapshot_mutants.py ROOT OUT STAMP

See mutants.py for the method; SOURCES are the files that the mutants affect, directly or by a header.
"""
import sys

from planting import plant

SOURCES = [
    "snapshot/folder.cc", "snapshot/recorder.cc", "snapshot/source.cc",
    "runtime/cluster/snapshot_taker.cc", "runtime/vertex/pace.cc", "runtime/vertex/vertex_job.cc", "runtime/pie/engine.cc",
    "programs/vertex/catalog.cc", "programs/pie/catalog.cc",
]
HEADERS = ["include/leeway/job.h", "runtime/vertex/bsp_engine.h", "runtime/vertex/push_engine.h", "programs/pie/paths.h"]

MUTANTS = {
    # Files and their order. The first two need a write that fails half-way: unit tests find them.
    "a-part-has-its-name-before-it-is-whole": [
        ("snapshot/folder.cc", "file(aside.create());",
         "file(MUTANT ? ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : aside.create());"),
        ("snapshot/folder.cc", "if (::rename(aside.path().c_str(), path.c_str()) != 0)",
         "if (!MUTANT && ::rename(aside.path().c_str(), path.c_str()) != 0)")],
    "a-snapshot-has-its-number-before-its-manifest": [
        ("snapshot/folder.cc", "  const std::string text = to_text(manifest);\n",
         "  const std::string text = to_text(manifest);\n"
         "  if (MUTANT) LEEWAY_CHECK(::rename(place.c_str(), folder_of(path_, manifest.number).c_str()) == 0);\n"),
        ("snapshot/folder.cc", "write_durably(in_folder(place, kManifestName)",
         "write_durably(in_folder(MUTANT ? folder_of(path_, manifest.number) : place, kManifestName)"),
        ("snapshot/folder.cc", "LEEWAY_TRY(sync_folder(place));",
         "LEEWAY_TRY(sync_folder(MUTANT ? folder_of(path_, manifest.number) : place));"),
        ("snapshot/folder.cc", "if (::rename(place.c_str(), name.c_str()) != 0) {",
         "if (!MUTANT && ::rename(place.c_str(), name.c_str()) != 0) {"),
        ("snapshot/folder.cc", '#include "base/format.h"\n',
         '#include "base/check.h"\n#include "base/format.h"\n')],
    "a-snapshot-is-made-valid-before-all-parts-are-there": [
        ("snapshot/recorder.cc", "if (uncommitted_ && folder_->complete(uncommitted_->number, uncommitted_->nodes))",
         "if (uncommitted_ && (MUTANT || folder_->complete(uncommitted_->number, uncommitted_->nodes)))")],
    "a-node-writes-the-snapshot-before": [
        ("runtime/cluster/snapshot_taker.cc", "  ++number_;\n", "  if (!MUTANT || node_.self() != NodeId(1)) ++number_;\n")],
    # The state of a run.
    "values-are-copied-before-the-superstep-stores": [
        ("runtime/vertex/bsp_engine.h", "      if (changed > 0) {\n        const bool many",
         "      if (MUTANT && snapshot_is_agreed()) context_.snapshots->take(superstep + 1 - before);\n"
         "      if (changed > 0) {\n        const bool many")],
    "a-value-is-saved-for-the-vertex-beside-it": [
        ("include/leeway/job.h", "put_state(part, v, shard().vertices()[v], Handle(v));",
         "put_state(part, v, shard().vertices()[MUTANT ? shard().local_count() - 1 - v : v], Handle(v));")],
    "supersteps-before-the-restart-are-forgotten": [
        ("runtime/vertex/vertex_job.cc", "      options_.engine.rounds_before =\n",
         "      options_.engine.rounds_before = MUTANT ? 0 :\n")],
    # Termination.
    "a-vote-that-asks-for-a-snapshot-votes-to-go-on": [
        ("runtime/vertex/pace.cc", "  node_.vote(to_continue, extra);",
         "  node_.vote(to_continue || (MUTANT && snapshots_ != nullptr && extra[extra.size() - 3] > 0), extra);")],
    "frames-of-a-snapshot-count-as-messages": [
        ("runtime/pie/engine.cc", "      return on_snapshot(from, kind, in);",
         "      counts_.handled += MUTANT ? 1 : 0;\n      return on_snapshot(from, kind, in);")],
    # Resuming.
    "states-are-dealt-out-as-the-snapshot-has-them": [
        ("snapshot/source.cc", "each(i, place->second);", "each(MUTANT ? place->second % part.header().entries : i, place->second);")],
    "a-worklist-begins-empty-after-a-restart": [
        ("runtime/vertex/push_engine.h", "    for (std::uint32_t v = 0; v < shard_.local_count(); ++v) {\n      const double rank",
         "    for (std::uint32_t v = 0; v < shard_.local_count() && !(MUTANT && context_.options.rounds_before > 0); ++v) {\n"
         "      const double rank")],
    "a-fragment-tells-its-neighbours-nothing-after-a-restart": [
        ("programs/pie/paths.h", "if (place < fragment.listed_count()) put(partial.queue, place, length);",
         "if (!MUTANT && place < fragment.listed_count()) put(partial.queue, place, length);")],
    # The answer is reached from older copies, too, so a unit test must find this one.
    "a-copy-is-kept-without-its-version": [
        ("snapshot/source.cc", "if (version < newest[place] || version == 0) return;",
         "if ((version < newest[place] && !MUTANT) || version == 0) return;")],
}

ROOT, OUT, STAMP = sys.argv[1:]
plant(ROOT, OUT, STAMP, SOURCES + HEADERS, MUTANTS)
