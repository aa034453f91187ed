/* Directory, caches and termination for Spin: one home (node 0) with OBJECTS objects and a single writer, SHARERS
 * caches, a FIFO channel to each sharer, and a channel to the home that may reorder. See
 * protocol/{directory,cache,termination}.h: states are those of CopyState; `held`, `known`, `joined` and
 * `evict_number` have the same meaning. Checked: a copy is never newer than its home and never goes back; the
 * directory contains every holder; once no message is in flight, every holder knows of every write; and the verdict
 * Converged is never given if the last iteration used an old value.
 *
 * Seeded bugs, one at a time: LOSE_INVALIDATION FORGET_SHARER EVICT_IGNORES_NUMBER REPLY_OLD_VERSION
 * KEEP_STALE STOP_EARLY FORGET_STALE_USE COUNT_SAME_WAVE LOSE_SECOND_SHARER */

#ifndef SHARERS
#define SHARERS 2
#endif
#ifndef OBJECTS
#define OBJECTS 2
#endif
#ifndef WRITES
#define WRITES 2          /* total */
#endif
#ifndef EVICTIONS
#define EVICTIONS 1       /* total */
#endif
#ifndef ITERATIONS
#define ITERATIONS 3
#endif
#define ROOM 4

mtype = { Read, Reply, Invalidate, Evict };
mtype:copy = { Absent, Fetching, Shared, Stale, Refreshing };

typedef Home {
  byte version[OBJECTS];
};
typedef Sharer {
  bool present[OBJECTS];    /* in the directory entry */
  bool queued[OBJECTS];     /* an invalidation is pending */
  byte joined[OBJECTS];     /* number of the newest Evict at its last read */
  byte sent[OBJECTS];       /* newest version sent to it */
};
typedef Copies {
  mtype:copy state[OBJECTS];
  byte held[OBJECTS];
  byte known[OBJECTS];
  byte seen[OBJECTS];       /* newest version it has read */
  byte evict_number;
  bool stale_used;          /* in this iteration */
  bool old_used;            /* in this iteration: not the newest version, as seen from outside */
};

Home home;
Sharer entry[SHARERS];
Copies cache[SHARERS];
chan to_home[SHARERS] = [ROOM] of { mtype, byte, byte };   /* kind, object, number */
chan to_sharer[SHARERS] = [ROOM] of { mtype, byte, byte }; /* kind, object, version */

byte writes, evictions;
byte news_sent, news_handled, handled_before;
bool first_iteration = true;
bool wrote_this_iteration;
byte iteration;
byte arrived;              /* number of sharers at the end of the iteration */
bool released[SHARERS];
bool home_done;
bool converged;
bool votes;

/* A thread's read of a copy, with the checks of an outside observer. */
inline use(me, o) {
  assert(cache[me].held[o] >= cache[me].seen[o]);  /* Progressive Reads */
  cache[me].seen[o] = cache[me].held[o];
  if
  :: cache[me].held[o] < home.version[o] -> cache[me].old_used = true
  :: else
  fi
}

inline settle_state(me, o) {
  if
  :: cache[me].held[o] == cache[me].known[o] -> cache[me].state[o] = Shared
  :: else -> cache[me].state[o] = Stale
  fi
}

#define MAY_EVICT(me, o) (cache[me].state[o] == Shared || cache[me].state[o] == Stale)
inline do_evict(me, o) {
  evictions++; cache[me].evict_number++;
  cache[me].held[o] = 0; cache[me].state[o] = Absent;
  to_home[me]!!Evict(o, cache[me].evict_number)
}

proctype SharerNode(byte me) {
  byte o, v, used;
  end: do
  /* fetch; one use of each object per iteration suffices */
  :: atomic { !released[me] && !converged && used < OBJECTS && iteration < ITERATIONS &&
       cache[me].state[used] != Fetching ->
       o = used;
       if
       :: cache[me].state[o] == Absent ->
          cache[me].state[o] = Fetching; to_home[me]!!Read(o, cache[me].evict_number)
       :: cache[me].state[o] == Shared -> use(me, o); used++
       :: cache[me].state[o] == Stale ->
          use(me, o); cache[me].stale_used = true; used++;
          cache[me].state[o] = Refreshing; to_home[me]!!Read(o, cache[me].evict_number)
       :: cache[me].state[o] == Refreshing -> use(me, o); cache[me].stale_used = true; used++
       fi; o = 0 }
  :: atomic { !released[me] && evictions < EVICTIONS && MAY_EVICT(me, 0) -> do_evict(me, 0) }
#if OBJECTS > 1
  :: atomic { !released[me] && evictions < EVICTIONS && MAY_EVICT(me, 1) -> do_evict(me, 1) }
#endif
  :: atomic { to_sharer[me]?Reply(o, v) ->
       assert(cache[me].state[o] == Fetching || cache[me].state[o] == Refreshing);
       if
       :: v > cache[me].held[o] ->
          cache[me].held[o] = v;
          if :: v > cache[me].known[o] -> cache[me].known[o] = v :: else fi
       :: else
       fi;
       settle_state(me, o); o = 0; v = 0 }
  :: atomic { to_sharer[me]?Invalidate(o, v) ->
       news_handled++;
       if
       :: cache[me].state[o] == Absent -> skip   /* the home will receive the Evict */
       :: else ->
#ifndef KEEP_STALE
          if :: v > cache[me].known[o] -> cache[me].known[o] = v :: else fi;
#endif
          if
          :: cache[me].state[o] == Shared || cache[me].state[o] == Stale -> settle_state(me, o)
          :: else
          fi
       fi; o = 0; v = 0 }
  /* the end of the iteration */
  :: atomic { !released[me] && !converged && used == OBJECTS && iteration < ITERATIONS ->
       released[me] = true; arrived++; used = 0 }
  od
}

inline record_write(o, s) {
  home.version[o]++; writes++; wrote_this_iteration = true;
  s = 0;
  do
  :: s < SHARERS ->
     if
     :: entry[s].present[o] ->
        entry[s].queued[o] = true;
#ifdef LOSE_SECOND_SHARER
        break
#endif
     :: else
     fi;
     s++
  :: else -> break
  od; s = 0
}

inline flush_entry(s, o) {
  entry[s].queued[o] = false;
  if
  :: entry[s].present[o] && entry[s].sent[o] != home.version[o] ->
#ifndef LOSE_INVALIDATION
     news_sent++; to_sharer[s]!Invalidate(o, home.version[o])
#else
     if
     :: s == 0 -> skip
     :: else -> news_sent++; to_sharer[s]!Invalidate(o, home.version[o])
     fi
#endif
  :: else
  fi
}

inline on_read(s, o) {
    if :: n > entry[s].joined[o] -> entry[s].joined[o] = n :: else fi;
    entry[s].sent[o] = home.version[o];
#ifdef FORGET_SHARER
    if :: entry[s].joined[o] == 0 -> entry[s].present[o] = true :: else fi;
#else
    entry[s].present[o] = true;
#endif
#ifdef REPLY_OLD_VERSION
    to_sharer[s]!Reply(o, home.version[o] + 1);
#else
    to_sharer[s]!Reply(o, home.version[o]);
#endif
    n = 0
}

inline on_evict(s, o) {
    if
#ifdef EVICT_IGNORES_NUMBER
    :: true -> entry[s].present[o] = false
#else
    :: n > entry[s].joined[o] -> entry[s].present[o] = false
    :: else
#endif
    fi;
    n = 0
}

inline decide() {
    votes = wrote_this_iteration;
    s = 0;
    if
    :: !first_iteration &&
#ifdef COUNT_SAME_WAVE
       true &&
#else
       news_sent == handled_before &&
#endif
#ifdef STOP_EARLY
       true
#else
       !votes
#endif
       ->
       converged = true;
       do
       :: s < SHARERS ->
#ifndef FORGET_STALE_USE
          if :: cache[s].stale_used -> converged = false :: else fi;
#endif
          s++
       :: else -> break
       od
    :: else
    fi;
    /* no early termination: the last iteration used no old value */
    s = 0;
    do
    :: s < SHARERS ->
       assert(!(converged && cache[s].old_used));
       s++
    :: else -> break
    od;
    handled_before = news_handled; first_iteration = false; wrote_this_iteration = false;
    s = 0;
    do
    :: s < SHARERS ->
       cache[s].stale_used = false; cache[s].old_used = false; released[s] = false; s++
    :: else -> break
    od;
    s = 0; arrived = 0; home_done = false; iteration++
}

#define MAY_WRITE (writes < WRITES && !home_done && !converged && iteration < ITERATIONS - 1)
#define QUEUED(s) (entry[s].queued[0] || entry[s].queued[OBJECTS - 1])

proctype HomeNode() {
  byte n, s;
  end: do
  /* the single writer stores; the value changes, so it votes to continue */
  :: atomic { MAY_WRITE -> record_write(0, s) }
#if OBJECTS > 1
  :: atomic { MAY_WRITE -> record_write(1, s) }
#endif
  /* a flush at any time, one entry at a time */
  :: atomic { entry[0].queued[0] -> flush_entry(0, 0) }
#if OBJECTS > 1
  :: atomic { entry[0].queued[1] -> flush_entry(0, 1) }
#endif
#if SHARERS > 1
  :: atomic { entry[1].queued[0] -> flush_entry(1, 0) }
#if OBJECTS > 1
  :: atomic { entry[1].queued[1] -> flush_entry(1, 1) }
#endif
#endif
  :: atomic { to_home[0]??Read(0, n) -> on_read(0, 0) }
  :: atomic { to_home[0]??Evict(0, n) -> on_evict(0, 0) }
#if OBJECTS > 1
  :: atomic { to_home[0]??Read(1, n) -> on_read(0, 1) }
  :: atomic { to_home[0]??Evict(1, n) -> on_evict(0, 1) }
#endif
#if SHARERS > 1
  :: atomic { to_home[1]??Read(0, n) -> on_read(1, 0) }
  :: atomic { to_home[1]??Evict(0, n) -> on_evict(1, 0) }
#if OBJECTS > 1
  :: atomic { to_home[1]??Read(1, n) -> on_read(1, 1) }
  :: atomic { to_home[1]??Evict(1, n) -> on_evict(1, 1) }
#endif
#endif
  /* the home ends the iteration: it flushes its stores first, like Node::converged */
  :: !home_done && !converged && iteration < ITERATIONS && !(QUEUED(0) || QUEUED(SHARERS - 1))
     -> home_done = true
  /* all have arrived: the sums of the collective, and Termination::decide */
  :: atomic { home_done && arrived == SHARERS && !converged -> decide() }
  od
}

#define HELD(s, o) (cache[s].held[o] <= cache[s].known[o] && cache[s].known[o] <= home.version[o] && \
                    (cache[s].held[o] == 0 || entry[s].present[o]))
/* Drained: nothing is queued or in flight, so every holder of a copy knows of the newest version. */
#define QUIET(s) (len(to_home[s]) == 0 && len(to_sharer[s]) == 0)
#define HEARD(s, o) (entry[s].queued[o] || cache[s].held[o] == 0 || !QUIET(s) || \
                     cache[s].known[o] == home.version[o])

#define FINE(s, o) (HELD(s, o) && HEARD(s, o))

active proctype Observer() {
  end: do
  :: atomic { !(FINE(0, 0) && FINE(0, OBJECTS - 1) && FINE(SHARERS - 1, 0) && FINE(SHARERS - 1, OBJECTS - 1)
       ) -> assert(false) }
  od
}

init {
  byte s, o;
  atomic {
    do
    :: s < SHARERS ->
       o = 0;
       do
       :: o < OBJECTS -> home.version[o] = 1; cache[s].state[o] = Absent; o++
       :: else -> break
       od;
       s++
    :: else -> break
    od;
    run HomeNode();
    s = 0;
    do
    :: s < SHARERS -> run SharerNode(s); s++
    :: else -> break
    od
  }
}
