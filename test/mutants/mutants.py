"""Copies protocol/ and dsm/ with mutants built in, each of which can be switched on at run time.

    mutants.py ROOT OUT STAMP

A mutant is a list of operations on statements that carry its marker (planting.py). Sources go to OUT under their own
names; headers to their path below OUT/headers, which the tests' programs search first, with OUT/headers/leeway/mutant.h, which lists the
mutants. So the shipped code has no test code. A marker without an operation, or the reverse, is an error.
"""
import sys

from planting import after, before, both, either, instead, plant, skip, sources_of, swap, unless

MUTANTS = {
    # The home.
    "lose-invalidation-when-flattening": [
        ("protocol/directory.cc", before("if (MUTANT && invalidated_.links.size() > 1) invalidated_.cut(invalidated_.links.size() - 1);"))],
    "forget-sharer-on-refetch": [("protocol/directory.cc", unless("habit.joined != EvictNumber(0)"))],
    "evict-ignores-number": [("protocol/directory.cc", unless())],
    "announce-old-version": [
        ("protocol/directory.cc", swap("version.value()", "version.value() - (MUTANT ? 1 : 0)")),
        ("protocol/directory.cc", swap("version.value()", "version.value() - (MUTANT ? 1 : 0)"))],
    "reply-old-version-as-new": [("protocol/directory.cc", swap("version.value()", "version.value() + (MUTANT ? 1 : 0)"))],
    "skip-acknowledgement-wait": [("protocol/directory.cc", either())],
    "lose-second-sharer": [("protocol/directory.cc", either("at != first_sharer_[object.index()]"))],
    "forget-local-write": [
        ("protocol/directory.cc", before("if (MUTANT && versions_[object.index()].value() % 8 == 0) return;"))],
    "a-stretch-lacks-its-end": [("protocol/directory.cc", swap("objects.back()", "objects[objects.size() - (MUTANT ? 2 : 1)]"))],
    "a-repeated-invalidation-is-lost": [
        ("protocol/directory.cc", swap("copy.announced == version", "(copy.announced == version || (MUTANT && copy.announced > kFirstVersion))"))],
    "decline-forgets-sharer": [
        ("protocol/directory.cc", after("if (MUTANT && copy.present) copy.present = false, remove_sharer(from, link, copy.object);"))],
    "remote-write-invalidates-no-sharer": [("protocol/directory.cc", instead("versions_[copy.object.index()] = write_.version;"))],
    # The sharer.
    "install-older-reply": [("protocol/cache.cc", either())],
    "threshold-off-by-one": [("protocol/cache.h", swap("policy_.threshold", "policy_.threshold + (MUTANT ? 1 : 0)"))],
    "keep-stale-after-invalidation": [("protocol/cache.cc", skip())],
    "drop-refresh": [("protocol/cache.cc", either())],
    "neighbours-get-each-other's-values": [("protocol/cache.cc", swap("at", "MUTANT ? 0 : at"))],
    "neighbours-get-each-other's-answers": [("protocol/cache.cc", swap("at", "MUTANT ? 0 : at"))],
    "push-to-evicted": [("protocol/cache.cc", either())],
    "remote-writer-forgets-its-version": [("protocol/cache.cc", skip())],
    # Termination.
    "count-handled-twice": [("protocol/termination.h", either())],
    "forget-stale-use": [("protocol/termination.h", either())],
    "stop-on-first-vote": [("protocol/termination.h", either())],
    # Fast paths.
    "view-keeps-its-stores": [("dsm/view.h", before("if (MUTANT) stored_.clear();"))],
    "view-asks-for-no-refresh": [("dsm/view.h", unless())],
    "view-counts-no-stale-use": [("dsm/view.h", skip())],
    "view-uses-what-is-too-old": [("dsm/view.h", swap("most_age_", "(MUTANT ? std::uint8_t{255} : most_age_)"))],
    "invalidation-leaves-the-mark": [
        ("dsm/space.cc", swap("age_to_publish", "MUTANT && mark_of(met_of(slots[i])).load() == 0 ? std::uint8_t{0} : age_to_publish"))],
    "unlocked-read-asks-for-no-refresh": [("dsm/space.cc", unless())],
    "stores-between-flushes-count-once": [("dsm/space.cc", swap("stores", "MUTANT ? 1 : stores"))],
    "reads-before-a-write-has-ended": [("dsm/value_store.h", either())],
    "reads-across-a-write": [("dsm/value_store.h", either())],
    "a-failure-leaves-waiters": [("dsm/node.cc", unless())],
    "an-improvement-is-lost": [("dsm/value_store.h", both(either(), before("if (MUTANT) word.store(desired);")))],
    "a-local-store-keeps-what-was-there": [("dsm/view.h", after("if (MUTANT && object.index() % 2 == 1) return;"))],
    # Waits, collectives and full windows.
    "wait-for-reads-waits-for-all-reads": [
        ("dsm/space.cc", swap("awaited.empty()", "(awaited.empty() && !(MUTANT && machines_->cache.in_flight() > 0))"))],
    "a-mismatch-of-collectives-passes": [("protocol/collective.cc", either("call.numbers == own_call().numbers"))],
    "backlogged-peer-is-not-held": [("dsm/node.cc", skip())],
    "find-before-resolve": [
        ("dsm/dsm.h", swap("handle_of(id)", "(MUTANT ? space_->find(id).value_or(Handle::none()) : handle_of(id))")),
        ("dsm/dsm.h", unless())],
    # Acquire and release.
    "a-barrier-waits-for-no-news": [
        ("dsm/node.cc", swap("handled_in_phase_[phase] >=", "(MUTANT ? ~std::uint64_t{0} : handled_in_phase_[phase]) >="))],
    "all-phases-count-as-one": [
        ("protocol/outbox.h", swap("news ? phase_", "news && !MUTANT ? phase_"))],
    "an-acquire-leaves-old-copies": [("protocol/cache.h", unless())],
    "a-fetch-that-insists-takes-an-earlier-answer": [("dsm/space.cc", skip())],
    # A full cache.
    "a-full-cache-has-no-room": [("dsm/bounded_copies.h", swap("true", "!MUTANT"))],
    "a-stale-copy-goes-unheard": [
        ("dsm/space.cc", swap("machines_->cache.classify(slot) == Access::StaleHit", "(!MUTANT && machines_->cache.classify(slot) == Access::StaleHit)"))],
    "an-eviction-overtakes-its-read": [("protocol/cache.cc", unless())],
    "who-is-turned-away-from-a-poll-is-forgotten": [("dsm/node.cc", unless())],
    # Pending messages for a peer that does not poll.
    "what-is-held-back-is-forgotten": [("dsm/node.cc", unless())],
    "held-back-invalidations-are-dropped": [("protocol/directory.cc", swap("false", "MUTANT"))],
    "own-write-is-undone-by-an-answer": [("protocol/cache.cc", unless())],
    "count-of-reads-wraps": [("protocol/cache.cc", unless())],
    "a-store-wakes-no-thread": [("dsm/space.cc", unless())],
}


ROOT, OUT, STAMP = sys.argv[1:]
plant(ROOT, OUT, STAMP, sources_of(ROOT, "protocol", "dsm"), MUTANTS)
