import Testing

/// Faults of the system.
struct HostileWorldTests {
    /// The reader of the messages goes away, or the file may not grow: a save stays atomic.
    @Test(
        arguments: [
            ("a closed pipe", "mkfifo p; head -c 1 p > none & $Q put -f v.qvault d 2> p", 0),
            ("a limited file", "ulimit -f 500; $Q put -f v.qvault d/big", 13),
        ] as [(String, String, Int32)])
    func aSignalLeavesNoHalfSave(_ name: String, _ script: String, _ code: Int32) throws {
        let sandbox = try Sandbox()
        try sandbox.shell("mkdir d && head -c 3000000 /dev/urandom > d/big")
        try sandbox.shell(
            "for i in $(seq 1000); do mkfifo d/a-rather-long-name-for-a-pipe-of-which-nothing-is-stored-$i; done")
        try sandbox.qvault("create", "v.qvault")
        #expect(try sandbox.shell(script).code == code, "\(name)")
        #expect(try sandbox.qvault("put", "-f", "v.qvault", "d/big", "--as", "again").code == 0)
        #expect(try sandbox.qvault("verify", "v.qvault").code == 0)
    }

    @Test func aPipeMayCloseEarly() throws {
        let sandbox = try Sandbox()
        try sandbox.shell("mkdir d && head -c 3000000 /dev/urandom > d/big")
        try sandbox.qvault("pack", "d", "-o", "v.qvault")
        let outcome = try sandbox.shell(
            "mkfifo p; head -c 1 p > none & env --default-signal $Q cat -f v.qvault d/big > p")
        #expect(outcome.code == 141)
        #expect(outcome.errors == "")
    }

    @Test func aVaultIsItsOwners() throws {
        let sandbox = try Sandbox()
        try sandbox.write("f", "content")
        try sandbox.shell("umask 022; $Q pack f -o v.qvault; $Q unpack v.qvault -o out")
        #expect(try sandbox.shell("stat -c %a v.qvault out/f").text == "600\n600\n")
    }

    /// A vault that is written anew stays its owner's, with the rights that the owner gave; root may do it for him.
    @Test func aRewrittenVaultKeepsItsOwner() throws {
        let sandbox = try Sandbox()
        try sandbox.write("f", "content")
        try sandbox.shell("$Q pack f -o v.qvault; chmod 640 v.qvault; chown 1234:4321 v.qvault")
        let before = try sandbox.shell("stat -c '%a %u %g' v.qvault").text
        try sandbox.shell("$Q backup v.qvault -o b.qvault")
        for verb in ["compact -f v.qvault", "purge -f v.qvault f", "restore b.qvault -f v.qvault"] {
            #expect(try sandbox.shell("$Q \(verb)").code == 0, "\(verb)")
            #expect(try sandbox.shell("stat -c '%a %u %g' v.qvault").text == before, "\(verb)")
        }
    }

    /// A thousand folders in each other fit an ordinary stack, and descriptors that run out are reported.
    @Test func aDeepTreeIsPacked() throws {
        let sandbox = try Sandbox()
        try sandbox.shell("p=$(printf 'a/%.0s' $(seq 1000)); mkdir -p $p && echo leaf > ${p}leaf")
        #expect(try sandbox.shell("ulimit -s 8192; $Q pack a -o v.qvault").code == 0)
        #expect(try sandbox.qvault("ls", "-f", "v.qvault").text.split(separator: "\n").count == 1001)
        let few = try sandbox.shell("ulimit -n 100; $Q pack a -o w.qvault")
        #expect(few.code == 1 && few.errors.contains("Too many open files"))
    }
}
