/* The flags that end an asynchronous PIE run (AAP section 3, with counted messages) for Spin: NODES nodes, of which node 0
 * is the master, with a FIFO channel between each two. An active node may send work and become inactive; work that arrives
 * makes a node active. See protocol/termination.h and PieEngine: `inactive`, `terminate`, `ack`, `wait` and `over` have
 * the same meaning. Checked: when the master announces the end, no node is active and no work is in flight; and every run
 * ends (there is no invalid end state).
 *
 * Seeded bugs, one at a time: NO_SUM NO_COMPARE KEEP_REPORT */

#ifndef NODES
#define NODES 3
#endif
#ifndef SENDS
#define SENDS 4           /* work messages in total */
#endif
#define ROOM 4
#define CHANNEL(from, to) ((from) * NODES + (to))

mtype = { Work, Inactive, Terminate, Ack, Wait, Over };

chan wire[NODES * NODES] = [ROOM] of { mtype, byte, byte, byte };  /* kind, attempt, sent, handled */

byte sends;
bool busy[NODES] = true;
bool reported[NODES];
byte sent[NODES];
byte handled[NODES];

/* The master's view. */
bool flag_inactive[NODES];
bool flag_answered[NODES];
byte flag_sent[NODES];
byte flag_handled[NODES];
byte attempt, missing;
bool refused, over;

inline note(who, is_inactive, s, h) {
  flag_inactive[who] = is_inactive; flag_sent[who] = s; flag_handled[who] = h
}

/* Whether to ask all nodes: all have reported, and all work sent was handled. */
inline consider() {
  n = 0; all_sent = 0; all_handled = 0; ask = true;
  do
  :: n < NODES ->
     if :: !flag_inactive[n] -> ask = false :: else fi;
     all_sent = all_sent + flag_sent[n]; all_handled = all_handled + flag_handled[n]; n++
  :: else -> break
  od;
#ifndef NO_SUM
  if :: all_sent != all_handled -> ask = false :: else fi;
#endif
  if
  :: missing > 0 -> refused = true
  :: missing == 0 && ask ->
     attempt++; missing = NODES; refused = false; n = 0;
     do
     :: n < NODES -> flag_answered[n] = false; if :: n > 0 -> wire[CHANNEL(0, n)]!Terminate, attempt, 0, 0 :: else fi; n++
     :: else -> break
     od;
     /* The master answers itself at once. */
     if
     :: busy[0] -> reported[0] = false; answer(0, false, sent[0], handled[0])
     :: else -> answer(0, true, sent[0], handled[0])
     fi
  :: else
  fi;
  n = 0; all_sent = 0; all_handled = 0; ask = false
}

inline answer(who, is_ack, s, h) {
  if :: !is_ack -> refused = true :: else fi;
#ifndef NO_COMPARE
  if :: !flag_inactive[who] || flag_sent[who] != s || flag_handled[who] != h -> refused = true :: else fi;
#endif
  note(who, is_ack, s, h);
  flag_answered[who] = true;
  missing--
}

/* After the last answer: the end, or another look. */
inline conclude() {
  if
  :: missing == 0 && !refused -> announce()
  :: missing == 0 && refused -> consider()
  :: else
  fi
}

inline announce() {
  n = 0; all_sent = 0; all_handled = 0;
  do
  :: n < NODES -> assert(!busy[n]); all_sent = all_sent + sent[n]; all_handled = all_handled + handled[n];
     if :: n > 0 -> wire[CHANNEL(0, n)]!Over, 0, 0, 0 :: else fi; n++
  :: else -> break
  od;
  assert(all_sent == all_handled);
  n = 0; all_sent = 0; all_handled = 0;
  over = true
}

/* What the master does with a report or an answer. */
inline master(from) {
  wire[CHANNEL(from, 0)]?kind, a, s, h;
  if
  :: kind == Work -> handled[0]++; busy[0] = true; reported[0] = false
  :: kind == Inactive -> note(from, true, s, h); consider()
  :: kind == Ack || kind == Wait ->
     if
     :: a == attempt && missing > 0 ->
        if :: kind == Ack -> answer(from, true, s, h) :: else -> answer(from, false, s, h) fi;
        conclude()
     :: else
     fi
  fi;
  a = 0; s = 0; h = 0; kind = 0
}

inline worker(me, from) {
  wire[CHANNEL(from, me)]?kind, a, s, h;
  if
  :: kind == Work -> handled[me]++; busy[me] = true;
#ifndef KEEP_REPORT
     reported[me] = false
#endif
  :: kind == Terminate ->
     if
     :: busy[me] ->
        reported[me] = false;
        wire[CHANNEL(me, 0)]!Wait, a, sent[me], handled[me]
     :: else -> wire[CHANNEL(me, 0)]!Ack, a, sent[me], handled[me]
     fi
  :: kind == Over -> assert(!busy[me]); ended = true
  fi;
  a = 0; s = 0; h = 0; kind = 0
}

proctype Node(byte me) {
  byte a, s, h, n, all_sent, all_handled;
  bool ask, ended;
  mtype kind;
  do
  :: atomic { (me == 0 && over) || ended -> break }
  :: atomic { busy[me] && sends < SENDS && nfull(wire[CHANNEL(me, (me + 1) % NODES)]) ->
       sends++; sent[me]++; wire[CHANNEL(me, (me + 1) % NODES)]!Work, 0, 0, 0 }
  :: atomic { busy[me] && sends < SENDS && nfull(wire[CHANNEL(me, (me + 2) % NODES)]) ->
       sends++; sent[me]++; wire[CHANNEL(me, (me + 2) % NODES)]!Work, 0, 0, 0 }
  :: atomic { busy[me] -> busy[me] = false }
  :: atomic { !busy[me] && !reported[me] && me != 0 && nfull(wire[CHANNEL(me, 0)]) ->
       reported[me] = true; wire[CHANNEL(me, 0)]!Inactive, 0, sent[me], handled[me] }
  :: atomic { !busy[0] && !reported[0] && me == 0 && !over ->
       reported[0] = true; note(0, true, sent[0], handled[0]); consider() }
  :: atomic { me == 0 && !over && nempty(wire[CHANNEL(1, 0)]) -> master(1) }
  :: atomic { me == 0 && !over && nempty(wire[CHANNEL(2, 0)]) -> master(2) }
  :: atomic { me != 0 && !ended && nempty(wire[CHANNEL(0, me)]) -> worker(me, 0) }
  :: atomic { me != 0 && !ended && nempty(wire[CHANNEL(3 - me, me)]) -> worker(me, 3 - me) }
  od
}

init {
  atomic {
    run Node(0); run Node(1); run Node(2)
  }
}
