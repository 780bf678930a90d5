import Testing

/// Recipients: a key slot is made with a public key alone, and an identity opens it (Spec/keys.md, 8).
struct RecipientTests {
    private static let with = "--identity-file me.key"
    /// The command as somebody runs it who knows no password.
    private static let friend = KeyScene.locked

    /// The acceptance: nobody's secret but the owner's is asked for, neither when the slot is made nor in a rotation.
    @Test func aRecipientIsKeptThroughARotation() throws {
        let sandbox = try KeyScene.sandbox()
        let outcome = try sandbox.shell(
            """
            umask 77; echo \(Sandbox.password) > password; me=$($Q key identity -o me.key); [ "$me" = "$($Q key identity me.key)" ] && echo shown; stat -c %a me.key
            $Q key rm 2 -q -f v.qvault; $Q key add --recipient $me --label 朋友 -f v.qvault; echo $?
            \(Self.friend) cat -f v.qvault f \(Self.with); $Q key list -f v.qvault | grep -c '朋友'
            $Q rekey rotate -f v.qvault; echo $?; \(Self.friend) cat -f v.qvault f \(Self.with); $Q cat -f v.qvault f
            \(Self.friend) rekey rotate -f v.qvault \(Self.with) --slot-secret-file password; echo $?
            $Q key list -f v.qvault | grep -c '朋友'; \(Self.friend) cat -f v.qvault f \(Self.with)
            /usr/bin/python3 $REPOSITORY/Spec/reader/qvault_reader.py list v.qvault \(Self.with) | wc -l
            """)
        #expect(
            outcome.text == "shown\n600\n0\ncontent\n1\n0\ncontent\ncontent\n0\n1\ncontent\n1\n", "\(outcome)")
    }

    /// An identity may be kept in a vault: `-o -` prints it.
    @Test func anIdentityIsKeptInAVault() throws {
        let sandbox = try KeyScene.sandbox()
        let outcome = try sandbox.shell(
            """
            $Q key identity -o - | $Q put -f v.qvault - --as me.key; $Q cat -f v.qvault me.key > me.key; chmod 600 me.key
            $Q create w.qvault; $Q key add -f w.qvault --recipient $($Q key identity me.key); $Q ls -f w.qvault \(Self.with); echo $?
            """)
        #expect(outcome.text == "0\n", "\(outcome)")
    }

    @Test(arguments: [
        ("$Q key add -f v.qvault --recipient qvr1", 11, "--recipient: not a recipient"),
        ("$Q key add -f v.qvault --recipient $(echo $me | tr 2-8 3-9)", 11, "mistyped"),
        ("$Q key add -f v.qvault --recipient $me --iterations 200000", 2, "does not go with --recipient"),
        ("$Q key add -f v.qvault --recipient $me --label 'a label of more than 23 bytes'", 11, "at most 23 bytes"),
        ("$Q ls -f v.qvault \(Self.with)", 3, "no key slot belongs to this identity"),
        ("$Q ls -f v.qvault \(Self.with) --recovery-key-file rk", 2, "opens alone"),
        ("$Q ls -f v.qvault --identity-file f", 11, "f: not an identity"),
        ("$Q ls -f v.qvault --identity-file none", 10, "none"),
        ("$Q key identity", 2, "-o FILE says where"), ("$Q key identity -o me.key", 12, "me.key: exists"),
        ("$Q key identity me.key -o other", 2, "not both"), ("$Q key identity f", 11, "f: not an identity"),
    ]) func whatIsRefused(_ command: String, _ code: Int32, _ words: String) throws {
        let sandbox = try KeyScene.sandbox()
        let before = try sandbox.read("v.qvault")
        let outcome = try sandbox.shell("me=$($Q key identity -q -o me.key); chmod 600 f; \(command)")
        #expect(outcome.code == code && outcome.errors.contains(words), "\(outcome)")
        #expect(try sandbox.read("v.qvault") == before)
    }

    /// Whoever had the master key may have made a slot of a recipient, so a rotation names each that stays; a person at a terminal
    /// decides, and `key list` shows whose it is.
    @Test(arguments: ["y", "n"]) func aRotationNamesRecipients(_ answer: String) throws {
        let sandbox = try KeyScene.sandbox()
        let typist = "/usr/bin/python3 $REPOSITORY/Tests/Scripts/typist.py $Q"
        let outcome = try sandbox.shell(
            """
            me=$($Q key identity -q -o me.key); $Q key rm 2 -q -f v.qvault; $Q key add --recipient $me --label 朋友 -f v.qvault
            cp v.qvault w.qvault; XDG_STATE_HOME=$PWD/other $Q rekey rotate -f w.qvault 2>&1 | grep -c "'朋友') stays without a secret, for the identity of $me"
            $Q key list -f v.qvault --json | grep -c "recipient.:.$me"; $Q key list -f v.qvault | grep -c "$(echo $me | cut -c1-20)…"
            \(typist) rekey rotate -f v.qvault -- "keep key slot 2 (identity, '朋友') of $me? [Y/n] " \(answer) > said; echo $?
            \(KeyScene.locked) cat -f v.qvault f --identity-file me.key; echo $?
            """)
        let said = try String(decoding: sandbox.read("said"), as: UTF8.self)
        #expect(outcome.text == "1\n1\n1\n0\n" + (answer == "y" ? "content\n0\n" : "3\n"), "\(outcome) \(said)")
        #expect(said.contains(answer == "y" ? "kept: 2, dropped: 0" : "kept: 1, dropped: 1"), "\(said)")
    }
}
