import Testing

/// `qvault otp` beside oathtool, and what a person types at a form.
struct OneTimePasswordCommandTests {
    private static let typist = "/usr/bin/python3 $REPOSITORY/Tests/Scripts/typist.py env -u QVAULT_PASSWORD_COMMAND $Q"

    private func fixture(_ totp: String) throws -> Sandbox {
        let sandbox = try Sandbox()
        try sandbox.shell("$Q create v.qvault && $Q card add -f v.qvault login --title site 'totp=\(totp)'")
        return sandbox
    }

    @Test(arguments: [
        ("JBSWY3DPEHPK3PXP", "--totp -b JBSWY3DPEHPK3PXP"),
        (
            "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP&algorithm=SHA512&digits=8&period=60",
            "--totp=SHA512 -d 8 -s 60 -b JBSWY3DPEHPK3PXP"
        ),
    ])
    func codesAreThoseOfOathtool(_ totp: String, _ options: String) throws {
        let sandbox = try fixture(totp)
        // The second may turn between the two programs: one of two attempts is enough.
        let same = "[ \"$($Q otp -f v.qvault site --stdout)\" = \"$(oathtool \(options))\" ]"
        #expect(try sandbox.shell("\(same) || \(same)").code == 0)
    }

    @Test func codesThatCountAreGivenOnce() throws {
        let sandbox = try fixture("otpauth://hotp/a?secret=JBSWY3DPEHPK3PXP&counter=7")
        let codes = try sandbox.shell("for i in 1 2 3; do $Q otp -f v.qvault site --stdout; done")
        #expect(codes.code == 0)
        #expect(codes.text == (try sandbox.shell("oathtool -c 7 -w 2 -b JBSWY3DPEHPK3PXP").text))
        let left = try sandbox.qvault("card", "show", "-f", "v.qvault", "site", "--field", "totp").text
        #expect(left.hasSuffix("counter=10\n"))
    }

    @Test func aSecretComesFromAPictureOrAText() throws {
        let sandbox = try fixture("GEZDGNBVGY3TQOJQ")
        let address = "otpauth://totp/Example:me?secret=JBSWY3DPEHPK3PXP&issuer=Example"
        let outcome = try sandbox.shell(
            """
            export QVAULT_FILE=v.qvault; set -e; qrencode -o -qr.png '\(address)'
            $Q otp site --from ./-qr.png; $Q card show site --field totp
            echo steam://JBSWY3DPEHPK3PXP | $Q otp site --from -; $Q card show site --field totp
            """)
        #expect(outcome.code == 0 && outcome.text == "\(address)\nsteam://JBSWY3DPEHPK3PXP\n", "\(outcome)")
        for (source, code) in [("none.png", Int32(10)), ("empty", 11), ("two", 11), ("picture.bin", 11), ("note", 11)] {
            try sandbox.shell(
                ": > empty; echo hello world my note > note; printf 'a\\nb\\n' > two; head -c 9000 /dev/urandom > picture.bin"
            )
            #expect(try sandbox.qvault("otp", "-f", "v.qvault", "site", "--from", source).code == code, "\(source)")
        }
        let kept = try sandbox.qvault("card", "show", "-f", "v.qvault", "site", "--field", "totp").text
        #expect(kept == "steam://JBSWY3DPEHPK3PXP\n")
    }

    /// The QR code by which an authenticator moves its codes holds several: an import takes all, a card its own.
    @Test func codesThatAnAuthenticatorMovesAreTaken() throws {
        let sandbox = try fixture("GEZDGNBVGY3TQOJQ")
        try sandbox.write(
            "move.py",
            """
            import base64, urllib.parse
            def field(number, value):
                if isinstance(value, int): return bytes([number << 3, value])
                return bytes([number << 3 | 2, len(value)]) + value
            def code(secret, name, issuer, digits, kind):
                return field(1, field(1, secret) + field(2, name) + field(3, issuer) + field(4, 1) + field(5, digits)
                    + field(6, kind) + (field(7, 5) if kind == 1 else b""))
            data = code(b"12345678901234567890", b"me@here", b"Shop", 2, 2) + code(b"abcdefghij", b"site", b"", 1, 1)
            data += field(2, 1) + field(3, 2) + field(4, 0)
            print("otpauth-migration://offline?data=" + urllib.parse.quote(base64.b64encode(data), safe=""))
            """)
        let outcome = try sandbox.shell(
            """
            export QVAULT_FILE=v.qvault; /usr/bin/python3 move.py > moved; qrencode -r moved -o moved.png
            $Q otp site --from moved.png; echo $?; $Q card show site --field totp; $Q import moved.png 2> said; echo $?
            $Q card show Shop --field totp; grep -c 'QR code 1 of 2' said
            echo 'otpauth-migration://offline?data=!' | $Q import - --format otp 2> said; echo $?; grep -c base64 said
            """)
        let address = "otpauth://totp/Shop:me@here?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Shop"
        #expect(
            outcome.text == """
                0
                otpauth://hotp/site?secret=MFRGGZDFMZTWQ2LK&algorithm=SHA1&digits=6&counter=5
                0
                \(address)&algorithm=SHA1&digits=8&period=30
                1
                1
                1

                """, "\(outcome)")
    }

    @Test func aLoginIsFilledIn() throws {
        let sandbox = try Sandbox()
        try sandbox.shell("$Q create v.qvault && $QVAULT_PASSWORD_COMMAND > pw")
        // A wrong password of the vault comes before the first field, and costs nothing that was typed.
        let typed = """
            "password for" "wrong password" "password for" "$(cat pw)" "user name" me "makes one" first "repeat" second \
            "makes one" third "repeat" third "web site" "https://www.example.com/login" "one-time" GEZDGNBVGY3TQOJQ \
            notes "" "custom field" "" "title [example.com]" "" "group" work "tags" "a, b"
            """
        let outcome = try sandbox.shell("\(Self.typist) card add login -f v.qvault -- \(typed) > said")
        let said = String(decoding: try sandbox.read("said"), as: UTF8.self)
        #expect(outcome.code == 0 && said.contains("the two differ"), "\(said)")
        #expect(!said.contains("first") && !said.contains("third"), "a password is not shown")
        let shown = try sandbox.qvault("card", "show", "-f", "v.qvault", "example.com", "--json", "--reveal").text
        #expect(shown.contains("\"group\":\"work\",\"tags\":[\"a\",\"b\"]") && shown.contains("\"password\":\"third\""))
    }

    /// Enter leaves out every field that may be empty, the hidden ones too; a private key comes from its file.
    @Test(arguments: [
        ("login", "x.org", "'user name' '' 'makes one' '' 'web site' x.org 'one-time' '' notes '' 'custom field' ''"),
        (
            "bankcard", "b",
            "number 4111111111111111 bank b holder '' branch '' expires '' security '' phone '' notes ''"
        ),
        (
            "ssh-key", "SSH key",
            "'path of the file' none 'path of the file' key 'public key' '' fingerprint f 'makes one' '' notes '' 'custom field' ''"
        ),
        (
            "software", "p",
            "product p licence '' version '' licensed '' mail '' bought '' 'valid until' '' notes '' 'custom field' ''"
        ),
    ])
    func hiddenFieldsMayBeEmpty(_ kind: String, _ title: String, _ typed: String) throws {
        let sandbox = try Sandbox()
        try sandbox.shell("$Q create v.qvault; printf 'a\\n\\nb\\n' > key")
        // What people have on paper gets pictures.
        let pictures = ["bankcard", "software"].contains(kind) ? "'to attach' ''" : ""
        let answers = "'password for' \(Sandbox.password) \(typed) title '' group '' tags '' \(pictures)"
        let outcome = try sandbox.shell("\(Self.typist) card add \(kind) -f v.qvault -- \(answers)")
        #expect(outcome.code == 0, "\(outcome)")
        #expect(try sandbox.qvault("card", "list", "-f", "v.qvault").text.contains(title))
        guard kind == "ssh-key" else { return }
        let key = try sandbox.qvault("card", "show", "-f", "v.qvault", "SSH key", "--field", "private_key").text
        #expect(key == "a\n\nb\n\n", "\(key)")
    }

    /// Nothing that was typed is lost to a byte that is no text, and no file is cut where it is too long.
    @Test func aFormOutlivesBadInput() throws {
        let sandbox = try Sandbox()
        try sandbox.shell("$Q create v.qvault; head -c 1100000 /dev/zero | tr '\\\\0' a > long; echo k > key")
        let typed = """
            'password for' \(Sandbox.password) 'path of the file' long 'path of the file' key 'public key' '' \
            fingerprint "$(printf '\\377')" fingerprint f 'makes one' '' notes '' 'custom field' '' title T group '' tags ''
            """
        let outcome = try sandbox.shell("\(Self.typist) card add ssh-key -f v.qvault -- \(typed) > said")
        let said = String(decoding: try sandbox.read("said"), as: UTF8.self)
        #expect(outcome.code == 0 && said.contains("longer than 1 MiB") && said.contains("is not UTF-8"), "\(said)")
        #expect(try sandbox.qvault("card", "show", "-f", "v.qvault", "T", "--field", "fingerprint").text == "f\n")
    }

    /// The counter of codes that count stays where there is no way to show a code.
    @Test func noCodeIsUsedUpInVain() throws {
        let sandbox = try fixture("otpauth://hotp/a?secret=JBSWY3DPEHPK3PXP&counter=7")
        #expect(try sandbox.shell("env -u DISPLAY -u WAYLAND_DISPLAY setsid $Q otp -f v.qvault site").code == 15)
        let left = try sandbox.qvault("card", "show", "-f", "v.qvault", "site", "--field", "totp").text
        #expect(left.hasSuffix("counter=7\n"))
        // A secret in an own field is hidden as well.
        try sandbox.shell("$Q card add -f v.qvault note --title n text=x; echo steam://JBSWY3DPEHPK3PXP > s")
        #expect(try sandbox.qvault("otp", "-f", "v.qvault", "n", "--from", "s").code == 0)
        #expect(try !sandbox.qvault("card", "show", "-f", "v.qvault", "n").text.contains("JBSW"))
    }

    @Test func aMadePasswordHasEveryClass() throws {
        let sandbox = try Sandbox()
        let all = try sandbox.shell("for i in $(seq 40); do $Q key generate --symbols 12 -q; done").text
        for made in all.split(separator: "\n") {
            #expect(made.count == 12 && made.contains { $0.isUppercase } && made.contains { $0.isLowercase })
            #expect(made.contains { $0.isNumber } && made.contains { "!#%+-=@".contains($0) }, "\(made)")
        }
        #expect(try sandbox.qvault("key", "generate", "--symbols", "12", "--words", "5").code == 2)
    }
}
