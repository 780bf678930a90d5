import Testing

/// Which file is which: vault, backup, restored, salvaged, old copy (Spec/store.md, 8).
struct IdentityTests {
    private func sandbox() throws -> Sandbox {
        let sandbox = try Sandbox()
        #expect(try sandbox.shell("echo one > a; $Q pack a -o v.qvault; $Q backup v.qvault -o b.qvault").code == 0)
        return sandbox
    }

    /// Trying out a backup locks nothing out, and what was restored and salvaged can be used beside the vault for ever.
    @Test func aDrillBesideTheVault() throws {
        let sandbox = try sandbox()
        let outcome = try sandbox.shell(
            """
            $Q restore b.qvault -f drill.qvault 2> slots; $Q salvage b.qvault -o s.qvault
            for i in 1 2 3; do for f in v drill s; do
                echo $f $i > x; $Q put -f $f.qvault x; $Q cat -f $f.qvault x; $Q ls -f $f.qvault > none || echo $?
            done; done
            """)
        #expect(
            outcome.text == (1...3).flatMap { n in ["v", "drill", "s"].map { "\($0) \(n)\n" } }.joined(), "\(outcome)")
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.allSatisfy { $0.contains("records: 1") || $0.contains("b.qvault: warning: older") }, "\(lines)")
    }

    @Test func aBackupInTheVaultsPlaceIsNoticed() throws {
        let sandbox = try sandbox()
        let outcome = try sandbox.shell(
            """
            echo two > a; $Q put -f v.qvault a; cp v.qvault live
            cp b.qvault v.qvault; $Q cat -f v.qvault a; echo $?; $Q cat -f v.qvault a --allow-rollback; echo $?
            $Q cat -f b.qvault a; echo $?; cp live v.qvault; $Q cat -f v.qvault a; echo $?
            """)
        #expect(outcome.text == "7\none\n0\none\n0\ntwo\n0\n", "\(outcome)")
        #expect(outcome.errors.contains("b.qvault: warning: older"), "\(outcome.errors)")
    }

    /// An old copy is refused at a path of its own as well as in the vault's place, and so is a restored file there.
    @Test func anOldCopyIsNoticed() throws {
        let sandbox = try sandbox()
        let outcome = try sandbox.shell(
            """
            cp v.qvault old; echo two > a; $Q put -f v.qvault a; cp v.qvault live; cp old elsewhere.qvault
            $Q ls -f elsewhere.qvault > none; echo $?; cp old v.qvault; $Q ls -f v.qvault > none; echo $?
            cp live v.qvault; $Q restore b.qvault -f drill.qvault; cp drill.qvault v.qvault; $Q ls -f v.qvault > none; echo $?
            cp old drill.qvault; $Q ls -f drill.qvault > none; echo $?; cp live v.qvault; $Q ls -f v.qvault > none; echo $?
            """)
        #expect(outcome.text == "7\n7\n7\n7\n0\n", "\(outcome)")
    }

    /// The vault is lost, and its backup restored to the same place: it can be moved and used as before.
    @Test func aRestoredVaultIsTheVault() throws {
        let sandbox = try sandbox()
        let outcome = try sandbox.shell(
            """
            echo two > a; $Q put -f v.qvault a; rm v.qvault; $Q restore b.qvault -f v.qvault; $Q ls -f v.qvault > none; echo $?
            mv v.qvault moved.qvault; $Q put -f moved.qvault a; echo $?; $Q verify moved.qvault
            """)
        #expect(outcome.text.hasPrefix("0\n0\nmoved.qvault: sound"), "\(outcome)")
    }

    /// Destroying a backup or a drill leaves what is known of the vault.
    @Test func destroyingACopyForgetsNothing() throws {
        let sandbox = try sandbox()
        let outcome = try sandbox.shell(
            """
            cp v.qvault old; echo two > a; $Q put -f v.qvault a; $Q restore b.qvault -f drill.qvault
            $Q destroy drill.qvault --yes; $Q destroy b.qvault --yes; cp old v.qvault; $Q cat -f v.qvault a; echo $?
            """)
        #expect(outcome.text == "7\n", "\(outcome)")
    }

    /// A symbolic link in the vault's place does not choose what the vault is compared with; one beside it is no trouble.
    @Test func aLinkInTheVaultsPlace() throws {
        let sandbox = try sandbox()
        let outcome = try sandbox.shell(
            """
            echo two > a; $Q put -f v.qvault a; $Q restore b.qvault -f drill.qvault; ln -s v.qvault l
            $Q cat -f l a; $Q put -f l a --as c; $Q ls -f v.qvault > none; echo $?
            mv v.qvault gone; ln -s drill.qvault v.qvault; $Q cat -f v.qvault a; echo $?; $Q put -f v.qvault a; echo $?
            rm v.qvault; ln -s b.qvault v.qvault; $Q cat -f v.qvault a; echo $?
            """)
        #expect(outcome.text == "two\n0\n7\n7\n7\n", "\(outcome)")
    }

    /// A drill at the path where the vault was once, and a merge into a copy, leave the vault as it is.
    @Test func theVaultIsNotLockedOut() throws {
        let sandbox = try sandbox()
        let outcome = try sandbox.shell(
            """
            cp v.qvault copy.qvault; echo two > a; $Q put -f v.qvault a; $Q merge -f copy.qvault v.qvault > none
            $Q cat -f v.qvault a; $Q cat -f copy.qvault a; rm copy.qvault
            mkdir m; mv v.qvault m/v.qvault; $Q ls -f m/v.qvault > none; $Q restore b.qvault -f v.qvault
            $Q cat -f m/v.qvault a; $Q cat -f v.qvault a
            """)
        #expect(outcome.text == "two\ntwo\ntwo\none\n", "\(outcome)")
    }

    /// A backup from before a rotation is restored to another path, in a later epoch, and copied from there over the vault:
    /// the later epoch does not hide that saves are missing (Spec/model/identity.pml, W8).
    @Test func aLaterEpochIsNoProofOfDescent() throws {
        let sandbox = try sandbox()
        let outcome = try sandbox.shell(
            """
            $Q backup v.qvault -o k.qvault && $Q rekey rotate -f v.qvault && echo two > b && $Q put -f v.qvault b
            $Q restore k.qvault -f drill.qvault; $Q ls -f drill.qvault > none; echo $?; $Q ls -f v.qvault > none; echo $?
            cp drill.qvault v.qvault; $Q ls -f v.qvault > none; echo $?
            """)
        #expect(outcome.text == "0\n0\n7\n", "\(outcome)")
    }

    /// A merges B's copy and rotates: the vault descends from both, and B goes on with it. A merge of B's own copy finds nothing.
    @Test func aRotatedMergeIsNewerThanBoth() throws {
        let sandbox = try sandbox()
        let outcome = try sandbox.shell(
            """
            cp v.qvault mine.qvault; export XDG_STATE_HOME=$PWD/stateB; echo two > b; $Q put -f mine.qvault b
            export XDG_STATE_HOME=$PWD/stateA; echo three > c; $Q put -f v.qvault c; $Q merge mine.qvault -f v.qvault > none
            $Q rekey rotate -f v.qvault; export XDG_STATE_HOME=$PWD/stateB
            $Q ls -f v.qvault > none; echo $?; $Q merge mine.qvault -f v.qvault; echo $?; $Q ls -f v.qvault > none; echo $?
            """)
        #expect(outcome.text == "0\n0\n0\n", "\(outcome)")
    }

    /// An old copy has the key slot of a password that was removed since. A merge brings nothing into it; it stays refused.
    @Test func aMergeDoesNotBringBackARemovedKey() throws {
        let sandbox = try sandbox()
        let outcome = try sandbox.shell(
            """
            echo another-good-password > second; $Q key add -f v.qvault --new-password-file second > none
            cp v.qvault old.qvault; $Q key remove 2 -f v.qvault > none; $Q key list -f v.qvault | wc -l
            $Q ls -f old.qvault > none; echo $?; $Q merge v.qvault -f old.qvault; echo $?; $Q ls -f old.qvault > none; echo $?
            """)
        #expect(outcome.text == "1\n7\n0\n7\n", "\(outcome)")
    }

    /// Nothing new is stored under a retired master key.
    @Test func aMergeIntoARetiredCopyIsRefused() throws {
        let sandbox = try sandbox()
        let outcome = try sandbox.shell(
            """
            cp v.qvault old.qvault; $Q rekey rotate -f v.qvault; echo two > b; $Q put -f v.qvault b
            $Q merge v.qvault -f old.qvault; echo $?; $Q ls -f old.qvault --allow-rollback | wc -l
            """)
        #expect(outcome.text == "7\n1\n", "\(outcome)")
    }

    /// A merge descends from both sides: its file may be copied over either, and no machine that saw one of them is told of a
    /// fork. Here each folder is a machine of its own.
    @Test(arguments: [("A", "B"), ("B", "A")]) func aMergeIsCopiedBack(_ merging: String, _ other: String) throws {
        let sandbox = try sandbox()
        let outcome = try sandbox.shell(
            """
            mkdir A B; q() { XDG_STATE_HOME=$PWD/$1/state; export XDG_STATE_HOME; shift; $Q "$@"; }
            cp v.qvault A; cp v.qvault B; q A ls -f A/v.qvault > none; q B ls -f B/v.qvault > none
            echo two > A/x; q A put -f A/v.qvault A/x --as x; for i in 1 2 3; do
                echo $i > B/y; q B put -f B/v.qvault B/y --as y; done
            q \(merging) merge \(other)/v.qvault -f \(merging)/v.qvault > none; echo $?
            cp \(merging)/v.qvault \(other)/v.qvault; q \(other) ls --plain -f \(other)/v.qvault | awk '{print $NF}' | sort | tr '\\n' ' '; echo $?
            echo z > z; q \(other) put -f \(other)/v.qvault z; cp \(other)/v.qvault \(merging)/v.qvault
            q \(merging) cat -f \(merging)/v.qvault z y; echo $?
            """)
        #expect(outcome.text == "0\na x y 0\nz\n3\n0\n", "\(outcome)")
    }

    /// A newest save that cannot be read is an error: nothing older is shown unless a person names it (Spec/reader.md, 4.7).
    @Test func nothingOlderIsShownUnasked() throws {
        let sandbox = try sandbox()
        let outcome = try sandbox.shell(
            """
            echo two > a; echo two > b; $Q put -f v.qvault a b; size=$(stat -c %s v.qvault)
            dd if=/dev/zero of=v.qvault bs=4096 seek=$((size / 4096 - 3)) count=1 conv=notrunc status=none
            for verb in 'ls -f v.qvault' 'cat -f v.qvault a' 'get -f v.qvault a -o x' 'unpack v.qvault -o y' \\
                'history -f v.qvault'; do $Q $verb > none 2>> log; echo $?; done
            test -e x; echo $?; $Q cat -f v.qvault --at 1 a; echo $?; $Q put -f v.qvault b; echo $?
            $Q verify v.qvault > none; echo $?; $Q backup v.qvault -o n.qvault; echo $?
            """)
        #expect(outcome.text == "5\n5\n5\n5\n5\n1\none\n0\n5\n5\n5\n", "\(outcome)")
        #expect(outcome.errors.contains("newer than save 1, and not readable"))
    }

    /// A password that was taken away does not come back by way of an old page (Spec/store.md, 12).
    @Test func salvageBelievesNoOldSlots() throws {
        let sandbox = try sandbox()
        let outcome = try sandbox.shell(
            """
            printf another-horse-battery > p; $Q key add -f v.qvault --new-password-file p; cp v.qvault old
            $Q key remove 2 -f v.qvault; cp v.qvault hit
            end=$(($(stat -c %s hit) / 4096 - 1))
            for page in 0 $end; do dd if=/dev/zero of=hit bs=4096 seek=$page count=1 conv=notrunc status=none; done
            dd if=old of=hit bs=4096 skip=16 seek=16 count=1 conv=notrunc status=none
            $Q salvage hit -o s.qvault > none; echo $?
            $Q ls -f s.qvault > none; echo $?; $Q ls -f s.qvault --password-file p > none; echo $?
            """)
        #expect(outcome.text == "5\n0\n3\n", "\(outcome)")
        #expect(outcome.errors.contains("no commit confirms its key slots"), "\(outcome.errors)")
    }

    /// A name that begins with `file:` or `note:` is first looked up as it is (CLI.md, "Names").
    @Test func aNameWithAPrefixIsTheNameFirst() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            echo plain > f; echo prefixed > file:f; echo todo > 'note: todo.txt'; $Q pack f file:f 'note: todo.txt' -o v.qvault
            export QVAULT_FILE=v.qvault; $Q cat file:f; $Q cat 'note: todo.txt'; $Q purge file:f; $Q cat file:f; $Q cat f
            """)
        #expect(outcome.text == "prefixed\ntodo\nplain\nplain\n", "\(outcome)")
    }

    /// Readers beside a rotation find a state, and never an alarm (`vault-soak readers` does it with every verb).
    @Test func readersBesideARotation() throws {
        let sandbox = try sandbox()
        let outcome = try sandbox.shell(
            """
            (for i in 1 2 3 4 5 6; do $Q rekey rotate -f v.qvault -q || echo "rotation $?"; done) &
            for i in $(seq 30); do $Q ls -f v.qvault > none || echo $?; $Q verify v.qvault > none || echo $?; done; wait
            """)
        #expect(outcome.text == "", "\(outcome)")
    }

    /// Every look at the live vault is refused in turn: a backup from before a rotation brings its master key back never, and
    /// a restore that is refused leaves the vault as it was. This machine remembers nothing, so only the vault tells.
    @Test func anUnreadableVaultIsNotTakenForNone() throws {
        let sandbox = try sandbox()
        let outcome = try sandbox.shell(
            """
            $Q backup v.qvault -o w.qvault && $Q rekey rotate -f v.qvault && cp v.qvault live || exit 1
            for call in openat newfstatat pread64; do
                for n in $(seq 1 400); do
                    rm -rf "$XDG_STATE_HOME" v-replaced-*; cp live v.qvault
                    strace -P "$PWD/v.qvault" -P v.qvault -o trace -e trace=$call -e inject=$call:error=EIO:when=$n \
                        $Q restore w.qvault -f v.qvault -q 2> said; status=$?
                    grep -q INJECTED trace || break
                    epoch=$($Q info -f v.qvault --json | jq .epoch)
                    case $status-$epoch in
                    0-3) ;;
                    *-2) [ $status != 0 ] && cmp -s live v.qvault || echo "$call $n: $status, changed" ;;
                    *) echo "$call $n: $status, epoch $epoch" ;;
                    esac
                done
                echo "$call $((n > 1))"
            done
            """)
        #expect(outcome.text == "openat 1\nnewfstatat 1\npread64 1\n", "\(outcome)")
    }
}
