import Glibc
import VaultFormat
import VaultIO
import VaultStore

extension Verb {
    static let serve = Verb(
        name: "serve", summary: "answer the push or pull of another machine, over standard input and output",
        operands: "[FOLDER]",
        options: [
            Option(
                .auditKey, value: "FILE",
                help: "take only what is signed: with this key, or a folder of keys, which cannot read", repeats: true),
            .wait,
        ],
        example: "qvault serve /backups",
        note:
            "'push' runs it by ssh; as the command of a key in authorized_keys, with a folder, it lets that key reach vaults in there alone"
    ) { arguments in
        guard isatty(STDIN_FILENO) == 0 else {
            throw Failure(
                .usage, "serve: it speaks with another qvault, not with a person", hint: "qvault push HOST:PATH")
        }
        let wire = ReplicaWire(
            read: { try StandardInput.fill(&$0, within: TimeSpan.day / 24) },
            write: { try writeAll($0, to: STDOUT_FILENO, named: "standard output") })
        var path: BytePath?
        do {
            let (given, role) = try wire.accept()
            let file = try served(given, arguments.operands.first.map(BytePath.init))
            path = file
            switch role {
            case .sends:
                // Who may push may not be who may destroy: what is replaced as a whole stays beside it.
                _ = try wire.receive(
                    into: ReplicaTarget(file, in: Machine.store, timeout: arguments.wait()), keepingOld: true,
                    admit: { arrival in
                        guard arguments.has(.auditKey) else { return }
                        try AuditKeys(arguments).using(for: arrival.page.header, file) {
                            try arrival.authenticate(with: $0)
                        }
                    })
            case .receives:
                let source = try ReplicaSource(LockedVault(file, in: Machine.store))
                _ = try wire.send(source, judging: .init(mayCreate: true, follows: nil))
            }
            return .done
        } catch let error as ReplicaWire.RemoteFailure {
            // The other side says it to its person.
            return ExitCode(rawValue: Int32(error.code)) ?? .failure
        } catch {
            let failure = failure(for: error, vault: path)
            wire.fail(UInt8(clamping: failure.code.rawValue), failure.message.said, error as? ReplicaRefusal)
            return failure.code
        }
    }

    /// The path that a client may reach: in a folder, if one is given, and no symbolic link leads out of it.
    private static func served(_ path: BytePath, _ folder: BytePath?) throws -> BytePath {
        guard let folder else { return path }
        let files = Machine.store.files
        let top = try files.resolve(folder)
        let wanted = top.appending(path.bytes)
        let isInside =
            path.bytes.first != UInt8(ascii: "/")
            && !path.bytes.split(separator: UInt8(ascii: "/")).contains(Array("..".utf8)[...])
        let parent = isInside ? try files.resolve(wanted.parent) : nil
        guard let parent, (parent.bytes + [UInt8(ascii: "/")]).starts(with: top.bytes + [UInt8(ascii: "/")]) else {
            throw Failure(.refused, "\(path): not in the folder that is served")
        }
        let file = parent.appending(wanted.lastComponent)
        guard file.lastComponent.suffix(7) == Array(".qvault".utf8)[...] else {
            throw Failure(.refused, "\(path): only names that end in .qvault are served")
        }
        if try files.exists(file), try files.resolve(file) != file {
            throw Failure(.refused, "\(path): a symbolic link, which is not served")
        }
        return file
    }
}
