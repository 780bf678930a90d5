/*
 * Who is who (Spec/store.md, 8, 10 and 11), checked by Spin: one machine with two paths, a vault, a backup, restores, a
 * rotation of the master key, somebody who puts older files back, and a former member who has the master key of epoch 1.
 *
 * A version is a save: 1 is there at the start, at path 0. Its lines are the versions before it. A path holds one version
 * or nothing. check.sh explores all states within the bounds; then it takes each rule away, and an assertion must fail.
 */

/*
 * The rules, each 1, or 0 where -DWITHOUT=n takes it away.
 *  W1 store.md, 8: a vault of a lower sequence is older
 *  W2 store.md, 8: a vault of a higher sequence that has no line of what was seen is forked ...
 *  W3 store.md, 8: a vault of a lower epoch counter is older
 *  W4 keys.md, 2: a key slot opens in its own epoch alone
 *  W5 store.md, 8: what is restored to another path gets a witness of its own
 *  W6 store.md, 11: a backup of a retired epoch is rotated on the way
 *  W7 store.md, 8: what was used is remembered
 *  W8 store.md, 8: ... also in a later epoch
 *  W9 store.md, 8: what a merge brought into a vault counts as its past
 * W10 store.md, 8: the sequence of a merge is above those of both sides
 */
#ifndef WITHOUT
#define WITHOUT 0
#endif
#define W(n) (WITHOUT != (n))

#define VERSIONS 7      /* 1 to 6 */
#define FOLLOWS 255     /* of a place: the main witness counts there */
#ifndef ATTACKS
#define ATTACKS 1
#endif

byte sequence[VERSIONS], epoch[VERSIONS];
byte lines[VERSIONS];           /* a bit for each version that it has a line of, and itself */
byte merged[VERSIONS];          /* a bit for each version that it, or one that it has a line of, took in by a merge */
bool isLeaky[VERSIONS];         /* its master key is known to the former member */
bool isSealed[VERSIONS];        /* the person's secret does not open it */
byte versions = 1, backup, file[2];

/* What the machine remembers. */
byte main_, own[2];

/* What is true: the version that the person used last at a path, and whether its master key is one that the former member
 * does not have. */
byte used[2];
byte attacks, restores, rotations, merges;
bool isRotated[2];

byte seen, highest;
bool isTold, descends;

#define HOLDS(set, version) (((set) >> (version)) & 1)

/* The witness that counts at a path. */
inline govern(path) {
    if
    :: own[path] == 0 || own[path] == FOLLOWS -> seen = main_
    :: else -> seen = own[path]
    fi
}

/* Whether the person is told that a version is not what was seen (the table of store.md, 8), or it does not open. */
inline compare(version) {
    descends = HOLDS(lines[version], seen) || (W(9) && HOLDS(merged[version], seen));
    isTold = isSealed[version] || (seen != 0 && (
        (epoch[version] < epoch[seen] && W(3)) ||
        (epoch[version] >= epoch[seen] && (
            (sequence[version] < sequence[seen] && W(1)) ||
            (sequence[version] == sequence[seen] && version != seen) ||
            (sequence[version] > sequence[seen] && !descends && W(2) && (W(8) || epoch[version] == epoch[seen]))))))
}

inline remember(path, version) {
    if
    :: !W(7) -> skip
    :: W(7) && own[path] != 0 && own[path] != FOLLOWS -> own[path] = version
    :: else -> own[path] = FOLLOWS; main_ = version
    fi;
    used[path] = version
}

/* Somebody put this version at the path on purpose. */
inline accept(path, version) {
    if
    :: main_ == 0 || (own[path] == FOLLOWS && own[1 - path] != FOLLOWS) || !W(5) ->
        own[path] = FOLLOWS; main_ = version
    :: else -> own[path] = version
    fi;
    used[path] = version
}

inline add(from, number, counter) {
    versions++;
    lines[versions] = lines[from] | (1 << versions);
    merged[versions] = merged[from];
    sequence[versions] = number;
    epoch[versions] = counter
}

inline checkUse(path) {
    assert(used[path] == 0 || HOLDS(lines[file[path]] | merged[file[path]], used[path]));                /* nothing that was saved here is missing in silence */
    assert(!isRotated[path] || !isLeaky[file[path]])    /* the former member reads nothing that is saved now */
}

proctype Person() {
    byte path;
    do
    :: atomic { versions < VERSIONS - 1 ->              /* opens a vault and saves, or only reads */
        if :: path = 0 :: path = 1 fi;
        if
        :: file[path] == 0 -> skip
        :: else ->
            govern(path);
            compare(file[path]);
            assert(attacks > 0 || !isTold);             /* nobody cries wolf */
            if
            :: isTold -> skip
            :: else ->
                checkUse(path);
                remember(path, file[path]);
                if
                :: true -> skip
                :: true ->
                    add(file[path], sequence[file[path]] + 1, epoch[file[path]]);
                    isLeaky[versions] = isLeaky[file[path]];
                    file[path] = versions;
                    remember(path, versions)
                fi
            fi
        fi }
    :: atomic { versions < VERSIONS - 1 && merges == 0 && file[0] != 0 && file[1] != 0 &&
                epoch[file[0]] == epoch[file[1]] -> /* merges path 1 into path 0, and may copy the result over path 1 */
        govern(1);
        compare(file[1]);
        highest = isTold;
        govern(0);
        compare(file[0]);
        if
        :: isTold || highest -> skip
        :: else ->
            merges++;
            checkUse(0);
            checkUse(1);
            highest = sequence[file[0]];
            if :: W(10) && sequence[file[1]] > highest -> highest = sequence[file[1]] :: else -> skip fi;
            add(file[0], highest + 1, epoch[file[0]]);
            merged[versions] = merged[versions] | lines[file[1]] | merged[file[1]];
            isLeaky[versions] = isLeaky[file[0]];
            file[0] = versions;
            remember(0, versions);
            if :: true -> file[1] = versions :: true -> skip fi
        fi }
    :: atomic { backup == 0 && !isSealed[file[0]] -> backup = file[0] }
    :: atomic { versions < VERSIONS - 1 && rotations == 0 && file[0] != 0 ->      /* a new master key; the member's slot goes */
        govern(0);
        compare(file[0]);
        if
        :: isTold -> skip
        :: else ->
            rotations++;
            checkUse(0);
            add(file[0], sequence[file[0]] + 1, epoch[file[0]] + 1);
            isRotated[0] = true;
            file[0] = versions;
            remember(0, versions)
        fi }
    :: atomic { versions < VERSIONS - 1 && backup != 0 && restores < 2 ->   /* restores the backup to a path */
        restores++;
        if :: path = 0 :: path = 1 fi;
        govern(path);
        highest = sequence[backup];
        if :: main_ != 0 && sequence[main_] > highest -> highest = sequence[main_] :: else -> skip fi;
        if :: own[0] != 0 && own[0] != FOLLOWS && sequence[own[0]] > highest -> highest = sequence[own[0]] :: else -> skip fi;
        if :: own[1] != 0 && own[1] != FOLLOWS && sequence[own[1]] > highest -> highest = sequence[own[1]] :: else -> skip fi;
        if
        :: seen != 0 && epoch[seen] > epoch[backup] && W(6) -> add(backup, highest + 1, epoch[seen] + 1)
        :: else -> add(backup, highest + 1, epoch[backup]); isLeaky[versions] = isLeaky[backup]
        fi;
        if :: seen != 0 && epoch[seen] > epoch[backup] -> isRotated[path] = true :: else -> skip fi;
        file[path] = versions;
        accept(path, versions) }
    :: versions >= VERSIONS - 1 -> break
    od
}

proctype World() {
    byte path, old;
    do
    :: atomic { attacks < ATTACKS ->                    /* an older file is put back, at any path */
        attacks++;
        if :: path = 0 :: path = 1 fi;
        old = 1;
        do
        :: old < versions -> old++
        :: break
        od;
        file[path] = old }
    :: atomic { attacks < ATTACKS && rotations > 0 && versions < VERSIONS - 1 ->
        /* The former member saves into a version of epoch 1, as the same or a later epoch. */
        attacks++;
        if :: path = 0 :: path = 1 fi;
        if
        :: add(1, sequence[1] + 1, 1)
        :: add(1, 9, 1)
        :: add(1, 9, 3); isSealed[versions] = W(4)
        fi;
        isLeaky[versions] = true;
        file[path] = versions }
    :: attacks >= ATTACKS -> break
    od
}

init {
    atomic {
        sequence[1] = 1; epoch[1] = 1; lines[1] = 2; isLeaky[1] = true;
        file[0] = 1; main_ = 1; own[0] = FOLLOWS; used[0] = 1;
        run Person();
        run World()
    }
}
