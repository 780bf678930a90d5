/*
 * The order of writes of one vault file (Spec/store.md, 2, 6, 7; Spec/reader.md, 2), checked by Spin.
 *
 * A version is a save: 1 is there at the start. The log has a place for each: place n + 1 begins where place n ends, so
 * that two attempts to follow one version overwrite each other. A page names a version, or is torn (0). Each thing on the
 * disk has two values: the one that every process sees, and the one that survives a loss of power. A sync makes them
 * equal. A loss of power keeps, of each thing that was not synced, the old, the new, or neither.
 *
 * Errors of a sync are not in the model; the kit has them (TESTING.md). check.sh explores all states within the bounds below; then it takes each rule away in turn, and an assertion must fail.
 */

/*
 * The rules, each 1, or 0 where -DWITHOUT=n takes it away.
 *  R1  reader.md, 2.3: readers do not look at page T beside two sound pages
 *  R2  store.md, 6.1: a key change is not adopted beside two sound pages
 *  R3  reader.md, 2.4: page T counts only if its commit is whole
 *  R4  reader.md, 2.4: beside an unsound page, page T must tell that nothing is lost
 *  R5  store.md, 2.7: the older page is overwritten
 *  R6  store.md, 2.1: one writer at a time
 *  R7  store.md, 6.3: an unsound page is mended before the next save
 *  R8  store.md, 2.4: page T is written with the commit
 *  R9  store.md, 2.5: the commit is durable before a page names it
 *  R10 store.md, 2.8: the page is durable before the save is acknowledged
 *  R11 store.md, 7: a key change writes both pages before it is acknowledged
 *  R12 store.md, 6.4: a page with other slots than those of the page that was taken is written too
 *  R13 store.md, 2.3: what others left is durable before anything is written
 */
#ifndef WITHOUT
#define WITHOUT 0
#endif
#define R(n) (WITHOUT != (n))

#define VERSIONS 5      /* 1 to 4, and one number that none has */
#ifndef WRITERS
#define WRITERS 1
#endif
#ifndef CRASHES
#define CRASHES 1
#endif
#ifndef KILLS
#define KILLS 1
#endif
#ifndef ROTS
#define ROTS 1
#endif

byte parent[VERSIONS], place[VERSIONS], slots[VERSIONS];
byte versions = 1;

/* What processes see, and what is durable: the log, pages A and B, page T. Page T is 0 also where a save has overwritten
 * it. That a page is torn and that it is overwritten make no difference to a reader. */
byte log[VERSIONS], durableLog[VERSIONS];
byte pageA = 1, pageB = 1, pageT = 1, durableA = 1, durableB = 1, durableT = 1;

byte acknowledged = 1, shown = 1;
byte crashes, kills, rots;
byte owner = 0;         /* of the lock: the writer's number + 1 */
bool stopped[WRITERS];  /* a writer that was killed, or lost its power, and starts anew */
bool isQuiet = true;    /* the last save was acknowledged, and none has begun since */

/* ---- What a reader makes of the pages (reader.md, 2) ---- */

byte root, walk;
bool lacks, isDead, isAdopted, isWhole, descends;

#define IS_TORN (pageA == 0 || pageB == 0)

/* Whether `low` is `high` or a version before it. */
inline descend(high, low) {
    walk = high;
    do
    :: walk != 0 && walk != low -> walk = parent[walk]
    :: else -> break
    od;
    descends = (walk != 0 && walk == low)
}

/* Whether all of a version's own bytes are there. Those before it were whole when it began. */
inline whole(version) {
    isWhole = (log[place[version]] == version)
}

inline choose(isLocked) {
    lacks = false; isDead = false; isAdopted = false;
    if
    :: pageA == 0 && pageB == 0 ->
        root = pageT; isAdopted = true; isDead = (pageT == 0)
    :: else ->
        if
        :: pageA == 0 -> root = pageB
        :: pageB == 0 -> root = pageA
        :: pageA != 0 && pageB != 0 && place[pageB] > place[pageA] -> root = pageB
        :: else -> root = pageA
        fi;
        if
        :: pageT != 0 && parent[pageT] == root && (IS_TORN || ((isLocked || !R(1)) && (slots[pageT] == slots[root] || !R(2)))) ->
            whole(pageT);
            if
            :: isWhole || !R(3) -> root = pageT; isAdopted = true
            :: else -> skip
            fi
        :: else -> skip
        fi;
        lacks = (R(4) && IS_TORN && !isAdopted && pageT != root)
    fi
}

/* ---- The disk ---- */

inline sync() {
    durableA = pageA; durableB = pageB; durableT = pageT;
    durableLog[1] = log[1]; durableLog[2] = log[2]; durableLog[3] = log[3]; durableLog[4] = log[4]
}

/* After a loss of power: the old, the new, or neither. */
inline settle(seen, durable) {
    if
    :: seen == durable -> skip
    :: seen != durable -> seen = durable
    :: seen != durable -> durable = seen
    :: seen != durable -> seen = 0; durable = 0
    fi
}

/* ---- A writer (store.md, 2, 6 and 7) ---- */

/* Where the next root goes: over the older page. */
inline writeOlder(version) {
    if
    :: (pageA == 0 || (pageB != 0 && place[pageA] < place[pageB])) == R(5) -> pageA = version
    :: else -> pageB = version
    fi
}

/* One step of a writer that is still there. */
#define STEP(body) if :: atomic { !stopped[id] -> body } :: atomic { stopped[id] -> goto start } fi
#define SYNC STEP(if :: mustSync -> sync() :: else -> skip fi; mustSync = false)

proctype Writer(byte id) {
    byte base, new, known;
    bool mustSync;
start:
    stopped[id] = false;
    mustSync = false;
    do
    :: atomic { versions < VERSIONS - 1 && (owner == 0 || !R(6)) ->
        choose(false);
        known = slots[root];
        if
        :: !isDead && !lacks ->
            owner = id + 1;
            choose(true);
            base = root;
            whole(base)
        :: else -> skip
        fi;
        if
        :: isDead || lacks || (pageA == 0 && pageB == 0 && !isWhole) ->
            assert(rots > 0);                   /* a crash alone keeps nobody from writing */
            owner = 0;
            break
        :: else -> assert(slots[base] == known) /* the secret that was given still opens it */
        fi
       }
       /* Mending (store.md, 6). */
       STEP(mustSync = R(13));
       SYNC;
       if
       :: atomic { !stopped[id] && pageT == base && pageA != base && pageB != base ->
            sync() };
          STEP(if :: pageA != 0 && pageB != 0 -> writeOlder(base); mustSync = true :: else -> skip fi);
          SYNC
       :: atomic { else -> skip }
       fi;
       STEP(if :: pageA == 0 && R(7) -> pageA = base; mustSync = true :: else -> skip fi);
       SYNC;
       STEP(if :: pageB == 0 && R(7) -> pageB = base; mustSync = true :: else -> skip fi);
       SYNC;
       STEP(if :: slots[pageA] != slots[base] && R(12) -> pageA = base; mustSync = true :: else -> skip fi);
       SYNC;
       STEP(if :: slots[pageB] != slots[base] && R(12) -> pageB = base; mustSync = true :: else -> skip fi);
       SYNC;
       STEP(if :: pageT != base -> pageT = base; mustSync = true :: else -> skip fi);
       SYNC;
       /* Whoever mends and then saves nothing leaves no slots that a key change gave up. */
       STEP(assert(slots[pageA] == slots[base] || pageA == 0); assert(slots[pageB] == slots[base] || pageB == 0));
       /* The save (store.md, 2). */
       if
       :: atomic { !stopped[id] && versions < VERSIONS - 1 ->
            versions++;
            new = versions; parent[new] = base; place[new] = place[base] + 1;
            if
            :: slots[new] = slots[base]
            :: slots[new] = slots[base] + 1     /* a key change */
            fi;
            log[place[new]] = 0; pageT = 0; isQuiet = false }
       :: atomic { else -> goto start }
       fi;
       STEP(log[place[new]] = new; if :: R(8) -> pageT = new :: else -> skip fi);
       STEP(if :: R(9) -> sync() :: else -> skip fi);
       STEP(writeOlder(new));
       STEP(if :: R(10) -> sync() :: else -> skip fi);
       STEP(if :: R(11) && slots[new] != slots[base] -> pageA = new; pageB = new :: else -> skip fi);
       STEP(if :: R(10) -> sync() :: else -> skip fi);
       STEP(acknowledged = new; owner = 0; isQuiet = true)
    :: atomic { stopped[id] -> goto start }
    :: versions >= VERSIONS - 1 -> break
    od
}

/* ---- The world ---- */

inline stopAll() {
    byte i;
    i = 0;
    do
    :: i < WRITERS -> stopped[i] = true; i++
    :: else -> break
    od;
    owner = 0
}

proctype World() {
    byte victim;
    do
    :: atomic { crashes < CRASHES -> crashes++;
        settle(pageA, durableA); settle(pageB, durableB); settle(pageT, durableT);
        settle(log[2], durableLog[2]); settle(log[3], durableLog[3]); settle(log[4], durableLog[4]);
        stopAll();
        shown = acknowledged }           /* a loss of power may take back what was never acknowledged */
    :: atomic { kills < KILLS && owner != 0 -> kills++;
        victim = owner - 1; stopped[victim] = true; owner = 0 }
    /* A bad sector. (Beneath a writer at work it is noticed as another writer would be: store.md, 2.6.) */
    :: atomic { rots < ROTS && owner == 0 -> rots++;
        choose(false);
        assert(!isDead && !lacks);       /* without damage nothing is missing, whatever was interrupted */
        if
        :: pageA = 0; durableA = 0
        :: pageB = 0; durableB = 0
        :: pageT = 0; durableT = 0
        fi;
        choose(false);
        assert(!isDead && (!isQuiet || !lacks)) }   /* one sector lost in a vault at rest loses nothing */
    :: atomic { true -> choose(false);              /* a reader */
        if
        :: isDead || lacks -> skip                  /* it is told */
        :: else ->
            whole(root); assert(isWhole || rots > 0);
            descend(root, acknowledged); assert(descends);
            descend(root, shown); assert(descends);
            /* What is adopted while a writer is at work may not be acknowledged in the end (store.md, 9). */
            if
            :: isAdopted && owner != 0 -> skip
            :: else -> shown = root
            fi
        fi;
        /* No copy of retired slots is left after a key change was acknowledged. */
        assert(!isQuiet || pageA == 0 || slots[pageA] >= slots[acknowledged]);
        assert(!isQuiet || pageB == 0 || slots[pageB] >= slots[acknowledged]);
        assert(!isQuiet || pageT == 0 || slots[pageT] >= slots[acknowledged]) }
    od
}

init {
    atomic {
        place[1] = 1; log[1] = 1; durableLog[1] = 1;
        byte i = 0;
        do
        :: i < WRITERS -> run Writer(i); i++
        :: else -> break
        od;
        run World()
    }
}
