import CSystem
import Glibc
import VaultFormat
import VaultIO
import VaultStore

/// A vault that must be there: a line of the list of `--expect-file`.
struct FleetExpectation {
    /// The name of its file, or a pattern; with a slash the end of its path.
    let name: String
    /// How old it may be, in milliseconds.
    let maxAge: UInt64?
    /// Its id in hexadecimal.
    let id: String?

    /// What is wrong with a vault that was expected.
    struct Fault {
        let name: String
        let problem: Problem
        /// The file that it is about.
        var path: BytePath?
        /// Of what is stale, in milliseconds.
        var age: UInt64?
        /// True if the age is that of the file, since without a key the time of its newest save is not known.
        var isOfFile = false

        /// As the JSON and the metrics call it.
        enum Problem: String {
            case missing, stale, renamed, other
        }

        var code: ExitCode { problem == .stale || problem == .other ? .older : .notFound }

        var message: Phrase {
            switch problem {
            case .missing: "\(name): expected, and not there"
            case .stale where isOfFile:
                "\(path.map(\.description) ?? name): the file is \(TimeSpan.text(Self.rounded(age ?? 0))) old"
            case .stale:
                "\(path.map(\.description) ?? name): its newest save is \(TimeSpan.text(Self.rounded(age ?? 0))) old"
            case .renamed: "\(name): expected, and there as \(path.map(\.description) ?? "")"
            case .other: "\(path.map(\.description) ?? name): another vault than the one expected"
            }
        }

        /// In whole days or hours, where it is two of them or more.
        private static func rounded(_ age: UInt64) -> UInt64 {
            let hour: UInt64 = 3_600_000
            let unit = age >= 2 * TimeSpan.day ? TimeSpan.day : age >= 2 * hour ? hour : 60_000
            return age / unit * unit
        }

        var json: JSON {
            JSON(
                joining: ["expected": name, "problem": problem.rawValue],
                path.map { .path($0, key: "file") } ?? [:], age.map { ["age_seconds": $0 / 1000] } ?? [:])
        }
    }

    /// Reads a list. `#` begins a comment; the age and the id are told by their form.
    ///
    /// - Throws: `Failure` `.invalid` of a line that says nothing that is understood.
    static func list(_ file: BytePath) throws -> [FleetExpectation] {
        let bytes = try Machine.store.files.openFile(file, writing: false).bytes(at: 0, count: 1 << 24)
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Failure(.invalid, "\(file): not UTF-8") }
        return try text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap {
            number, line in
            var words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }.map(String.init)
            guard let first = words.first, !first.hasPrefix("#") else { return nil }
            let isID: (String) -> Bool = { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) }
            let id = words.count > 1 && isID(words[words.count - 1]) ? words.removeLast().lowercased() : nil
            var age: UInt64?
            if words.count > 1, words[words.count - 1] == "-" {
                words.removeLast()
            } else if words.count > 1, let time = TimeSpan.milliseconds(words[words.count - 1]) {
                (age, _) = (time, words.removeLast())
            }
            guard words.count == 1 else {
                throw Failure(
                    .invalid, "\(file): line \(number + 1): '\(printable(line.utf8))' is not NAME [AGE [ID]]",
                    hint: "documents-*.qvault 26h; ? stands for a blank in a name")
            }
            return FleetExpectation(name: words[0], maxAge: age, id: id)
        }
    }

    private func fits(_ path: BytePath) -> Bool {
        let depth = name.count { $0 == "/" } + 1
        let parts = path.bytes.split(separator: UInt8(ascii: "/")).suffix(depth)
        let end = parts.joined(separator: [UInt8(ascii: "/")]).map { CChar(bitPattern: $0) } + [0]
        return unsafe name.withCString { pattern in
            unsafe end.withUnsafeBufferPointer { unsafe qv_fits(pattern, $0.baseAddress) == 1 }
        }
    }

    /// What is missing, too old, or elsewhere among the files that are there.
    static func faults(_ list: [FleetExpectation], _ outcomes: [VerifyOutcome]) -> [Fault] {
        list.compactMap { $0.fault(outcomes) }
    }

    private func fault(_ outcomes: [VerifyOutcome]) -> Fault? {
        let named = outcomes.filter { $0.file != nil && fits($0.path) }
        let mine = named.filter { id == nil || $0.vaultID.map { hexText($0.bytes) } == id }
        guard let newest = mine.max(by: { $0.newestTime < $1.newestTime }) else {
            let elsewhere = outcomes.first { id != nil && $0.vaultID.map { hexText($0.bytes) } == id }
            if let elsewhere { return Fault(name: name, problem: .renamed, path: elsewhere.path) }
            return Fault(name: name, problem: named.isEmpty ? .missing : .other, path: named.first?.path)
        }
        let now = Int64(Glibc.time(nil))
        let age = UInt64(max(0, now - newest.newestTime)) * 1000
        guard let maxAge, age > maxAge else { return nil }
        return Fault(
            name: name, problem: .stale, path: newest.path, age: age, isOfFile: newest.time == nil)
    }
}

extension VerifyOutcome {
    /// A file that is there, and is not checked this time.
    init(unchecked path: BytePath) {
        self.init(path: path, isKeyless: true)
        file = try? Machine.store.files.status(path)
        vaultID = try? LockedVault(path, in: Machine.store).header.vaultID
    }

    /// Seconds since 1970: when the newest save was made, or without a key when the file was written.
    var newestTime: Int64 { time.map { Int64($0.seconds) } ?? file?.modified.seconds ?? 0 }
}
