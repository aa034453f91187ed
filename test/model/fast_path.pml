/* Lock-free stores and the thread that flushes them: dsm/copy_marks.h, Space::note_store and Space::flush, with the
 * waits and wake-ups of Node and Transport. WRITERS threads store a value each, WRITES times, in this order: the
 * value, the index in the queue, the word that marks the queue as not empty, the flag, and a wake-up if the flag was
 * down. One flusher takes a ticket, reads the flag, lowers it, drains, and sleeps unless it was woken since.
 *
 * A thread's plain stores wait in a buffer before they reach memory (x86: TSO); its loads read past them, and a
 * read-modify-write waits until the buffer is empty. Checked: when no thread can move and the flusher sleeps, it has
 * seen every writer's newest value; no writer blocks forever.
 *
 * Seeded bugs, one at a time: LOOK_AND_STORE LOWER_STORES LOWER_AFTER_DRAIN ADD_LOOKS TAKE_BEFORE_CLEAR
 * ANY_AFTER_BITS NO_WAKE NO_TICKET. The first one loads the flag before it raises it, and marks the queue as not
 * empty by a plain store: either change alone does no harm on this machine. */

#ifndef WRITERS
#define WRITERS 2
#endif
#ifndef WRITES
#define WRITES 2
#endif
#define FLUSHER WRITERS
#define THREADS (WRITERS + 1)
#define ROOM 4

/* Memory words; the values come first. */
#define VALUE(i) (i)
#define BITS WRITERS         /* one bit per writer's index */
#define ANY (WRITERS + 1)
#define FLAG (WRITERS + 2)
#define WORDS (WRITERS + 3)

byte memory[WORDS];
chan buffer[THREADS] = [ROOM] of { byte, byte };  /* word, value: buffered stores of a thread */
byte seen[WRITERS];                               /* last values read by the flusher */
byte ticket;                                      /* incremented by each wake-up */
bool sleeps;
byte done;

/* A load of a word with a buffered store of the same thread waits until that store has reached memory. Only a
 * flusher with a seeded bug does this. */
#define EMPTY(me) (len(buffer[me]) == 0)
#define STORE(me, word, value) buffer[me]!word,value
#define LOADABLE(me, word) (EMPTY(me) || !(buffer[me]??[eval(word), 0] || buffer[me]??[eval(word), 1]))

/* The oldest store of each thread may reach memory at any moment. */
proctype Drain(byte me) {
  byte word, value;
  end: do
  :: atomic { buffer[me]?word,value -> memory[word] = value; word = 0; value = 0 }
  od
}

inline wake() {
#ifndef NO_WAKE
  atomic { EMPTY(me) -> ticket++; sleeps = false }
#else
  skip
#endif
}

inline raise() {
#ifdef LOOK_AND_STORE
  atomic { was = memory[FLAG] };
  if
  :: was == 0 -> atomic { EMPTY(me) -> was = memory[FLAG]; memory[FLAG] = 1 }
  :: else
  fi;
#else
  atomic { EMPTY(me) -> was = memory[FLAG]; memory[FLAG] = 1 };
#endif
  if
  :: was == 0 -> wake()
  :: else
  fi
}

inline add() {
#ifdef ADD_LOOKS
  atomic { was = memory[BITS] };
  if
  :: (was & (1 << me)) == 0 -> atomic { EMPTY(me) -> was = memory[BITS]; memory[BITS] = was | (1 << me) }
  :: else
  fi;
#else
  atomic { EMPTY(me) -> was = memory[BITS]; memory[BITS] = was | (1 << me) };
#endif
  added = (was & (1 << me)) == 0;
  if
#ifdef LOOK_AND_STORE
  :: was == 0 -> STORE(me, ANY, 1)
#else
  :: was == 0 -> atomic { EMPTY(me) -> memory[ANY] = 1 }
#endif
  :: else
  fi
}

proctype Writer(byte me) {
  byte was, times;
  bool added;
  do
  :: times < WRITES ->
     times++;
     STORE(me, VALUE(me), times);
     add();
     if
     :: added -> raise()
     :: else
     fi;
     was = 0; added = false
  :: else -> break
  od;
  (EMPTY(me)) -> done++
}

inline lower() {
#ifdef LOWER_STORES
  STORE(FLUSHER, FLAG, 0)
#else
  atomic { EMPTY(FLUSHER) -> memory[FLAG] = 0 }
#endif
}

inline take_bits() {
  atomic { EMPTY(FLUSHER) -> bits = memory[BITS]; memory[BITS] = 0 }
}

inline read_values() {
  i = 0;
  do
  :: i < WRITERS ->
     if
     :: (bits & (1 << i)) != 0 -> seen[i] = memory[VALUE(i)]
     :: else
     fi;
     i++
  :: else -> break
  od;
  i = 0
}

inline drain() {
  if
  :: memory[ANY] != 0 ->
#ifdef ANY_AFTER_BITS
     take_bits();
     read_values();
     atomic { EMPTY(FLUSHER) -> memory[ANY] = 0 }
#else
     atomic { EMPTY(FLUSHER) -> memory[ANY] = 0 };
#ifdef TAKE_BEFORE_CLEAR
     bits = memory[BITS];
     read_values();
     take_bits()
#else
     take_bits();
     read_values()
#endif
#endif
  :: else
  fi;
  bits = 0
}

proctype Flusher() {
  byte bits, i, before;
  bool up;
  end: do
  :: before = ticket;
     /* The flusher's store may still be in the buffer. */
     atomic { LOADABLE(FLUSHER, FLAG) -> up = (memory[FLAG] != 0) };
     if
     :: up ->
        up = false;
#ifdef LOWER_AFTER_DRAIN
        drain(); lower()
#else
        lower(); drain()
#endif
     :: else ->
        atomic {
          if
#ifdef NO_TICKET
          :: sleeps = true
#else
          :: ticket == before -> sleeps = true
          :: else
#endif
          fi };
        end_asleep: !sleeps
     fi
  od
}

#define AT_REST (done == WRITERS && sleeps && EMPTY(FLUSHER))

active proctype Observer() {
  byte i;
  end: atomic { AT_REST ->
    do
    :: i < WRITERS -> assert(seen[i] == WRITES); i++
    :: else -> break
    od }
}

init {
  byte i;
  atomic {
    run Flusher();
    do
    :: i < WRITERS -> run Writer(i); run Drain(i); i++
    :: else -> break
    od;
    run Drain(FLUSHER)
  }
}
