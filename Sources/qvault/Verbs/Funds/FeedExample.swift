import Portfolio
import VaultFormat
import VaultIO

/// A feed that is installed as an example (Spec/feeds): its second line names the setting that it is for.
struct FeedExample {
    let name: String
    let path: BytePath
    /// The settings that may name it, the one that is asked first before the other.
    private let keys: [Config.Key]

    /// The folder with the examples, of an installed program.
    private static var folder: BytePath? {
        ThisProgram.path.map { $0.parent.parent.appending(Array("share".utf8)) }.map {
            $0.appending(Array("quickvault".utf8)).appending(Array("feeds".utf8))
        }
    }

    private init?(_ name: [UInt8], in folder: BytePath) throws {
        path = folder.appending(name)
        guard try Machine.store.files.status(path).kind == .regular else { return nil }
        let file = try Machine.store.files.openFile(path, writing: false)
        let head = String(decoding: try file.bytes(at: 0, count: 200), as: UTF8.self)
        let lines = head.split(separator: "\n", omittingEmptySubsequences: false)
        let words = lines.count > 2 ? lines[1].split(separator: " ").map(String.init) : []
        guard words.count == 3, words[..<2] == ["#", "setting:"] else { return nil }
        let key = words[2]
        (self.name, keys) = (String(decoding: name, as: UTF8.self), [key, key + ".2"].compactMap(Config.Key.init))
        guard !keys.isEmpty else { return nil }
    }

    /// Those that are installed, by name.
    private static func installed() throws -> [FeedExample] {
        guard let folder else { return [] }
        let names: [[UInt8]]
        do { names = try Machine.store.files.openFolder(folder).entries().map(\.name) } catch let error as IOError {
            guard error.isMissing else { throw error }
            return []
        }
        return try names.sorted { $0.lexicographicallyPrecedes($1) }.compactMap { try FeedExample($0, in: folder) }
    }

    /// `fund feeds add [EXAMPLE]`: sets one up, or lists them.
    static func add(_ arguments: Arguments) throws -> ExitCode {
        let examples = try installed()
        guard !examples.isEmpty else {
            throw Failure(
                .notFound, "no examples of feeds are installed with this program",
                hint: "'make install' installs them; 'qvault settings set feed.nav COMMAND' sets any program")
        }
        guard arguments.operands.count == 2 else {
            return try StandardOutput.list(examples, arguments) { example in
                ["example": example.name, "setting": example.keys[0].rawValue, "program": example.path.description]
            } text: { example in
                "\(padded(example.name, 20))  \(padded(example.keys[0].rawValue, 12))  \(example.path)"
            }
        }
        let name = arguments.words[1]
        guard let example = examples.first(where: { $0.name == name }) else {
            throw Failure(
                .notFound, "no example of a feed is called '\(printable(name.utf8))'",
                hint: .meant(name, among: examples.map(\.name), else: "'qvault fund feeds add' lists them"))
        }
        return try example.set()
    }

    private func set() throws -> ExitCode {
        let command = shellWord(path.bytes)
        for key in keys {
            let old = try Config.text(key)
            if old == command { return Messages.done("\(key.rawValue) is that already") }
            guard old == nil else { continue }
            try Config.set(key, to: command)
            Messages.advise("its site learns the codes that are asked for, and is nothing of this product")
            return Messages.done("set \(key.rawValue) to \(command)")
        }
        let taken = keys.map(\.rawValue).listed
        throw Failure(
            .refused, "other feeds are set already: \(taken)",
            hint: "'qvault settings rm \(keys[0].rawValue)' makes room")
    }
}
