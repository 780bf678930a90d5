import Foundation
import Testing

/// `push`, `pull` and `serve` as people and programs use them (Spec/replication.md).
struct PushTests {
    private func sandbox() throws -> Sandbox {
        let sandbox = try Sandbox()
        // A host for each folder; one that cannot be reached.
        try sandbox.write(
            "ssh",
            "#!/bin/sh\nhost=$1; shift; [ -d \"$PLACE/$host\" ] || exit 255; cd \"$PLACE/$host\"\nqvault() { \"$Q\" \"$@\"; }\neval \"$*\"\n"
        )
        // The newest commit with wrong tags, and all hashes right.
        try sandbox.write(
            "forge.py",
            """
            import hashlib, sys
            b = bytearray(open(sys.argv[1], 'rb').read())
            page, core = len(b) - 4096, len(b) - 4096 + 2304
            b[core + 420] ^= 1
            b[core + 480:core + 512] = hashlib.sha256(b[core:core + 480]).digest()
            where = 131072 + int.from_bytes(b[core + 88:core + 96], 'big') + int.from_bytes(b[core + 96:core + 104], 'big')
            b[where:where + 512] = b[core:core + 512]
            b[page + 4064:page + 4096] = hashlib.sha256(b[page:page + 4064]).digest()
            for at in (0, 65536): b[at:at + 4096] = b[page:]
            open(sys.argv[2], 'wb').write(b)
            """)
        try sandbox.shell(
            """
            set -e; chmod +x ssh; mkdir far near; $Q create v.qvault; head -c 100000 /dev/urandom > a; echo b > b
            $Q put -f v.qvault a
            """)
        return sandbox
    }

    private func run(_ script: String, in sandbox: Sandbox) throws -> [String] {
        let prelude = "exec 2>&1; export PLACE=$PWD QVAULT_SSH=$PWD/ssh Q QVAULT_FILE=v.qvault\n"
        return try sandbox.shell(prelude + script).text.split(separator: "\n").map(String.init)
    }

    @Test func toAnotherMachineAndBack() throws {
        let sandbox = try sandbox()
        let said = try run(
            """
            $Q push far:v.qvault --json | jq -c '[.save,.whole]'; $Q put b; $Q push --json | jq -c '[.save,.whole,.bytes<=16384]'
            $Q push --json | jq .bytes; $Q verify --keyless far/v.qvault | cut -c 1-33; $Q push far:v.qvault -n --json | jq .dry_run
            (cd far; XDG_STATE_HOME=$PWD/s $Q put -f v.qvault ../b --as c)
            $Q push far:; echo $?; $Q pull far:v.qvault --json | jq -c '[.save,.whole]'; $Q cat c; $Q push --json | jq .bytes
            (cd far; XDG_STATE_HOME=$PWD/s $Q put -f v.qvault ../b --as d); $Q put b --as e
            $Q push; echo $?; $Q pull; echo $?; $Q pull far:v.qvault -f w.qvault; $Q merge w.qvault > said; $Q push --json | jq .save
            cd far; $Q ls -f v.qvault --json | jq -r .path | tr '\\n' ' '
            """, in: sandbox)
        #expect(
            said == [
                "[2,true]", "[3,false,true]", "0",
                "far/v.qvault: no damage (saves: 3", "true",
                "qvault: far:v.qvault: has saves that v.qvault lacks, up to save 4",
                "qvault: hint: 'qvault pull far:v.qvault' brings them here", "7", "[4,false]", "b", "0",
                "qvault: far:v.qvault and v.qvault were saved apart",
                "qvault: hint: 'qvault pull far:v.qvault -f OTHER' fetches it, 'qvault merge OTHER' joins the two; then push",
                "7", "qvault: far:v.qvault and v.qvault were saved apart",
                "qvault: hint: 'qvault pull far:v.qvault -f OTHER' fetches it, 'qvault merge OTHER' joins the two; then push",
                "7",
                "qvault: w.qvault: warning: not what this machine has seen: it has another history since before save 5",
                "qvault: the vault was written anew since the last push: its key tells whether the copy is older, and all is sent",
                "6", "a b c d e ",
            ], "\(said)")
    }

    @Test func whatIsRefused() throws {
        let sandbox = try sandbox()
        let said = try run(
            """
            $Q push; echo $?; $Q push nowhere/v.qvault; echo $?; $Q push none:v.qvault; echo $?
            $Q push near/ && rm near/v.qvault; $Q push near/; echo $?; $Q push near/ --create; echo $?
            $Q backup -o b.qvault; $Q push b.qvault; echo $?; $Q push near/x.qvault -f b.qvault; echo $?
            $Q pull far:none.qvault -f new.qvault; echo $?; ls new.qvault; $Q serve </dev/null | wc -c
            printf 'hello, world' | $Q serve | tail -c 57; echo
            """, in: sandbox)
        let codes = said.filter { ["0", "2", "7", "10", "12", "13"].contains($0) }
        #expect(codes == ["2", "10", "13", "12", "0", "12", "12", "10"], "\(said)")
        for what in [
            "is the disk plugged in", "the connection ended", "no copy is there any more", "does not speak as",
        ] {
            #expect(said.contains { $0.contains(what) }, "\(what): \(said)")
        }
    }

    /// A key that is forced to serve a folder reaches nothing else.
    @Test func aFolderIsServedAlone() throws {
        let sandbox = try sandbox()
        let said = try run(
            """
            cat > ssh <<'E'
            #!/bin/sh
            exec "$Q" serve "$PLACE/far"
            E
            ln -s $PWD/near far/out; ln -s $PWD/near/y.qvault far/link.qvault; cp v.qvault near/y.qvault; $Q put b
            for path in v.qvault ../near/x.qvault $PWD/near/z.qvault out/w.qvault link.qvault out/../../near/q.qvault
            do $Q push "h:$path"; echo $?; done; ls near far; $Q verify --keyless near/y.qvault | grep -o 'saves: 2'
            """, in: sandbox)
        let codes = said.filter { ["0", "10", "12", "13"].contains($0) }
        #expect(codes == ["0", "12", "12", "12", "12", "12"], "\(said)")
        #expect(
            said.suffix(7) == ["far:", "link.qvault", "out", "v.qvault", "near:", "y.qvault", "saves: 2"], "\(said)")
    }

    /// A pull takes nothing that is not signed with the vault's key.
    @Test func aPullAuthenticates() throws {
        let sandbox = try sandbox()
        let said = try run(
            """
            $Q push near/; cp near/v.qvault old; (XDG_STATE_HOME=$PWD/s $Q put -f near/v.qvault b)
            /usr/bin/python3 forge.py near/v.qvault near/v.qvault
            $Q verify --keyless near/v.qvault | cut -c 1-25; sha256sum v.qvault > before
            $Q pull near/v.qvault; echo $?; sha256sum -c before; $Q ls
            """, in: sandbox)
        #expect(
            said.contains("6") && said.contains("v.qvault: OK") && said.first == "near/v.qvault: no damage ", "\(said)")
    }

    /// What the guide says of rsync, with the real program: its copies are sound, and one that is broken off leaves the old.
    @Test func copiesByRsync() throws {
        let sandbox = try sandbox()
        let said = try run(
            """
            rsync -t v.qvault near/v.qvault; $Q verify --keyless near/v.qvault -q; echo $?
            for i in 1 2 3; do $Q put b --as $i; rsync -t v.qvault near/v.qvault; $Q verify --keyless near/v.qvault -q; echo $?; done
            $Q info near/v.qvault --json | jq -r .fingerprint > a; $Q info v.qvault --json | jq -r .fingerprint | cmp - a && echo same
            cp near/v.qvault before; $Q put b --as 4; cp v.qvault big; head -c 60000000 /dev/zero >> big
            rsync -t --bwlimit=2000 big near/v.qvault 2> /dev/null & sleep 1; kill $! 2> /dev/null; wait 2> /dev/null
            cmp near/v.qvault before && $Q verify --keyless near/v.qvault -q; echo $?
            $Q put a --as 5; rsync -t --append v.qvault near/v.qvault; $Q push near/ 2> said; echo $?
            """, in: sandbox)
        #expect(said.prefix(6) == ["0", "0", "0", "0", "same", "0"], "\(said)")
        // What --append made of it is told, and never taken for the newest.
        #expect(["0", "5"].contains(said.last ?? ""), "\(said)")
    }

    /// A server with an audit key takes what is signed, and nothing that only looks so.
    @Test func aServerAudits() throws {
        let sandbox = try sandbox()
        let said = try run(
            """
            mkdir keys; $Q key audit -o keys/v; printf '#!/bin/sh\nexec "$Q" serve --audit-key "$PLACE/keys" "$PLACE/far"\n' > ssh
            $Q push h:v.qvault; echo $?; $Q put b; $Q push h:v.qvault; echo $?; cp far/v.qvault before
            /usr/bin/python3 forge.py v.qvault forged.qvault
            cp far/v.qvault newest; cp before far/w.qvault; head -c 0 /dev/null; $Q push h:new.qvault -f forged.qvault; echo $?; ls far
            XDG_STATE_HOME=$PWD/s $Q create other.qvault; $Q push h:o.qvault -f other.qvault; echo $?; ls far; cmp far/v.qvault newest; echo $?
            """, in: sandbox)
        #expect(
            said.filter { !$0.hasPrefix("qvault: ") } == [
                "0", "0", "6", "v.qvault", "w.qvault", "3", "v.qvault", "w.qvault", "0",
            ], "\(said)")
    }

    /// What is the same file is no copy; a trial of anything says what it would do, also to a script.
    @Test func oneFileTwice() throws {
        let sandbox = try sandbox()
        let said = try run(
            """
            $Q push v.qvault; echo $?; ln v.qvault near/l.qvault; $Q push near/l.qvault; echo $?; $Q pull near/l.qvault; echo $?
            rm near/l.qvault; $Q backup -o b.qvault; $Q restore b.qvault -f b.qvault; echo $?; $Q restore --drill v.qvault; echo $?
            $Q push near/ -n; $Q push near/; $Q put b; $Q push -n; (XDG_STATE_HOME=$PWD/s; export XDG_STATE_HOME; $Q pull near/v.qvault -n; echo $?)
            """, in: sandbox)
        let codes = said.filter { $0.count == 1 }
        #expect(codes == ["2", "2", "2", "2", "2", "7"], "\(said)")
        #expect(said.filter { $0.hasPrefix("qvault: would send") }.count == 2, "\(said)")
    }
}
