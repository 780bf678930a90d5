import Foundation
import Testing

/// Ctrl-C, and worse, at any time (a shell starts background jobs with SIGINT ignored, hence `env
/// --default-signal`): no half file, and the vault as it was or as it was to be.
struct InterruptTests {
    private func fixture() throws -> Sandbox {
        let sandbox = try Sandbox()
        try sandbox.shell("mkdir big && for i in 1 2 3 4 5 6; do head -c 20000000 /dev/urandom > big/$i; done")
        return sandbox
    }

    @Test(arguments: ["INT", "TERM", "KILL"]) func packLeavesNothing(_ signal: String) throws {
        let sandbox = try fixture()
        for delay in [0.01, 0.03, 0.06, 0.1, 0.15] {
            let script =
                "env --default-signal $Q pack big -o v.qvault & p=$!; sleep \(delay); kill -\(signal) $p 2>/dev/null; wait $p; exit $?"
            let outcome = try sandbox.shell(script)
            let names = try sandbox.listing().filter { !$0.hasPrefix("big") }
            if names == ["v.qvault"] {
                #expect(try sandbox.qvault("verify", "v.qvault").code == 0)
                try sandbox.shell("rm v.qvault")
            } else {
                #expect(names == [], "after \(delay) s")
                #expect(outcome.code != 0)
            }
        }
    }

    @Test(arguments: ["INT", "KILL"]) func unpackLeavesWholeFiles(_ signal: String) throws {
        let sandbox = try fixture()
        try sandbox.qvault("pack", "big", "-o", "v.qvault")
        for delay in [0.04, 0.07, 0.1, 0.15] {
            try sandbox.shell(
                "rm -rf out; env --default-signal $Q unpack v.qvault -o out & p=$!; sleep \(delay); kill -\(signal) $p; wait $p"
            )
            let names = try sandbox.listing().filter { $0.hasPrefix("out/big/") }
            for name in names {
                #expect(try sandbox.shell("cmp '\(name)' '\(name.dropFirst(4))'").code == 0, "\(name) after \(delay) s")
            }
        }
    }

    @Test(arguments: ["INT", "KILL"]) func putIsAllOrNothing(_ signal: String) throws {
        let sandbox = try fixture()
        try sandbox.qvault("create", "v.qvault")
        for delay in [0.02, 0.05, 0.08, 0.12, 0.2] {
            try sandbox.shell(
                "cp v.qvault w.qvault; $Q forget w.qvault; env --default-signal $Q put -f w.qvault big & p=$!; sleep \(delay); kill -\(signal) $p; wait $p"
            )
            let list = try sandbox.qvault("ls", "-f", "w.qvault")
            #expect(list.code == 0 && [0, 7].contains(list.text.split(separator: "\n").count), "after \(delay) s")
            #expect(try sandbox.qvault("verify", "w.qvault").code == 0)
        }
    }

    @Test func theShellSeesTheSignal() throws {
        let sandbox = try fixture()
        // More than a pipe holds: once all of it is written, the program is reading.
        let outcome = try sandbox.shell(
            """
            mkfifo f; env --default-signal $Q pack - --name x -o v.qvault < f & p=$!
            exec 3> f; head -c 1000000 /dev/zero >&3; kill -INT $p; wait $p; exit $?
            """)
        #expect(outcome.code == 130)
        #expect(outcome.errors == "qvault: cancelled; nothing is left half-written\n")
    }
}
