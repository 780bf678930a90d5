import Glibc
import VaultFormat
import Cards
import VaultIO
import VaultStore

/// The settings of a person for all vaults, readable while they are locked: `$XDG_CONFIG_HOME/quickvault/config`, lines
/// of `key = value`, and `#` before what is not meant. Options and the environment go before it.
enum Config {
    typealias Key = ConfigKey

    private static var path: BytePath? {
        Machine.folder("XDG_CONFIG_HOME", else: ".config")?.appending(Array("config".utf8))
    }

    private static let byteCount = 1 << 16

    /// Nil where there is none; one that cannot be read is an error, lest what it asks for goes without a word.
    private static func file(_ path: BytePath) throws -> (any File)? {
        do { return try Machine.store.files.openFile(path, writing: false) } catch let error as IOError
            where error.isMissing
        { return nil }
    }

    private static func values() throws -> [String: (text: String, line: Phrase)] {
        guard let path, let file = try file(path) else { return [:] }
        var values: [String: (String, Phrase)] = [:]
        for (index, line) in lines(try file.bytes(at: 0, count: byteCount)).enumerated() {
            let words = trimmed(Substring(decoding: line.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self))
            guard !words.isEmpty else { continue }
            let parts = words.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(trimmed)
            let place: Phrase = "\(path):\(index + 1)"
            guard parts.count == 2, let key = Key(rawValue: String(parts[0])) else {
                let names = Key.allCases.map(\.rawValue)
                throw Failure(
                    .usage, "\(place): not a setting",
                    hint: .meant(
                        String(parts[0]), among: names, else: "KEY = VALUE, KEY one of \(names.joined(separator: ", "))"
                    ))
            }
            values[key.rawValue] = (String(parts[1]), place)
        }
        return values
    }

    /// The lines of the file, without what ends them: LF or CRLF.
    private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { $0.last == 0x0D ? $0.dropLast() : $0 }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0.isWhitespace }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    /// The settings as they are now: the value, and the place that gives it; nil for the standard value.
    static func all() throws -> [(key: Key, value: String?, place: Phrase?)] {
        let values = try values()
        return Key.allCases.map { key in
            let found = values[key.rawValue]
            return (key, found?.text ?? key.standard, found?.line)
        }
    }

    /// Changes a setting in the file, or takes it out; the other lines stay as they are, to the byte. So does a comment
    /// behind the value, and a symbolic link to the file.
    static func set(_ key: Key, to value: String?) throws {
        guard let path else { throw Failure(.failure, "no home: there is no place for settings") }
        if let value, !key.values.contains(value) {
            throw Failure(
                .usage, "\(key.rawValue): '\(printable(value.utf8))' is no value for it", hint: "\(key.usage)")
        }
        let target = (try? Machine.store.files.resolve(path)) ?? path
        let old = try file(target)?.bytes(at: 0, count: byteCount) ?? []
        try Machine.store.files.makeFolders(target.parent)
        let new = try Machine.store.files.openFolder(target.parent).makeFile(replacing: true)
        try new.writeAll(changed(old, key, to: value).span, at: 0)
        try new.sync()
        try new.publish(as: target.lastComponent, replacing: true)
    }

    /// The file with another value of a setting: in its last line, and in no other.
    private static func changed(_ old: [UInt8], _ key: Key, to value: String?) -> [UInt8] {
        var lines = old.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
        if lines.last == [] { lines.removeLast() }
        let hash = UInt8(ascii: "#")
        let places = lines.indices.filter { index in
            let words = String(decoding: lines[index].prefix { $0 != hash }, as: UTF8.self)
            return words.split(separator: "=", maxSplits: 1).first.map(trimmed) == Substring(key.rawValue)
        }
        if let value {
            let line = Array("\(key.rawValue) = \(value)".utf8)
            if let place = places.last {
                let (rest, isWindows) = (lines[place].drop { $0 != hash }, lines[place].last == 0x0D)
                lines[place] = line + (rest.isEmpty ? isWindows ? [0x0D] : [] : [0x20] + rest)
            } else {
                lines.append(line)
            }
        }
        for place in places.reversed() where value == nil || place != places.last { lines.remove(at: place) }
        return lines.flatMap { $0 + [0x0A] }
    }

    /// The value of a setting: that of the file, or the standard one.
    private static func value(_ key: Key) throws -> String {
        guard let (text, line) = try values()[key.rawValue] else { return key.standard ?? "" }
        guard key.values.contains(text) else { throw Failure(.usage, key.values.complaint(key.rawValue, line)) }
        return text
    }

    /// A length of time in milliseconds.
    static func milliseconds(_ key: Key) throws -> UInt64 { TimeSpan.milliseconds(try value(key)) ?? 0 }

    /// A setting that is `yes` or `no`.
    static func flag(_ key: Key) throws -> Bool { try value(key) == "yes" }

    /// True if what rises is red, as on Chinese screens; else it is green.
    static func isRedUp() throws -> Bool { try value(.colours) == "red-up" }

    /// The largest attachment in bytes.
    static func attachmentLimit() throws -> UInt64 { ByteSize.bytes(try value(.attachmentLimit)) ?? 0 }

    /// PBKDF2 iterations that a key slot should have.
    static func iterations() throws -> UInt32 { UInt32(try value(.iterations)) ?? Limits.minimumIterations }

    /// Words as they stand in the file.
    static func text(_ key: Key) throws -> String? { try values()[key.rawValue]?.text }

    /// A command that the file names; nil where it names none.
    ///
    /// - Throws: `Failure` `.usage` where others than the person can write the file: they could have any command run.
    static func command(_ key: Key) throws -> String? {
        guard let command = try text(key), let path else { return nil }
        let place = (try? Machine.store.files.resolve(path)) ?? path
        guard try [place, place.parent].allSatisfy(isWrittenByOwnerAlone) else {
            throw Failure(
                .usage, "\(place): others can write it, or its folder: no command of it is run",
                hint: "chmod go-w \(place) \(place.parent)")
        }
        return command
    }

    private static func isWrittenByOwnerAlone(_ path: BytePath) throws -> Bool {
        let access = try Machine.store.files.status(path).access
        return access.permissions & 0o022 == 0 && [0, UInt32(geteuid())].contains(access.owner)
    }
}
