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
            let places = known.map { printable($0) }.listed
            throw Failure(
                .usage, "\(verb): where is the copy?",
                hint: places.isEmpty ? "qvault \(verb) /mnt/copy/v.qvault, or HOST:v.qvault" : "name one: \(places)")
        }
        return try CopyPlace(known[0], fileName: vault.lastComponent)
    }

    /// Refuses a place that is the vault itself.
    func check(isNot vault: BytePath) throws {
        guard other == nil, Machine.isOneFile(path, vault) else { return }
        throw Failure(.usage, "\(shown): the vault itself, and no copy of it")
    }

    /// Runs the work of a push or pull of the vault at a path, and says of refusals whom they are about.
    func explaining<R>(_ verb: String, _ path: BytePath, _ body: () throws -> R) throws -> R {
        do { return try body() } catch let refusal as ReplicaRefusal {
            let isPush = verb == "push"
            let (message, hint): (Phrase, Phrase) =
                switch refusal {
                case .otherVault:
                    (
                        "\(shown): a copy of another vault than \(path)",
                        isPush ? "choose another name for the copy" : "-f OTHER fetches it into another file"
                    )
                case .isBackup:
                    (
                        "\(isPush ? shown : path.description): a backup, which stays as it is",
                        "'qvault restore' makes a vault of a backup; copies of a vault go by other names"
                    )
                case .ahead(let save):
                    isPush
                        ? (
                            "\(shown): has saves that \(path) lacks, up to save \(save)",
                            "'qvault pull \(shown)' brings them here"
                        )
                        : (
                            "\(path): has saves that \(shown) lacks, up to save \(save)",
                            "'qvault push \(shown)' brings them there"
                        )
                case .forked where other == nil:
                    ("\(shown) and \(path) were saved apart", "'qvault merge \(shown)' joins the two; then push")
                case .forked:
                    (
                        "\(shown) and \(path) were saved apart",
                        "'qvault pull \(shown) -f OTHER' fetches it, 'qvault merge OTHER' joins the two; then push"
                    )
                case .missing: ("\(shown): no copy is there any more", "is the disk mounted? --create makes a new copy")
                }
            throw Failure(refusal.exitCode, message, hint: hint)
        }
    }

}
