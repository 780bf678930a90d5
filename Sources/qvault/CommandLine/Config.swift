import Glibc
import VaultFormat
import Cards
import VaultIO
import VaultStore

/// The settings of a person for all vaults, readable while they are locked: `$XDG_CONFIG_HOME/quickvault/config`, lines
/// of
/// `key = value`, and `#` before what is not meant. Options and the environment go before it.
enum Config {
    /// The settings.
    enum Key: String, CaseIterable {
        case language, lockout, iterations, viewer, colours
        case sessionTimeout = "session-timeout"
        case sessionMax = "session-max"
        case passwordCommandTimeout = "password-command-timeout"
        case clipboardTime = "clipboard-time"
        case attachmentLimit = "attachment-limit"
        case dueBackup = "due-backup"
        case dueCheck = "due-check"
        case dueDrill = "due-drill"
        case notifyNames = "notify-names"
        case feedQuotes = "feed.quotes"
        case feedQuotes2 = "feed.quotes.2"
        case feedNetValues = "feed.nav"
        case feedNetValues2 = "feed.nav.2"
        case feedRates = "feed.rates"
        case feedRates2 = "feed.rates.2"
        case feedTimeout = "feed-timeout"
        case feedSandbox = "feed-sandbox"
        case feedPaths = "feed-paths"

        /// A length of time: its standard value and its range, in milliseconds; nil where it is none.
        fileprivate var time: (standard: UInt64, range: ClosedRange<UInt64>)? {
            switch self {
            case .lockout: (30_000, 30_000...600_000)
            case .sessionTimeout: (900_000, 1000...Keyring.longest)
            case .sessionMax: (43_200_000, 1000...Keyring.longest)
            case .passwordCommandTimeout: (120_000, 1000...3_600_000)
            case .feedTimeout: (20_000, 1000...600_000)
            case .clipboardTime: (45_000, 1000...3_600_000)
            case .dueBackup, .dueCheck: (30 * TimeArgument.day, TimeArgument.day...3650 * TimeArgument.day)
            case .dueDrill: (180 * TimeArgument.day, TimeArgument.day...3650 * TimeArgument.day)
            default: nil
            }
        }

        /// Name, values and standard value, as in `lockout = 30s…10m (30s)`.
        var usage: String { "\(rawValue) = \(values)" + (standard.map { " (\($0))" } ?? "") }

        private var values: String {
            if let (_, range) = time {
                return "\(TimeArgument.text(range.lowerBound))…\(TimeArgument.text(range.upperBound))"
            }
            return switch self {
            case .language: "zh|en"
            case .colours: "green-up|red-up"
            case .iterations: "N"
            case .attachmentLimit: "SIZE"
            case .notifyNames, .feedSandbox: "yes|no"
            case .feedPaths: "PATH:…"
            case .viewer: "PROGRAM"
            default: "COMMAND"
            }
        }

        /// The value without the file; nil where the meaning says it.
        fileprivate var standard: String? {
            if let (standard, _) = time { return TimeArgument.text(standard) }
            return switch self {
            case .iterations: "\(Limits.minimumIterations)"
            case .notifyNames: "no"
            case .feedSandbox: "yes"
            case .colours: "green-up"
            case .attachmentLimit: "\(Vault.attachmentByteCount >> 20)MiB"
            default: nil
            }
        }

        var meaning: Phrase {
            switch self {
            case .language: "the language; else as the locale says"
            case .colours: "the colours of rise and fall: green-up or red-up"
            case .lockout: "how long the command refuses a password after three wrong ones"
            case .iterations: "PBKDF2 iterations of new key slots"
            case .viewer: "the program that attach show opens pictures and PDFs with"
            case .sessionTimeout: "an unlocked vault is locked this long after its last use"
            case .sessionMax: "an unlocked vault is locked this long after it was unlocked"
            case .passwordCommandTimeout: "how long a password command may take"
            case .clipboardTime: "how long the clipboard keeps a card"
            case .attachmentLimit: "the largest attachment"
            case .dueBackup: "'due' asks for a backup when the last one is this old"
            case .dueCheck: "'due' asks for 'verify' when the last check is this old"
            case .dueDrill: "'due' asks for a trial restore when the last one is this old"
            case .feedQuotes: "the command that prints prices of securities for 'fund update'"
            case .feedNetValues: "the command that prints net values of funds"
            case .feedRates: "the command that prints rates of exchange"
            case .feedQuotes2, .feedNetValues2, .feedRates2: "the one that is asked when that fails"
            case .feedTimeout: "how long such a command may take"
            case .feedSandbox: "whether such a command is kept from files, keys and other processes"
            case .feedPaths: "files and folders that it may read besides those of the system and its own"
            case .notifyNames: "'due --notify' shows names, and not only how many"
            }
        }
    }

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

    /// - Throws: `Failure` `.usage`, which names the line; `IOError`.
    private static func values() throws -> [Key: (text: String, line: Phrase)] {
        guard let path, let file = try file(path) else { return [:] }
        var values: [Key: (String, Phrase)] = [:]
        for (index, line) in lines(try file.bytes(at: 0, count: byteCount)).enumerated() {
            let words = trimmed(Substring(decoding: line.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self))
            guard !words.isEmpty else { continue }
            let parts = words.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(trimmed)
            let place: Phrase = "\(path):\(index + 1)"
            guard parts.count == 2, let key = Key(rawValue: String(parts[0])) else {
                let names = Key.allCases.map(\.rawValue)
                let near = parts.first.flatMap { nearest(String($0), among: names) }
                throw Failure(
                    .usage, "\(place): not a setting",
                    hint: near.map { "did you mean \($0)?" }
                        ?? "KEY = VALUE, KEY one of \(names.joined(separator: ", "))")
            }
            values[key] = (String(parts[1]), place)
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
    ///
    /// - Throws: `Failure` `.usage`, which names the line; `IOError`.
    static func all() throws -> [(key: Key, value: String?, place: Phrase?)] {
        let values = try values()
        return Key.allCases.map { ($0, values[$0]?.text ?? $0.standard, values[$0]?.line) }
    }

    /// Changes a setting in the file, or takes it out; the other lines stay as they are, to the byte. So does a comment
    /// behind the value, and a symbolic link to the file.
    ///
    /// - Throws: `Failure` where the value is none for this setting; `IOError`.
    static func set(_ key: Key, to value: String?) throws {
        guard let path else { throw Failure(.failure, "no home: there is no place for settings") }
        if let value { try check(key, value) }
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

    /// - Throws: `Failure` `.usage` where a value is none for this setting.
    private static func check(_ key: Key, _ value: String) throws {
        let isValid =
            if let (_, range) = key.time {
                TimeArgument.milliseconds(value).map(range.contains) ?? false
            } else {
                switch key {
                case .language: ["zh", "en"].contains(value)
                case .iterations:
                    UInt32(value).map {
                        (Limits.minimumIterations...UInt32(Limits.iterationsWithoutConsent)).contains($0)
                    }
                        ?? false
                case .attachmentLimit: byteCount(value).map { 1...maximumByteCount ~= $0 } ?? false
                case .notifyNames, .feedSandbox: ["yes", "no"].contains(value)
                case .colours: ["green-up", "red-up"].contains(value)
                default: !value.isEmpty && !value.contains { $0.isNewline || $0 == "#" }
                }
            }
        guard isValid else {
            throw Failure(
                .usage, "\(key.rawValue): '\(printable(value.utf8))' is no value for it", hint: "\(key.usage)")
        }
    }

    /// A length of time in milliseconds.
    static func milliseconds(_ key: Key) throws -> UInt64 {
        guard let (standard, range) = key.time else { preconditionFailure("a setting that is no time") }
        guard let (text, line) = try values()[key] else { return standard }
        guard let value = TimeArgument.milliseconds(text), range.contains(value) else {
            throw Failure(
                .usage,
                "\(line): \(key.rawValue) takes a time from \(TimeArgument.text(range.lowerBound)) to \(TimeArgument.text(range.upperBound))"
            )
        }
        return value
    }

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

    /// Words as they stand there.
    static func text(_ key: Key) throws -> String? { try values()[key]?.text }

    /// A setting that is `yes` or `no`.
    static func flag(_ key: Key, standard: Bool = false) throws -> Bool {
        guard let (text, line) = try values()[key] else { return standard }
        guard ["yes", "no"].contains(text) else { throw Failure(.usage, "\(line): \(key.rawValue) takes yes or no") }
        return text == "yes"
    }

    /// True if what rises is red, as on Chinese screens; else it is green.
    static func isRedUp() throws -> Bool {
        guard let (text, line) = try values()[.colours] else { return false }
        guard ["green-up", "red-up"].contains(text) else {
            throw Failure(.usage, "\(line): colours takes green-up or red-up")
        }
        return text == "red-up"
    }

    /// The largest attachment in bytes: `500000`, `10MiB`.
    static func attachmentLimit() throws -> UInt64 {
        guard let (text, line) = try values()[.attachmentLimit] else { return UInt64(Vault.attachmentByteCount) }
        guard let count = byteCount(text), 1...maximumByteCount ~= count else {
            throw Failure(
                .usage,
                "\(line): \(Key.attachmentLimit.rawValue) takes a size up to \(sizeText(maximumByteCount)), like 20MiB")
        }
        return count
    }

    /// The number of bytes in a text such as `500000`, `2MB` or `10MiB`; nil if it is no such size.
    static func byteCount(_ text: String) -> UInt64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let units: [Substring: UInt64] = [
            "": 1, "kB": 1000, "KB": 1000, "MB": 1_000_000, "GB": 1_000_000_000, "KiB": 1 << 10, "MiB": 1 << 20,
            "GiB": 1 << 30,
        ]
        guard let number = UInt64(digits), let unit = units[trimmed(text[digits.endIndex...])] else { return nil }
        let (count, isTooLarge) = number.multipliedReportingOverflow(by: unit)
        return isTooLarge ? nil : count
    }

    /// A limit for data that is read whole into memory.
    private static let maximumByteCount = UInt64(Vault.maximumAttachmentByteCount)

    /// PBKDF2 iterations that a key slot should have.
    static func iterations() throws -> UInt32 {
        let range = Limits.minimumIterations...UInt32(Limits.iterationsWithoutConsent)
        guard let (text, line) = try values()[.iterations] else { return range.lowerBound }
        guard let value = UInt32(text), range.contains(value) else {
            throw Failure(.usage, "\(line): iterations takes a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }
}
