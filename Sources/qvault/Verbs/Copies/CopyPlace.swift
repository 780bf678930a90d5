import VaultFormat
import VaultIO
import VaultStore

/// Where the other side of a push or pull is: on this machine, or on one that ssh reaches.
struct CopyPlace {
    /// As a person gave it; a path of this machine is absolute.
    let name: [UInt8]
    let other: OtherMachine?
    /// Of this machine.
    let path: BytePath

    /// - Parameter fileName: the vault's, for a place that is a folder.
    init(_ given: [UInt8], fileName: [UInt8]) throws {
        if let other = OtherMachine(given, fileName: fileName) {
            (name, self.other, path) = (other.name, other, other.path)
            return
        }
        let isFolder = given.last == UInt8(ascii: "/")
        var path = BytePath(given)
        let files = Machine.store.files
        if try isFolder || files.exists(path) && files.status(path).kind == .folder { path = path.appending(fileName) }
        try Verb.requireFolder(path.parent)
        path = try files.resolve(path.parent).appending(path.lastComponent)
        (name, other, self.path) = (path.bytes, nil, path)
    }

    var shown: String { printable(name) }

    /// The place that is given, or the only one to which this machine pushed the vault.
    static func named(
        _ verb: String, _ operand: [UInt8]?, _ known: [[UInt8]], of vault: BytePath
    ) throws -> CopyPlace {
        if let operand { return try CopyPlace(operand, fileName: vault.lastComponent) }
        guard known.count == 1 else {
            let places = known.map { printable($0) }.joined(separator: ", ")
            throw Failure(
                .usage, "\(verb): where is the copy?",
                hint: places.isEmpty ? "qvault \(verb) /mnt/copy/v.qvault, or HOST:v.qvault" : "name one: \(places)")
        }
        return try CopyPlace(known[0], fileName: vault.lastComponent)
    }

    /// Runs the work of a push or pull of the vault at a path, and says of refusals whom they are about: the file that was to
    /// grow.
    func explaining<R>(_ verb: String, _ path: BytePath, _ body: () throws -> R) throws -> R {
        do { return try body() } catch let refusal as ReplicaRefusal {
            let hint: Phrase =
                switch refusal {
                case .otherVault: "choose another name for the copy"
                case .isBackup: "'qvault restore' makes a vault of a backup; copies of a vault go by other names"
                case .ahead:
                    verb == "push"
                        ? "'qvault pull \(shown)' brings them here" : "'qvault push \(shown)' brings them there"
                case .forked where other == nil: "'qvault merge \(shown)' joins the two; then push"
                case .forked:
                    "'qvault pull \(shown) -f OTHER' fetches it, 'qvault merge OTHER' joins the two; then push"
                case .missing: "is the disk mounted? --create makes a new copy"
                }
            let target = verb == "push" ? shown : path.description
            throw Failure(refusal.exitCode, "\(target): \(refusal.message)", hint: hint)
        }
    }
}

extension ReplicaRefusal {
    var exitCode: ExitCode {
        switch self {
        case .ahead, .forked: .older
        case .otherVault, .isBackup, .missing: .refused
        }
    }
}
