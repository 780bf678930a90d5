import Foundation
import Testing

/// A vault with one file, its recovery key in `rk`, and `new` with another password.
enum KeyScene {
    /// Its files. Made once a call.
    static func make() throws -> [String: Data] {
        let sandbox = try Sandbox()
        try sandbox.write("f", "content\n")
        try sandbox.write("new", "another-battery-staple\n")
        #expect(try sandbox.qvault("create", "v.qvault", "--recovery-key-out", "rk").code == 0)
        #expect(try sandbox.qvault("put", "-f", "v.qvault", "f").code == 0)
        return try Dictionary(uniqueKeysWithValues: ["v.qvault", "rk", "f", "new"].map { ($0, try sandbox.read($0)) })
    }

    private static let original = Result { try make() }

    /// The same in a folder of its own.
    static func sandbox() throws -> Sandbox {
        let sandbox = try Sandbox()
        for (name, content) in try original.get() { try sandbox.write(name, content) }
        return sandbox
    }

    /// True if the kernel's keyring can be used here; containers often forbid it.
    static let hasKeyring: Bool = {
        let sandbox = try? Sandbox()
        return (try? sandbox?.shell("$Q create v.qvault && $Q unlock v.qvault && $Q lock v.qvault").code == 0) ?? false
    }()

    /// The command without a password.
    static let locked = "env -u QVAULT_PASSWORD_COMMAND $Q"
}
