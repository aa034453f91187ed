/* The barrier that makes stores visible (Node::barrier) for Spin: NODES nodes, each the home of one object that all
 * others share, and FIFO channels between each two. In each round a node may store, then enters the barrier, leaves it once all
 * have entered and it has handled the news that were sent to it in that phase, expires its old copies, and reads. Nodes that
 * leave early go on to store while others are inside. Checked: a read returns at least the version that the object
 * had when its home entered the barrier. A copy that is not current may be used otherwise (an unlimited threshold).
 *
 * Seeded bugs, one at a time: NO_WAIT ONE_PHASE NO_EXPIRE */

#ifndef NODES
#define NODES 3
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#define ROOM 3
#define CHANNEL(from, to) ((from) * NODES + (to))

chan news[NODES * NODES] = [ROOM] of { byte, bit };  /* version, phase */

typedef Copies {
  byte held[NODES];
  byte known[NODES];
  bool expired[NODES];
};
typedef Counts {
  byte n[2];                  /* by phase */
};

byte version[NODES];
byte at_barrier[NODES * 3];   /* by node and round: version on entry */
Copies cache[NODES];
Counts sent[NODES * NODES];   /* by sender and receiver */
Counts handled[NODES];
byte total[NODES * 2];        /* by receiver and phase: the sums of the wave */
byte entered[3];              /* nodes in the barrier, by round */

inline store(me, to) {
  version[me]++;
  to = 0;
  do
  :: to < NODES ->
     if
     :: to != me -> news[CHANNEL(me, to)]!version[me], phase; sent[CHANNEL(me, to)].n[phase]++
     :: else
     fi;
     to++
  :: else -> break
  od;
  to = 0
}

inline enter(me, to) {
  at_barrier[me * 3 + round] = version[me];
  to = 0;
  do
  :: to < NODES -> total[to * 2 + phase] = total[to * 2 + phase] + sent[CHANNEL(me, to)].n[phase];
     sent[CHANNEL(me, to)].n[phase] = 0; to++
  :: else -> break
  od;
  to = 0;
  entered[round]++;
  ended = phase;
#ifndef ONE_PHASE
  phase = 1 - phase
#endif
}

inline handle(me, from) {
  news[CHANNEL(from, me)]?v, p;
  if :: v > cache[me].known[from] -> cache[me].known[from] = v :: else fi;
  handled[me].n[p]++;
  v = 0; p = 0
}

inline acquire(me, o) {
  o = 0;
  do
  :: o < NODES ->
#ifndef NO_EXPIRE
     if :: cache[me].held[o] < cache[me].known[o] -> cache[me].expired[o] = true :: else fi;
#endif
     o++
  :: else -> break
  od;
  o = 0
}

inline read(me, o) {
  if
  :: cache[me].expired[o] ->  /* a miss: the home answers with its present version */
     cache[me].held[o] = version[o]; cache[me].expired[o] = false;
     if :: version[o] > cache[me].known[o] -> cache[me].known[o] = version[o] :: else fi
  :: else
  fi;
  assert(o == me || cache[me].held[o] >= at_barrier[(o) * 3 + round])
}

proctype Node(byte me) {
  byte round, o, v;
  bit phase, ended, p;
  bool inside;
  do
  :: round == ROUNDS -> break
  :: atomic { round < ROUNDS && !inside && version[me] <= round -> store(me, o) }
  :: atomic { round < ROUNDS && !inside -> inside = true; enter(me, o) }
  :: atomic { inside &&
#ifndef NO_WAIT
       handled[me].n[ended] >= total[me * 2 + ended] &&
#endif
       entered[round] == NODES -> acquire(me, o); read(me, 0); read(me, 1); read(me, NODES - 1);
       inside = false; round++ }
  :: atomic { me != 0 && nempty(news[CHANNEL(0, me)]) -> handle(me, 0) }
  :: atomic { me != 1 && nempty(news[CHANNEL(1, me)]) -> handle(me, 1) }
  :: atomic { me != NODES - 1 && nempty(news[CHANNEL(NODES - 1, me)]) -> handle(me, NODES - 1) }
  od
}

init {
  atomic {
    byte n;
    do
    :: n < NODES -> run Node(n); n++
    :: else -> break
    od
  }
}
