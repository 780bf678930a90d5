import CSystem
import FoundationEssentials
import Testing

/// `fund update` with feeds that are slow, wrong, partial, hostile and endless.
struct FeedTests {
    private static let script = """
        set -e; export QVAULT_FILE=a.qvault XDG_CONFIG_HOME=$PWD/config HOME=$PWD SECRET=xyzzy
        mkdir -p config/quickvault feeds; now=$(session 0)T09:15:00+08:00; day=$(session 1)
        $Q create a.qvault; $Q fund add 110011 stocks='600519 50; 00700 50' shares=10 cost=2; $Q fund add 161725
        feed() { { echo '#!/bin/sh'; cat; } > feeds/$1; chmod +x feeds/$1; }
        feed nav <<END
        tee asked | while read code; do echo "P $day \\$code 2.5 CNY"; done
        END
        feed quotes <<END
        while read code; do printf '{"code":"%s","time":"$now","price":"101","previous_close":"100"}\\\\n' \\$code; done
        END
        conf() { $Q settings set "$1" "$2"; }
        conf feed.nav "$PWD/feeds/nav"; conf feed.quotes "$PWD/feeds/quotes"; conf feed-timeout 1s
        """

    private func run(_ lines: String) throws -> (code: Int32, text: String) {
        let outcome = try Sandbox().shell(Self.script + "\n" + lines)
        return (outcome.code, outcome.text)
    }

    @Test func allIsTakenInOneSave() throws {
        let outcome = try run(
            """
            $Q history | wc -l; $Q fund update --json; $Q history | wc -l; $Q fund | cat
            $Q lock; $Q fund update --if-unlocked; $Q history | wc -l
            """)
        #expect(outcome.code == 0, "\(outcome)")
        for text in [
            #"{"added":5,"changed":0,"refused":0,"older":0,"dropped":[],"cards_added":0,"cards_changed":0}"#, "\n4\n",
            "2.5250", "+1.00%",
            "source quotes",
        ] { #expect(outcome.text.contains(text), "\(text): \(outcome)") }
    }

    @Test func aFeedThatFailsIsFollowedByTheNext() throws {
        let outcome = try run(
            """
            feed bad <<END
            echo x >> $PWD/tries; exit 3
            END
            conf feed-sandbox no; conf feed.nav.2 "$PWD/feeds/nav"; conf feed.nav "$PWD/feeds/bad"; $Q fund update --json 2>&1; wc -l < tries
            """)
        #expect(outcome.code == 0, "\(outcome)")
        for text in ["feeds/bad' failed with status 3", #""added":5"#, "\n3\n"] {
            #expect(outcome.text.contains(text), "\(text): \(outcome)")
        }
    }

    /// The log says which kind of feed failed, and how: no command, code or value.
    @Test func theLogSaysWhyAFeedFailed() throws {
        let outcome = try run(
            """
            feed bad <<END
            exit 3
            END
            feed odd <<END
            echo 'P 2026-01-05 110011 -7 CNY'
            END
            conf feed-sandbox no; conf feed.nav "$PWD/feeds/bad"; conf feed.nav.2 "$PWD/feeds/odd"; $Q fund update > said 2>&1 || true
            $Q log list --level warning | grep 'fund update'; $Q log list --json | jq -c 'select(.verb == "fund update") | [.level, .reasons]'
            cat state/quickvault/log/* ~/.local/state/quickvault/log/* $XDG_STATE_HOME/quickvault/log/* 2> none | grep -c -e feeds/ -e 110011
            """)
        let reasons = "net values: a feed failed with status 3; net values: lines that were refused: 1\n"
        #expect(outcome.text.contains("fund update") && outcome.text.contains(reasons), "\(outcome)")
        let json = #"["warning",["net values: a feed failed with status 3","net values: lines that were refused: 1"]]"#
        #expect(outcome.text.hasSuffix(json + "\n0\n"), "\(outcome)")
    }

    @Test(
        arguments: [
            ("sleep 60", "was not done in time"), ("kill -9 $$", "failed with status 137"),
            ("yes", "printed more than 8 MiB"), ("exec cat /dev/zero", "printed more than 8 MiB"),
            ("exit 0", "no value for 110011 161725"), ("echo 'P 2026-01-05 110011 0 CNY'", "a line has a price"),
            ("echo 'P 2026-01-05 999999 1 CNY'", "lines about other codes, left out: 1"),
            ("printf '\\033[2J\\n'", "is no JSON object"), ("(sleep 50; echo) & exit 0", "no value for 110011 161725"),
        ])
    func badOnesChangeNothing(_ script: String, _ said: String) throws {
        let outcome = try run(
            """
            feed bad <<'END'
            \(script)
            END
            conf feed.nav "$PWD/feeds/bad"; $Q fund update 2>&1 || echo "code $?"; $Q fund --json; $Q verify | cut -c1-15
            """)
        #expect(outcome.code == 0 && !outcome.text.contains("\u{1B}"), "\(outcome)")
        for text in [said, "code 1", #""nav":null"#, "sound"] {
            #expect(outcome.text.contains(text), "\(text): \(outcome)")
        }
    }

    /// A feed gets codes, a clean environment, no terminal and no open file.
    @Test func aFeedLearnsCodesAlone() throws {
        let outcome = try run(
            """
            feed nav <<END
            cat > asked; env > env; ls /proc/self/fd | wc -l > files; cut -d' ' -f7 /proc/self/stat > terminal
            END
            conf feed-sandbox no; sed -i "s|> |> $PWD/|g" feeds/nav; exec 7< a.qvault; $Q fund update 2>/dev/null || echo "code $?"
            cat asked; cut -d= -f1 env | sort | tr '\\n' ' '; cat files terminal
            """)
        #expect(outcome.code == 0, "\(outcome)")
        // Three standard descriptors, and the folder that ls itself reads.
        #expect(outcome.text.contains("code 1\n110011\n161725\nHOME LANG PATH PWD 4\n0\n"), "\(outcome)")
    }

    @Test func aConfigurationThatOthersWriteRunsNothing() throws {
        let outcome = try run(
            """
            chmod g+w config/quickvault/config; $Q fund update 2>&1 || echo "code $?"
            chmod g-w config/quickvault/config; chmod o+w config/quickvault; $Q fund update 2>&1 || echo "code $?"; ls
            """)
        #expect(outcome.text.components(separatedBy: "others can write it, or its folder").count == 3, "\(outcome)")
        #expect(
            outcome.text.components(separatedBy: "code 2\n").count == 3 && !outcome.text.contains("asked"), "\(outcome)"
        )
    }

    /// Files, keys, other processes and sockets to programs of this machine are out of reach; its own folder is not.
    @Test(.enabled(if: qv_sandbox_layers() == 3, "this kernel has Landlock and seccomp"))
    func aFeedIsKeptFromFilesAndKeys() throws {
        let outcome = try run(
            """
            conf feed.quotes true; $Q fund feeds; $Q fund feeds check; $Q fund feeds check --json
            conf feed-sandbox no; $Q fund feeds check 2>&1 || echo "code $?"; $Q fund feeds x 2>&1 || echo "code $?"
            """)
        #expect(outcome.code == 0, "\(outcome)")
        for text in [
            "feed.nav  /", "reaches neither the vault, nor the home folder, nor other processes",
            #""sandbox":true,"files_kept":true,"calls_kept":true,"reached":[]}"#,
            "reaches: vault, home, write, processes", "feed-sandbox is no", "code 1\n", "code 2\n",
        ] { #expect(outcome.text.contains(text), "\(text): \(outcome)") }
    }

    /// Each attempt as a status: what a feed reads, writes and calls.
    @Test(
        .enabled(if: qv_sandbox_layers() == 3, "this kernel has Landlock and seccomp"),
        arguments: [
            ("cat try", true), ("cat more", false), ("cat ../vault", false), ("ls ..", false), ("touch x", false),
            ("touch /tmp/x", false),
            ("ls /proc/1", false), ("cat /etc/ssl/openssl.cnf", true), ("kill -0 1", false),
            ("/usr/bin/python3 -c 'import socket; socket.socket(socket.AF_UNIX)'", false),
            ("/usr/bin/python3 -c 'import socket; socket.socket()'", true),
            ("/usr/bin/python3 -c 'import socket; socket.socket(socket.AF_INET6)'", true),
            ("/usr/bin/python3 -c 'import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)'", false),
            ("chmod u+r try", false), ("chown 0 try", false), ("touch -c -d @0 try", false),
            ("/usr/bin/python3 -c 'import os; os.setxattr(\"try\", \"user.a\", b\"\")'", false),
            ("prlimit --pid $PPID --nofile", false), ("prlimit --nofile", true), ("renice -n 19 -p $PPID", false),
            ("taskset -p 1 $PPID", false), ("ionice -c 3 -p $PPID", false),
            ("/usr/bin/python3 -c 'import ctypes; exit(ctypes.CDLL(None).shmget(0, 1, 0o1600) < 0)'", false),
            ("/usr/bin/python3 -c 'import ctypes; exit(ctypes.CDLL(None).inotify_init() < 0)'", false),
            ("/usr/bin/python3 -c 'import ctypes; exit(ctypes.CDLL(None).keyctl(0, -3, 0) < 0)'", false),
            ("/usr/bin/python3 -c 'import os; os.open(\"/dev/null\", os.O_WRONLY)'", true),
        ])
    func aFeedReaches(_ attempt: String, _ isAllowed: Bool) throws {
        let outcome = try run(
            """
            echo beside > feeds/more; cp a.qvault vault
            feed try <<'END'
            cd "${0%/*}"; \(attempt) > /dev/null 2>&1 && echo 'P 2026-01-05 110011 1 CNY' || echo 'P 2026-01-05 110011 2 CNY'
            END
            conf feed.nav "$PWD/feeds/try"; conf feed.quotes true; $Q fund update > /dev/null 2>&1 || true
            $Q fund --json | grep -o '"nav":"[12]' | head -1
            """)
        #expect(outcome.text.contains("\"nav\":\"\(isAllowed ? 1 : 2)"), "\(attempt): \(outcome)")
    }

    /// What a feed left running, in a session of its own too, ends with it, and does not hold its answer back.
    @Test func nothingOutlivesAFeed() throws {
        // Lengths of time that no other process waits for.
        let mark = Int.random(in: 1_000_000...9_999_999)
        let outcome = try run(
            """
            feed left <<'END'
            setsid sh -c 'setsid sleep \(mark)1 & sleep \(mark)2' & sleep \(mark)3 & sed 's/.*/P 2026-01-05 & 1 CNY/'
            END
            conf feed.nav "$PWD/feeds/left"; conf feed.quotes true; conf feed-timeout 10s
            $Q fund update 2>&1 || true; $Q fund --json | grep -c '"nav":"1.0000"'; ps -C sleep -o args | grep -c \(mark) || true
            """)
        #expect(!outcome.text.contains("in time") && outcome.text.hasSuffix("2\n0\n"), "\(outcome)")
    }

    /// qvault itself opens no connection, whatever the verb.
    @Test func noSocketIsOpened() throws {
        let outcome = try run(
            """
            for verb in "fund" "fund update" "fund show 110011" "fund accuracy" "fund chart 110011" "fund search x" "due"; do
                strace -e trace=socket,connect,bind,socketpair -o trace $Q $verb > /dev/null 2>&1 || true
                grep -c 'socket\\|connect\\|bind' trace || true
            done
            """)
        #expect(outcome.text == String(repeating: "0\n", count: 7), "\(outcome)")
    }

    /// The programs of Spec/feeds, on answers in the form of the sites.
    @Test func theExamplesAreUnderstood() throws {
        let outcome = try run(
            """
            feeds=$REPOSITORY/Spec/feeds; say() { printf '%s\\n' "$@"; }
            say 110011 999999 | $feeds/eastmoney-nav $feeds/recorded > p; say 600519 000858 00700 | $feeds/tencent-quotes $feeds/recorded >> p
            say USD | $feeds/frankfurter-rates $feeds/recorded >> p; say 110011 | $feeds/eastmoney-estimate $feeds/recorded >> p
            $Q fund edit 110011 stocks='600519 9.50; 000858 8.20; 00700 7.80'; $Q fund import p --json; $Q fund --json | head -1
            """)
        #expect(outcome.code == 0, "\(outcome)")
        for text in [#""refused":0"#, #""estimate":"2.5081","change":"0.000850361620""#, #""nav_date":"2026-10-20""#] {
            #expect(outcome.text.contains(text), "\(text): \(outcome)")
        }
    }

    /// The examples beside an installed program are listed, and set where nothing is set yet.
    @Test func anExampleIsSetUp() throws {
        let outcome = try run(
            """
            exec 2>&1; set +e; mkdir -p bin share/quickvault; cp $Q bin/qvault; Q=$PWD/bin/qvault; $Q fund feeds add; echo $?
            cp -r $REPOSITORY/Spec/feeds share/quickvault/feeds
            $Q fund feeds add --json | jq -r '"\\(.example) \\(.setting)"'
            $Q settings rm feed.nav; $Q fund feeds add eastmoney-nav; $Q fund feeds add eastmoney-nav; $Q fund feeds add eastmoney-estimate; echo $?
            $Q settings feed.nav; $Q settings feed.nav.2 | grep -c 'feeds/eastmoney-estimate$'; conf feed.nav.2 /bin/true
            $Q fund feeds add eastmoney-estimate; echo $?; $Q fund feeds add eastmony-nav; echo $?; $Q fund feeds remove; echo $?
            conf feed.quotes "$($Q settings feed.quotes.2) $PWD/share/quickvault/feeds/recorded"
            """)
        let text = outcome.text
        #expect(text.contains("no examples of feeds are installed with this program\n"), "\(outcome)")
        let list =
            "eastmoney-estimate feed.nav\neastmoney-nav feed.nav\nfrankfurter-rates feed.rates\ntencent-quotes feed.quotes\n"
        #expect(text.contains(list), "\(outcome)")
        #expect(text.contains("/share/quickvault/feeds/eastmoney-nav\n1\n"), "\(outcome)")
        #expect(text.contains("other feeds are set already: feed.nav, feed.nav.2\n"), "\(outcome)")
        #expect(text.contains("'qvault settings rm feed.nav' makes room\n12\n"), "\(outcome)")
        #expect(
            text.contains("no example of a feed is called 'eastmony-nav'\n") && text.contains("eastmoney-nav"),
            "\(outcome)")
        #expect(text.contains("fund feeds: check, add EXAMPLE, or nothing\n2\n"), "\(outcome)")
    }

    @Test func withoutAFeedItSaysHow() throws {
        let outcome = try run("$Q settings rm feed.nav; $Q settings rm feed.quotes; $Q fund update 2>&1")
        #expect(outcome.code == 2 && outcome.text.contains("no feed is set on this machine"), "\(outcome)")
    }
}
