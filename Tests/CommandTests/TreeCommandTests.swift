import Testing

/// Folders on their way in: patterns, mirrors, lists (Spec/product/trees.md).
struct TreeCommandTests {
    private static func run(_ script: String) throws -> Sandbox.Outcome {
        let sandbox = try Sandbox()
        return try sandbox.shell(
            """
            export QVAULT_FILE=$PWD/v.qvault; $Q create v.qvault 2> /dev/null
            mkdir -p src/sub/deep src/build; for name in a.txt b.o sub/c.txt sub/deep/d.o build/e.txt; do echo $name > src/$name; done
            names() { $Q ls "$@" | sed 's/.*  //' | paste -sd ' '; }
            exec 2>&1
            """ + "\n" + script)
    }

    @Test func aMirrorFollowsTheFolder() throws {
        let outcome = try Self.run(
            """
            mkdir other; cp -r src other; $Q put --mirror src other/src; echo "code $?"
            $Q put --mirror src; echo "code $?"; names
            rm src/a.txt; rm -r src/sub; echo more >> src/b.o; mkdir src/a.txt; touch src/a.txt/x
            $Q put --mirror --exclude /build -n src; names | wc -w
            $Q put --mirror --exclude /build src --json | sed 's/.*"files"/"files"/'; names; names --trash
            rm -r src/build; $Q put --mirror --exclude /build src; names; $Q put --mirror src; names; $Q verify v.qvault
            """)
        #expect(
            outcome.text == """
                qvault: --mirror takes sources of different names
                qvault: hint: give each a place with --as, one at a time
                code 2
                code 0
                src/ src/a.txt src/b.o src/build/ src/build/e.txt src/sub/ src/sub/c.txt src/sub/deep/ src/sub/deep/d.o
                qvault: src: other time or mode
                qvault: src/build: left out by the pattern '/build'
                qvault: src/sub/c.txt: gone: to the trash
                qvault: src/sub/deep: gone: to the trash
                qvault: src/sub/deep/d.o: gone: to the trash
                qvault: src/sub: gone: to the trash
                qvault: src/a.txt: other content
                qvault: src/a.txt/x: new
                qvault: src/b.o: other content
                qvault: would store: files: 2, folders: 2, to the trash: 4, passed over: 1 (9 B)
                9
                "files":2,"folders":2,"symlinks":0,"unchanged":0,"trashed":4,"skipped":1,"bytes":9,"left_out":0}
                src/ src/a.txt/ src/a.txt/x src/b.o src/build/ src/build/e.txt
                src/sub/ src/sub/c.txt src/sub/deep/ src/sub/deep/d.o
                src/ src/a.txt/ src/a.txt/x src/b.o src/build/ src/build/e.txt
                src/ src/a.txt/ src/a.txt/x src/b.o
                v.qvault: sound (saves: 5, 20.0 KiB, record versions: 14)

                """, "\(outcome)")
    }

    @Test func patternsLeaveOut() throws {
        let outcome = try Self.run(
            """
            printf '# objects\\n*.o\\n\\n/build/\\n' > patterns
            $Q put --exclude-from patterns --exclude '!b.o' -v src; names
            $Q pack src -o p.qvault --exclude '*.o' --exclude '!b.o'; names -f p.qvault
            printf 'Signature: 8a477f597d28d172789f06886806bc55\\n' > src/build/CACHEDIR.TAG
            $Q pack src -o q.qvault --exclude-caches -v 2>&1 | grep cache; names -f q.qvault
            $Q put --exclude-from none src; echo "code $?"; $Q put --exclude; echo "code $?"
            """)
        #expect(
            outcome.text == """
                qvault: src: new
                qvault: src/b.o: left out by the pattern '*.o'
                qvault: src/build: left out by the pattern '/build/'
                qvault: src/a.txt: new
                qvault: src/sub: new
                qvault: src/sub/c.txt: new
                qvault: src/sub/deep: new
                qvault: src/sub/deep/d.o: left out by the pattern '*.o'
                src/ src/a.txt src/sub/ src/sub/c.txt src/sub/deep/
                src/ src/a.txt src/b.o src/build/ src/build/e.txt src/sub/ src/sub/c.txt src/sub/deep/
                qvault: src/build: a cache: only its tag is stored
                src/ src/a.txt src/b.o src/build/ src/build/CACHEDIR.TAG src/sub/ src/sub/c.txt src/sub/deep/ src/sub/deep/d.o
                qvault: none: cannot open: No such file or directory
                qvault: hint: check the path
                code 10
                qvault: put: --exclude needs a value, PATTERN
                code 2

                """, "\(outcome)")
    }

    @Test func listsNamePaths() throws {
        let outcome = try Self.run(
            """
            find src -name '*.txt' | $Q put --files-from -; names
            find src -print0 | $Q put --files-from - --json | sed 's/.*"files"/"files"/'; names
            printf './src/../x\\n' | $Q put --files-from -; echo "code $?"; printf '.\\n' > list; $Q put --files-from list; echo "code $?"
            printf 'src/gone\\nsrc/a.txt\\n' | $Q put --files-from -; echo "code $?"; $Q put --files-from list src; echo "code $?"
            ln -s src lnk; printf 'lnk\\nlnk/a.txt\\n' | $Q put --files-from -; echo "code $?"
            echo dash > ./-; printf 'src/a.txt\\n-\\n' | $Q put --files-from - && $Q cat -- -; echo "code $?"
            $Q put; echo "code $?"; printf '' | $Q put --files-from -; echo "code $?"
            """)
        #expect(
            outcome.text == """
                src/ src/a.txt src/build/ src/build/e.txt src/sub/ src/sub/c.txt
                "files":2,"folders":4,"symlinks":0,"unchanged":3,"trashed":0,"skipped":0,"bytes":17,"left_out":0}
                src/ src/a.txt src/b.o src/build/ src/build/e.txt src/sub/ src/sub/c.txt src/sub/deep/ src/sub/deep/d.o
                qvault: -: './src/../x' leads upwards
                qvault: hint: list paths without '..'
                code 11
                qvault: list: '.' has no name
                qvault: hint: 'qvault put DIR' stores a folder
                code 11
                qvault: src/gone: not stored: cannot read: No such file or directory
                qvault: done in part: problems listed above: 1
                code 1
                qvault: --files-from goes without FILE, --as and --mirror
                code 2
                qvault: -: 'lnk/a.txt' and 'lnk' have one place in the vault
                qvault: hint: store them one at a time, with --as
                code 11
                dash
                code 0
                qvault: put: FILE… is missing
                qvault: hint: qvault put FILE…
                code 2
                code 0

                """, "\(outcome)")
    }

    /// Lists from Windows, and names that end with a carriage return.
    @Test func listsWithCarriageReturns() throws {
        let outcome = try Self.run(
            """
            printf '\\357\\273\\277src/a.txt\\r\\nsrc/sub\\r\\n' | $Q put --files-from -; echo "code $?"; names
            touch "$(printf 'odd\\r')"; printf 'odd\\r\\nsrc/b.o\\n' | $Q put --files-from -; echo "code $?"
            """)
        #expect(
            outcome.text == """
                code 0
                src/ src/a.txt src/sub/ src/sub/c.txt src/sub/deep/ src/sub/deep/d.o
                code 0

                """, "\(outcome)")
    }

    /// Patterns in names, where no record is called so.
    @Test func namesByPatterns() throws {
        let outcome = try Self.run(
            """
            $Q put src; echo star > '*.txt'; $Q put '*.txt'
            paths() { "$@" | sed 's/.*  //' | paste -sd ' '; }
            paths $Q ls 'src/*.txt'; paths $Q ls 'src/**/d.?'; paths $Q ls 's*/su[a-c]'; paths $Q ls '*.txt'
            $Q ls 'src/*.zip' 2> said; echo "code $?"; sed -n 's/.*v.qvault/v.qvault/p' said; $Q cat 'src/*/*.txt'
            $Q rm -n 'src/*.txt' 'src/b.*'; $Q mv 'src/*.o' 'src/sub/*' new/; paths $Q ls new
            $Q rm 'new/*.o'; $Q undelete 'new/*.o'; $Q purge --yes 'new/deep/*' 2> said; echo "code $?"; paths $Q ls new
            touch x1.jpg; $Q put x1.jpg; $Q rm 'x[1].jpg' 2> said; echo "code $?"; $Q rm '* ' 2> said; echo "code $?"
            """)
        #expect(
            outcome.text == """
                src/a.txt
                src/sub/deep/d.o
                src/sub/ src/sub/c.txt src/sub/deep/ src/sub/deep/d.o
                *.txt
                code 10
                v.qvault: no record 'src/*.zip'
                build/e.txt
                sub/c.txt
                qvault: would move to the trash: src/a.txt
                qvault: would move to the trash: src/b.o
                new/ new/b.o new/c.txt new/deep/ new/deep/d.o
                code 10
                new/ new/b.o new/c.txt new/deep/ new/deep/d.o
                code 10
                code 10

                """, "\(outcome)")
    }

    /// A vault goes out by standard output, and a secret comes in by standard input, but not beside data.
    @Test func standardStreams() throws {
        let outcome = try Self.run(
            """
            $Q pack src -o - > p.qvault; echo "code $?"; $Q verify p.qvault | head -c 17; echo
            $Q backup p.qvault -o b.qvault; cp b.qvault d.qvault
            printf '%2000s' | tr ' ' x | dd of=d.qvault bs=1 seek=140000 conv=notrunc status=none
            $Q repair d.qvault -o - > r.qvault; echo "code $?"; cmp r.qvault b.qvault
            $Q repair b.qvault -o - > none; echo "code $?"; wc -c < none
            sh -c "$QVAULT_PASSWORD_COMMAND" | $Q verify p.qvault --password-file - | head -c 17; echo
            echo data | $Q put - --as data --password-file -; echo "code $?"
            echo data | $Q put - --as data --password-file /dev/stdin; echo "code $?"
            echo data | QVAULT_PASSWORD_FILE=- $Q pack - --as data -o n.qvault; echo "code $?"; ls n.qvault
            echo data | $Q put - --as data --recovery-key-file /proc/self/fd/0; echo "code $?"; names
            """)
        #expect(
            outcome.text == """
                code 0
                p.qvault: sound (
                qvault: d.qvault: no damage (repaired: 3.0 KiB; tampering is not looked for without a key)
                code 0
                qvault: b.qvault: no damage (repaired: 0 B; tampering is not looked for without a key)
                code 0
                163840
                p.qvault: sound (
                qvault: standard input cannot carry both the secret and the data
                code 2
                qvault: standard input cannot carry both the secret and the data
                code 2
                qvault: standard input cannot carry both the secret and the data
                code 2
                ls: cannot access 'n.qvault': No such file or directory
                qvault: standard input cannot carry both the secret and the data
                code 2


                """, "\(outcome)")
    }

    /// Two names bring back what their own saves removed, and not what another one did.
    @Test func eachNameHasItsOwnSave() throws {
        let outcome = try Self.run(
            """
            $Q put src; echo r > r; $Q put r; $Q rm src/a.txt r; sleep 1.1; $Q rm -r src; $Q undelete src r; names; names --trash
            """)
        #expect(
            outcome.text == """
                r src/ src/b.o src/build/ src/build/e.txt src/sub/ src/sub/c.txt src/sub/deep/ src/sub/deep/d.o
                src/a.txt

                """, "\(outcome)")
    }

    /// Sockets and pipes are named and no reason for another exit code; a device is left out.
    @Test func whatIsNoFile() throws {
        let outcome = try Self.run(
            """
            mkfifo src/pipe; /usr/bin/python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("src/socket")'
            $Q put src; echo "code $?"; names
            $Q put /dev/null --as null; echo "code $?"; $Q put src/pipe; echo "code $?"
            """)
        #expect(
            outcome.text == """
                qvault: src/pipe: a socket or pipe: passed over
                qvault: src/socket: a socket or pipe: passed over
                code 0
                src/ src/a.txt src/b.o src/build/ src/build/e.txt src/sub/ src/sub/c.txt src/sub/deep/ src/sub/deep/d.o
                qvault: /dev/null: not stored: a device
                qvault: done in part: problems listed above: 1
                code 1
                qvault: src/pipe: a socket or pipe: passed over
                code 0

                """, "\(outcome)")
    }

    /// A file that did not change since its folder was stored is not read; one whose time was set back is.
    @Test func unchangedFilesAreNotRead() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            export QVAULT_FILE=$PWD/v.qvault; exec 2>&1; mkdir src; for n in 1 2 3; do echo aa$n > src/$n; done; ln -s 1 src/l; sleep 61; $Q create; $Q put src
            read() { strace -f -qq -e trace=openat -o trace $Q put "$@" --json | jq -c '[.files, .unchanged]'; grep -c '"[123]", O_RDONLY' trace; }
            put() { $Q put "$@" --json | jq -c '[.files, .unchanged]'; }
            read src; read src --checksum; read src --exclude nothing; touch -r src/2 time; echo bb2 > src/2; touch -r time src/2; put src; $Q cat src/2
            touch -d '2001-01-01' src/3; put src/; put src; $Q forget --all; read src; $Q verify v.qvault | cut -d' ' -f2
            # Another copy of the vault, which has not what was stored in this one.
            cp v.qvault w.qvault; touch -r src/1 time; echo cc1 > src/1; touch -r time src/1; put src; sleep 61; put src -f w.qvault --allow-rollback; $Q cat -f w.qvault src/1
            """)
        #expect(
            outcome.text == """
                [0,4]
                0
                [0,4]
                3
                [0,4]
                3
                [1,3]
                bb2
                [1,3]
                [0,4]
                [0,4]
                3
                sound
                [1,3]
                [1,3]
                cc1

                """, "\(outcome)")
    }

    /// A dry run changes no byte, also of a vault that the next save would mend.
    @Test func dryRunsChangeNothing() throws {
        let outcome = try Self.run(
            """
            $Q put src; cp v.qvault w.qvault; (cat w.qvault; head -c 20000 /dev/urandom) > t; mv t v.qvault; dd if=/dev/zero of=v.qvault bs=4096 count=1 conv=notrunc status=none
            cp v.qvault before; chmod 400 v.qvault
            for verb in 'rm src/a.txt' 'mv src/a.txt x' 'tag src/a.txt t' 'group src/a.txt g' 'pin src/a.txt' 'purge src/a.txt' 'put src --mirror' 'put src/a.txt --as new' compact; do
                $Q $verb -n > said 2>&1; echo -n "$? "; cmp v.qvault before
            done; $Q undelete src/a.txt -n > said 2>&1; echo $?
            """)
        #expect(outcome.text.hasSuffix("0 0 0 0 0 0 0 0 0 10\n"), "\(outcome)")
    }
}
