import CSystem
import Glibc
import VaultFormat
import VaultIO
import VaultStore

extension Verb {
    static let open = Verb.at(
        name: "open",
        summary: "open the window: the vault in the browser of this machine, with all that one does with it",
        operands: "[FILE]",
        options: [
            .vault, Option(.noBrowser, help: "print the address, and start no browser"),
            Option(.port, value: "N", help: "serve on this port of 127.0.0.1; else on any that is free"), .json,
        ],
        example: "qvault open -f family.qvault",
        note: "it serves this machine alone, and ends with the page; the vault's password is asked for in the page"
    ) { path, arguments in
        let port = try arguments.number(.port, in: 1...65535) ?? 0
        guard let program = ThisProgram.companion("qvault-window"), let mine = ThisProgram.path else {
            throw Failure(
                .failure, "open: takes the program qvault-window, which is not installed",
                hint: "it is installed beside qvault, or in libexec")
        }
        // The default vault's folder may not be there yet.
        if arguments.operands.isEmpty, !arguments.has(.vault) { try Machine.store.files.makeFolders(path.parent) }
        guard let vault = try String(validating: absolute(path).bytes, as: UTF8.self) else {
            throw Failure(
                .invalid, "\(path): the name is not UTF-8, and no page can show it",
                hint: "'qvault' alone takes such a name")
        }
        let browser = arguments.has(.noBrowser) ? nil : installedPath(of: "xdg-open")
        Messages.note("the window ends when its page is closed, or with Ctrl-C")
        try become([
            program, String(decoding: mine.bytes, as: UTF8.self), vault,
            "\(port)",
            Language.current.rawValue, arguments.has(.json) ? "json" : "text", browser ?? "-",
        ])
    }

    /// The path from the root: the vault need not be there yet.
    private static func absolute(_ path: BytePath) throws -> BytePath {
        if let found = try? Machine.store.files.resolve(path) { return found }
        return try Machine.store.files.resolve(path.parent).appending(path.lastComponent)
    }

    /// Runs another program in the place of this one.
    private static func become(_ words: [String]) throws -> Never {
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
        unsafe execv(words[0], &pointers)
        throw IOError("run", BytePath(words[0]), code: errno)
    }
}
