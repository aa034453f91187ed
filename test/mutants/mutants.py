"""Copies protocol/ and dsm/ with mutants built in, each of which can be switched on at run time.

    mutants.py ROOT OUT STAMP

A mutant is a list of replacements in files; MUTANT in them becomes the condition that is true while the mutant is
on. Sources go to OUT under their own names; headers to their path below OUT/headers, which the tests' programs search first, with
OUT/headers/leeway/mutant.h, which lists the mutants. So the shipped code has no test code. A replacement whose text is not
in its file exactly once is an error: then this table no longer fits the code.
"""
import sys

from planting import plant, sources_of

MUTANTS = {
    # The home.
    "lose-invalidation-when-flattening": [
        ("protocol/directory.cc", "  send_invalidations(id, invalidated_, false, out);\n",
         "  if (MUTANT && invalidated_.links.size() > 1) invalidated_.cut(invalidated_.links.size() - 1);\n"
         "  send_invalidations(id, invalidated_, false, out);\n")],
    "forget-sharer-on-refetch": [
        ("protocol/directory.cc", "if (!copy.present) {\n    copy.present = true;\n    add_sharer(from, link,",
         "if (!copy.present && !(MUTANT && habit.joined != EvictNumber(0))) {\n"
         "    copy.present = true;\n    add_sharer(from, link,")],
    "evict-ignores-number": [
        ("protocol/directory.cc", "if (sharer.habits[link.index()].joined >= evict_.number)",
         "if (sharer.habits[link.index()].joined >= evict_.number && !MUTANT)")],
    "announce-old-version": [
        ("protocol/directory.cc", "pushed_.put(pushed++, link, version.value(),",
         "pushed_.put(pushed++, link, version.value() - (MUTANT ? 1 : 0),"),
        ("protocol/directory.cc", "invalidated_.put(invalidated++, link, version.value(),",
         "invalidated_.put(invalidated++, link, version.value() - (MUTANT ? 1 : 0),")],
    "reply-old-version-as-new": [
        ("protocol/directory.cc", "numbers_[at] = version.value();",
         "numbers_[at] = version.value() + (MUTANT ? 1 : 0);")],
    "skip-acknowledgement-wait": [
        ("protocol/directory.cc", "  return unacked_.empty() ||", "  return MUTANT || unacked_.empty() ||")],
    "lose-second-sharer": [
        ("protocol/directory.cc", "if (sharer.node == writer) continue;",
         "if (sharer.node == writer || (MUTANT && at != first_sharer_[object.index()])) continue;")],
    "forget-local-write": [
        ("protocol/directory.cc", "  for (std::uint32_t at = first_sharer_[object.index()]; at != 0; at = sharers_of_[at].next) {\n"
         "    const SharerOf& sharer",
         "  if (MUTANT && versions_[object.index()].value() % 8 == 0) return;\n"
         "  for (std::uint32_t at = first_sharer_[object.index()]; at != 0; at = sharers_of_[at].next) {\n"
         "    const SharerOf& sharer")],
    "a-stretch-lacks-its-end": [
        ("protocol/directory.cc", "{objects.front(), objects.back()}", "{objects.front(), objects[objects.size() - (MUTANT ? 2 : 1)]}")],
    "what-was-said-once-is-never-said-again": [
        ("protocol/directory.cc", "    if (copy.announced == version && policy_",
         "    if ((copy.announced == version || (MUTANT && copy.announced > kFirstVersion)) && policy_")],
    "decline-forgets-sharer": [
        ("protocol/directory.cc", "    copy.push = false;\n", "    copy.push = false;\n"
         "    if (MUTANT && copy.present) copy.present = false, remove_sharer(from, link, copy.object);\n")],
    "remote-write-tells-nobody": [
        ("protocol/directory.cc", "  wrote_by(copy.object, 1, from);\n",
         "  if (MUTANT) versions_[copy.object.index()] = write_.version; else wrote_by(copy.object, 1, from);\n")],
    # The sharer.
    "install-older-reply": [
        ("protocol/cache.cc", "if (version > entry.held) {", "if (version > entry.held || MUTANT) {")],
    "threshold-off-by-one": [
        ("protocol/cache.h", "staleness(slot) <= policy_.threshold ?",
         "staleness(slot) <= policy_.threshold + (MUTANT ? 1 : 0) ?")],
    "keep-stale-after-invalidation": [
        ("protocol/cache.cc", "    entry.known = std::max(entry.known, version);\n    // A push",
         "    if (!MUTANT) entry.known = std::max(entry.known, version);\n    // A push")],
    "drop-refresh": [
        ("protocol/cache.cc", "  if (entry.held == entry.known) return;",
         "  if (entry.held == entry.known || MUTANT) return;")],
    "neighbours-get-each-other's-values": [
        ("protocol/cache.cc", "  effects.install_current(run, invalidate_.values.row(at, run.count)",
         "  effects.install_current(run, invalidate_.values.row(MUTANT ? 0 : at, run.count)")],
    "neighbours-get-each-other's-answers": [
        ("protocol/cache.cc", "  effects.install_current(run, reply_.values.row(at, run.count)",
         "  effects.install_current(run, reply_.values.row(MUTANT ? 0 : at, run.count)")],
    "push-to-evicted": [
        ("protocol/cache.cc", "if (invalidate_.pushes && here) {",
         "if (invalidate_.pushes && (here || MUTANT)) {")],
    "remote-writer-forgets-its-version": [
        ("protocol/cache.cc", "  entry.held = entry.known;\n", "  if (!MUTANT) entry.held = entry.known;\n")],
    # Termination.
    "count-handled-twice": [
        ("protocol/collective.h", "totals.sent == handled_before;", "totals.sent == handled_before || MUTANT;")],
    "forget-stale-use": [
        ("protocol/collective.h", "totals.stale_used == 0;", "totals.stale_used == 0 || MUTANT;")],
    "stop-on-first-vote": [
        ("protocol/collective.h", "totals.votes == 0;", "totals.votes == 0 || MUTANT;")],
    # Fast paths.
    "view-keeps-its-stores": [
        ("dsm/view.h", "    if (stored_.empty() && stale_ == 0) return;\n",
         "    if (MUTANT) stored_.clear();\n    if (stored_.empty() && stale_ == 0) return;\n")],
    "view-asks-for-no-refresh": [
        ("dsm/view.h", "    if (refresh_) dsm_->", "    if (refresh_ && !MUTANT) dsm_->")],
    "view-counts-no-stale-use": [
        ("dsm/view.h", "    ++stale_by_age_[age];\n", "    if (!MUTANT) ++stale_by_age_[age];\n")],
    "view-uses-what-is-too-old": [
        ("dsm/view.h", "if (age > most_age_) {", "if (age > (MUTANT ? std::uint8_t{255} : most_age_)) {")],
    "invalidation-leaves-the-mark": [
        ("dsm/space.cc", "return age_to_publish(slots[i]);",
         "return MUTANT && mark_of(met_of(slots[i])).load() == 0 ? std::uint8_t{0} : age_to_publish(slots[i]);")],
    "unlocked-read-asks-for-no-refresh": [
        ("dsm/space.cc", "  if (policy_.refresh) queue_refresh(met);\n}",
         "  if (policy_.refresh && !MUTANT) queue_refresh(met);\n}")],
    "stores-between-flushes-count-once": [
        ("dsm/space.cc", "    times.push_back(stores);\n", "    times.push_back(MUTANT ? 1 : stores);\n")],
    "reads-before-a-write-has-ended": [
        ("dsm/value_store.h", "if (before % 2 == 0) [[likely]]", "if (before % 2 == 0 || MUTANT) [[likely]]")],
    "reads-across-a-write": [
        ("dsm/value_store.h", "if (whole) [[likely]]", "if (whole || MUTANT) [[likely]]")],
    "a-failure-leaves-waiters": [
        ("dsm/node.cc", "return collective_.done() || failed();\n  });\n  const std::lock_guard",
         "return collective_.done() || (failed() && !MUTANT);\n  });\n  const std::lock_guard")],
    "an-improvement-is-lost": [
        ("dsm/value_store.h", "      if (word.compare_exchange_weak(expected, desired,",
         "      if (MUTANT) word.store(desired);\n      if (MUTANT || word.compare_exchange_weak(expected, desired,")],
    "a-local-store-keeps-what-was-there": [
        ("dsm/view.h", "  void store_local(Handle object, const T& value) {\n",
         "  void store_local(Handle object, const T& value) {\n    if (MUTANT && object.index() % 2 == 1) return;\n")],
    # Waits, collectives and full windows.
    "wait-for-reads-waits-for-everybody": [
        ("dsm/space.cc", "return awaited.empty() || node_.failed();",
         "return (awaited.empty() && !(MUTANT && cache_.in_flight() > 0)) || node_.failed();")],
    "a-mismatch-of-collectives-passes": [
        ("protocol/collective.cc", "  if (call == own_call()) return true;\n",
         "  if (call == own_call() || (MUTANT && call.numbers == own_call().numbers)) return true;\n")],
    "backlogged-peer-is-not-held": [
        ("dsm/node.cc", "    outbox_.hold(frame.to, true);\n", "    if (!MUTANT) outbox_.hold(frame.to, true);\n")],
    "find-before-resolve": [
        ("include/leeway/dsm.h", "    const Handle handle = handle_of(id);\n    if (handle == Handle::none()) [[unlikely]]\n",
         "    const Handle handle = MUTANT ? space_->find(id).value_or(Handle::none()) : handle_of(id);\n"
         "    if (!MUTANT && handle == Handle::none()) [[unlikely]]\n")],
    # A full cache.
    "a-full-cache-has-no-room": [
        ("dsm/bounded_copies.h", "order_.oldest([](std::uint32_t) { return true; });",
         "order_.oldest([](std::uint32_t) { return !MUTANT; });")],
    "a-stale-copy-goes-unheard": [
        ("dsm/space.cc", "cache_.classify(slot) == Access::StaleHit;",
         "(!MUTANT && cache_.classify(slot) == Access::StaleHit);")],
    "an-eviction-overtakes-its-read": [
        ("protocol/cache.cc", "  if (entry.in_flight > 0) return;\n  home_of",
         "  if (entry.in_flight > 0 && !MUTANT) return;\n  home_of")],
    "who-is-turned-away-from-a-poll-is-forgotten": [
        ("dsm/node.cc", "  if (turned_away_.exchange(false)) transport_.wake();",
         "  if (turned_away_.exchange(false) && !MUTANT) transport_.wake();")],
    # Pending messages for a peer that does not poll.
    "what-is-held-back-is-forgotten": [
        ("dsm/node.cc", "if (backlogged_ > 0 && ship_backlog()) {", "if (backlogged_ > 0 && ship_backlog() && !MUTANT) {")],
    "held-back-invalidations-are-dropped": [
        ("protocol/directory.cc", "    if (!all && out.holds(id)) return false;\n",
         "    if (!all && out.holds(id)) return MUTANT;\n")],
    "own-write-is-undone-by-an-answer": [
        ("protocol/cache.cc", "  return !policy_.optimizations.collocation && entry.held",
         "  return !MUTANT && !policy_.optimizations.collocation && entry.held")],
    "count-of-reads-wraps": [
        ("protocol/cache.cc", "if (entry.in_flight == kMostReads) return", "if (entry.in_flight == kMostReads && !MUTANT) return")],
    "a-store-wakes-nobody": [
        ("dsm/space.cc", "if (memory_.written.add(object.value())) mark_pending();",
         "if (memory_.written.add(object.value()) && !MUTANT) mark_pending();")],
}


ROOT, OUT, STAMP = sys.argv[1:]
plant(ROOT, OUT, STAMP, sources_of(ROOT, "protocol", "dsm") + ["include/leeway/dsm.h"], MUTANTS)
