import Foundation
import Testing

/// Parity that comes and goes, and backups that go to standard output.
struct ParityCommandTests {
    private func lines(_ script: String) throws -> [String] {
        let sandbox = try Sandbox()
        let prelude = "exec 2>&1; head -c 500000 /dev/urandom > f; $Q create v.qvault; $Q put f -f v.qvault\n"
        return try sandbox.shell(prelude + script).text.split(separator: "\n").map(String.init)
    }

    @Test func addedAndRemoved() throws {
        let said = try lines(
            """
            $Q backup v.qvault -o b.qvault; cp b.qvault whole; $Q backup v.qvault -o plain.qvault --parity 0%
            $Q parity rm b.qvault; echo $?; $Q verify b.qvault | wc -l; stat -c %s b.qvault plain.qvault | uniq | wc -l
            $Q parity add b.qvault --parity 20% --json | jq '.parity_bytes > 100000'; $Q verify b.qvault | wc -l
            dd if=/dev/zero of=b.qvault bs=1k seek=150 count=90 conv=notrunc status=none; $Q verify --keyless b.qvault > said; echo $?
            $Q parity add b.qvault > said; echo $?; $Q repair b.qvault --in-place > said; echo $?; $Q verify b.qvault | wc -l
            cp whole c.qvault; truncate -s -50000 c.qvault; $Q verify --keyless c.qvault > said; echo $?
            $Q parity add c.qvault; echo $?; $Q verify c.qvault | wc -l; stat -c %s c.qvault whole | uniq | wc -l
            $Q parity add whole --parity 20%; echo $?; $Q parity add v.qvault; echo $?; $Q parity add b.qvault --parity 0%; echo $?; $Q restore b.qvault -f r.qvault 2> said; echo $?
            """)
        #expect(
            said.filter { !$0.hasPrefix("qvault: ") } == [
                "0", "1", "1", "true", "2", "4", "5", "0", "2", "4", "0", "2", "1", "11", "11", "2", "0",
            ], "\(said)")
    }

    /// A repair by parity comes first: what it makes again is not lost. Damage beyond it costs only itself.
    @Test func salvageUsesParity() throws {
        let said = try lines(
            """
            for i in 1 2 3; do head -c 500000 /dev/urandom > f$i; done; $Q put f1 f2 f3 -f v.qvault
            $Q backup v.qvault -o b.qvault; cp b.qvault c.qvault
            dd if=/dev/zero of=b.qvault bs=1k seek=150 count=60 conv=notrunc status=none
            $Q salvage b.qvault -o s.qvault; echo $?; $Q unpack s.qvault -o out && cmp f out/f && cmp f3 out/f3; echo $?
            $Q salvage b.qvault -o - > t.qvault; echo $?; $Q verify t.qvault | wc -l; $Q salvage b.qvault -o - --json > none; echo $?
            dd if=/dev/zero of=c.qvault bs=1k seek=300 count=400 conv=notrunc status=none
            $Q salvage c.qvault -o u.qvault --json | jq '.losses | length < 3'; $Q verify u.qvault > said; echo $?
            """)
        #expect(
            said.filter { !$0.hasPrefix("qvault: ") && !$0.hasPrefix("  ") } == ["0", "0", "0", "1", "2", "true", "0"],
            "\(said)")
    }

    /// The parity of another vault behind a damaged one, or no folder for a repair, costs nothing.
    @Test func salvageWithoutItsOwnParity() throws {
        let said = try lines(
            """
            for i in 1 2 3; do head -c 400000 /dev/urandom > a$i; head -c 400000 /dev/urandom > b$i; done
            $Q pack a1 a2 a3 -o a.qvault; $Q pack b1 b2 b3 -o b.qvault; $Q backup a.qvault --parity 0% -o ab; $Q backup b.qvault -o bb
            /usr/bin/python3 -c '
            d = bytearray(open("ab", "rb").read()); n = len(d); b = open("bb", "rb").read()
            d[n - 65536:n - 4096] = b"x" * 61440; open("glued", "wb").write(d + b)
            d[:65536] = bytes(65536); d[n - 4096:] = bytes(4096); open("blind", "wb").write(d + b)'
            for f in glued blind; do $Q salvage $f -o $f.qvault > said; echo $?; $Q ls -f $f.qvault | grep -c ' a[123]$'; done
            TMPDIR=/nonexistent $Q salvage a.qvault -o - | wc -c | grep -c '^[1-9]'
            """)
        #expect(said.filter { !$0.hasPrefix("qvault: ") } == ["5", "2", "5", "2", "1"], "\(said)")
    }

    @Test func packedWithParity() throws {
        let said = try lines(
            """
            mkdir d; for i in 1 2 3; do head -c 500000 /dev/urandom > d/$i; done
            (ulimit -f 64; $Q pack d -o p.qvault -n > said); echo $?; ls p.qvault 2> none | wc -l
            $Q pack d -o p.qvault --parity 12%; echo $?; $Q pack d -o plain.qvault; cp p.qvault whole
            $Q verify p.qvault | wc -l; $Q verify --json p.qvault | jq -c '[.saves_with_parity, .save_guaranteed_bytes]'
            $Q info p.qvault | grep -c '^parity of saves'; $Q info plain.qvault | grep -c '^parity'; test $(stat -c %s p.qvault) -gt $(($(stat -c %s plain.qvault) * 110 / 100)); echo $?
            dd if=/dev/zero of=p.qvault bs=1k seek=300 count=188 conv=notrunc status=none
            $Q verify --keyless p.qvault > said; echo $?; $Q repair p.qvault --in-place > said; echo $?; cmp p.qvault whole; echo $?
            $Q put f -f p.qvault; $Q verify p.qvault > said; echo $?
            dd if=/dev/zero of=p.qvault bs=1k seek=700 count=150 conv=notrunc status=none; $Q repair p.qvault -o q.qvault > said; echo $?
            $Q unpack q.qvault -o out; cmp d/2 out/d/2 && cmp f out/f; echo $?; $Q pack d -o x.qvault --parity 50%; echo $?
            """)
        #expect(
            said.filter { !$0.hasPrefix("qvault: ") && !$0.hasPrefix("  ") } == [
                "0", "0", "0", "2", "[1,192512]", "1", "0", "0", "4", "0", "0", "0", "0", "0", "2",
            ], "\(said)")
    }

    @Test func toStandardOutput() throws {
        let said = try lines(
            """
            $Q backup v.qvault -o - > b.qvault; echo $?; $Q verify b.qvault | wc -l; $Q backup v.qvault -o - | $Q verify - | wc -l
            dd if=/dev/zero of=b.qvault bs=1k seek=150 count=9 conv=notrunc status=none
            $Q backup v.qvault -o - --json; echo $?; TMPDIR=$PWD $Q backup v.qvault -o - | wc -c | grep -c '^[1-9]'; ls | tr '\\n' ' '
            """)
        #expect(
            said.filter { !$0.hasPrefix("qvault: ") } == ["0", "2", "2", "2", "1", "b.qvault f v.qvault "], "\(said)")
    }
}
