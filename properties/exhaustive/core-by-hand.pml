/*
 * The core of the hardened mutex, written by hand from docs/design.md and from nothing else: attempts, one
 * key, a downstream that knows deadline and fence; any reply may be lost, any call may be given up and
 * arrive later, downstream may fail softly. It checks the system that is generated from the machines:
 * SPIN must store as many states of this model as our checker of that one, and agree on "execution".
 *
 * A state has no clock, only countdowns; what can matter no more is 0 (see latchkey-state.ts).
 * -DATTEMPTS=2|3  -DTAU=2  -DDEADLINE=1  -DPENDING=3 (D + tau; one less breaks "execution")
 */
#ifndef ATTEMPTS
#define ATTEMPTS 2
#endif
#ifndef TAU
#define TAU 2
#endif
#ifndef DEADLINE
#define DEADLINE 1
#endif
#ifndef PENDING
#define PENDING (DEADLINE + TAU)
#endif
#define NOBODY ATTEMPTS

/* Where an attempt stands. */
#define IDLE 0
#define ASKING 1
#define ASKING_AGAIN 2
#define WORKING 3
#define SUCCEEDED 4
#define FAILED 5
#define UNKNOWN 6
#define IN_FLIGHT 7
#define IN_DOUBT 8
#define DUPLICATE 9
#define UNAVAILABLE 10

/* The record of the key. */
#define ABSENT 0
#define PENDING_RECORD 1
#define COMMITTED 2

byte stand[ATTEMPTS];
byte reserves[ATTEMPTS];   /* calls under way */
byte works[ATTEMPTS];
byte commits[ATTEMPTS];
byte releases[ATTEMPTS];
byte fence[ATTEMPTS];      /* as the proceed said */
byte effectFor[ATTEMPTS];  /* ticks in which its effect may still happen, the deadline's own included */
bit failedButDid[ATTEMPTS];

byte record = ABSENT;
byte holder = NOBODY;
byte endsIn;
byte lastFence;
byte seenFence;
byte quietFor;             /* another execution within it breaks the claim */

hidden byte i;
hidden byte j;
hidden byte alive;
hidden byte older;

#define waits(a) (stand[a] == ASKING || stand[a] == ASKING_AGAIN)
#define over(a)  (stand[a] != WORKING && works[a] == 0)

inline forget(a) {
  if :: over(a) -> fence[a] = 0; effectFor[a] = 0 :: else fi;
  if :: stand[a] == SUCCEEDED || stand[a] == UNKNOWN -> failedButDid[a] = 0 :: else fi
}

/* After every step: calls that can only be refused and that nobody waits for; fences that nobody carries. */
inline tidy() {
  i = 0;
  do
  :: i < ATTEMPTS ->
     if :: works[i] > 0 && stand[i] != WORKING && fence[i] <= seenFence -> works[i] = 0; forget(i) :: else fi;
     i++
  :: else -> break
  od;
  alive = 0; i = 0;
  do
  :: i < ATTEMPTS -> if :: fence[i] > 0 -> alive = 1 :: else fi; i++
  :: else -> break
  od;
  if
  :: !alive -> seenFence = 0; lastFence = (record == PENDING_RECORD -> 1 : 0)
  :: else
  fi;
  i = 0; j = 0; alive = 0; older = 0
}

/* The store: a key that nothing blocks is accepted, with a strictly larger fence. */
inline accept(a) {
  record = PENDING_RECORD; holder = a; endsIn = PENDING; lastFence++
}

inline proceed(a) {
  works[a]++; fence[a] = lastFence;
  effectFor[a] = (endsIn + DEADLINE + 1 > PENDING -> endsIn + DEADLINE + 1 - PENDING : 0);
  stand[a] = WORKING
}

/* A reserve that is served, and whose answer is heard by one that waits for it. */
inline answer(a) {
  reserves[a]--;
  if
  :: record == ABSENT ->
     accept(a); if :: waits(a) -> proceed(a) :: else fi
  :: record == PENDING_RECORD && holder == a ->
     if :: waits(a) -> proceed(a) :: else fi
  :: record == PENDING_RECORD && holder != a ->
     if
     :: waits(a) -> stand[a] = (endsIn + DEADLINE <= PENDING -> IN_DOUBT : IN_FLIGHT)
     :: else
     fi
  :: record == COMMITTED ->
     if :: waits(a) -> stand[a] = DUPLICATE :: else fi
  fi;
  forget(a)
}

/* Served, and nobody hears. */
inline serve(a) {
  reserves[a]--;
  if :: record == ABSENT -> accept(a) :: else fi
}

/* The store stays silent: ask once more with the same token, then give the token up and say 503. */
inline silence(a) {
  if
  :: stand[a] == ASKING -> stand[a] = ASKING_AGAIN; reserves[a]++
  :: else -> stand[a] = UNAVAILABLE; releases[a]++
  fi;
  forget(a)
}

inline commit(a) {
  commits[a]--;
  if
  :: record == ABSENT || (record == PENDING_RECORD && holder == a) ->
     record = COMMITTED; holder = a; endsIn = TAU
  :: else
  fi
}

inline release(a) {
  releases[a]--;
  if
  :: record == PENDING_RECORD && holder == a -> record = ABSENT; holder = NOBODY; endsIn = 0
  :: else
  fi
}

/* A call reaches downstream: from now on its fence is seen. */
inline arrive(a) {
  works[a]--;
  if :: fence[a] > seenFence -> seenFence = fence[a] :: else fi
}

inline execute(a) {
  assert(quietFor == 0);                                 /* execution */
  assert(stand[a] == WORKING || stand[a] == UNKNOWN);    /* truthful answer, fail closed */
  quietFor = TAU; failedButDid[a] = 1
}

inline hear(a, next) {
  if
  :: stand[a] == WORKING ->
     stand[a] = next;
     if :: next == SUCCEEDED -> commits[a]++ :: next == FAILED -> releases[a]++ :: else fi
  :: else
  fi;
  forget(a)
}

#define passes(a) (works[a] > 0 && fence[a] > seenFence && effectFor[a] > 0)

inline tick() {
  if
  :: endsIn > 0 ->
     endsIn--;
     if :: endsIn == 0 -> record = ABSENT; holder = NOBODY :: else fi
  :: else
  fi;
  i = 0;
  do
  :: i < ATTEMPTS ->
     if
     :: effectFor[i] > 0 ->
        effectFor[i]--;
        older = 0; j = 0;
        do
        :: j < ATTEMPTS ->
           if :: j != i && fence[j] > 0 && fence[j] < fence[i] -> older = 1 :: else fi;
           j++
        :: else -> break
        od;
        if
        :: effectFor[i] == 0 && works[i] > 0 && stand[i] != WORKING && !older ->
           works[i] = 0; forget(i)
        :: else
        fi
     :: else
     fi;
     i++
  :: else -> break
  od;
  if :: quietFor > 0 -> quietFor-- :: else fi
}

#if ATTEMPTS > 2
#define running (endsIn > 0 || quietFor > 0 || effectFor[0] > 0 || effectFor[1] > 0 || effectFor[2] > 0)
#else
#define running (endsIn > 0 || quietFor > 0 || effectFor[0] > 0 || effectFor[1] > 0)
#endif

#define STEPS(a) \
  :: d_step { stand[a] == IDLE -> stand[a] = ASKING; reserves[a]++; tidy() } \
  :: d_step { reserves[a] > 0 -> answer(a); tidy() } \
  :: d_step { reserves[a] > 1 && waits(a) -> serve(a); tidy() } \
  :: d_step { reserves[a] > 0 && waits(a) -> serve(a); silence(a); tidy() } \
  :: d_step { reserves[a] > 0 && waits(a) -> silence(a); tidy() } \
  :: d_step { commits[a] > 0 -> commit(a); tidy() } \
  :: d_step { releases[a] > 0 -> release(a); tidy() } \
  :: d_step { passes(a) -> arrive(a); execute(a); hear(a, SUCCEEDED); tidy() } \
  :: d_step { passes(a) && stand[a] == WORKING -> arrive(a); execute(a); hear(a, UNKNOWN); tidy() } \
  :: d_step { passes(a) && stand[a] == WORKING -> arrive(a); hear(a, FAILED); tidy() } \
  :: d_step { works[a] > 0 && fence[a] <= seenFence -> arrive(a); hear(a, UNKNOWN); tidy() } \
  :: d_step { works[a] > 0 && fence[a] > seenFence && effectFor[a] == 0 -> arrive(a); hear(a, FAILED); tidy() } \
  :: d_step { works[a] > 0 && stand[a] == WORKING -> hear(a, UNKNOWN); tidy() }

active proctype system() {
end:
  do
  STEPS(0)
  STEPS(1)
#if ATTEMPTS > 2
  STEPS(2)
#endif
  :: d_step { running -> tick(); tidy() }
  od
}
