import VaultFormat
import VaultIO
import VaultStore

/// The audit keys of a command line: files, and folders of them.
struct AuditKeys {
    private let keys: [AuditKey]

    /// - Throws: `Failure` of a key that cannot be read, and of a folder without any.
    init(_ arguments: Arguments) throws {
        keys = try arguments.all(.auditKey).map(BytePath.init).flatMap(Self.files).map { file in
            try naming(file) { try AuditKey(parsing: readSecret(fromFile: file)) }
        }
    }

    /// A folder stands for the files in it.
    private static func files(_ path: BytePath) throws -> [BytePath] {
        guard let status = try? Machine.store.files.status(path), status.kind == .folder else { return [path] }
        let names = try Machine.store.files.openFolder(path).entries().filter { $0.kind != .folder }.map(\.name)
        guard !names.isEmpty else { throw Failure(.notFound, "\(path): no audit key in this folder") }
        return names.sorted { $0.lexicographicallyPrecedes($1) }.map(path.appending)
    }

    /// Uses the key of a vault.
    ///
    /// - Throws: `Failure` `.wrongKey` where none is of this vault and its master key; what `body` throws.
    func using<R>(for header: Header, _ path: BytePath, _ body: (AuditKey) throws -> R) throws -> R {
        let key = keys.first { (try? $0.check(header)) != nil }
        // Of one key its own reason is told.
        guard let key = key ?? (keys.count == 1 ? keys[0] : nil) else {
            throw refusal(path, "none of the audit keys is of this vault and its master key")
        }
        do { return try body(key) } catch let error as FormatError where error.code == .wrongKey {
            throw refusal(path, error.what)
        }
    }

    private func refusal(_ path: BytePath, _ what: Phrase) -> Failure {
        Failure(
            .wrongKey, "\(path): NOT verified: \(what)",
            hint: "was 'rekey rotate' run, then export the audit key anew; if not, take this for an alarm")
    }
}
