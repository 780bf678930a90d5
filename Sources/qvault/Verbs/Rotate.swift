import VaultCrypto
import VaultFormat
import VaultStore

extension Verb {
    static let rekeyRotate = Verb(
        name: "rekey rotate", summary: "a new master key, and everything encrypted anew", operands: "",
        operandCount: 0...0,
        options: [
            .vault,
            Option(
                "--proof", value: "FILE", help: "a file with another password or recovery key, to keep its key slot",
                repeats: true),
            Option(
                "--proof-keyfile", value: "FILE", help: "a keyfile that goes with one of these passwords", repeats: true
            ),
            Option("--drop", value: "N", help: "let this key slot go", repeats: true), .wait, .noProgress,
        ] + Option.use,
        example: (
            "qvault rekey rotate -f family.qvault --proof recovery.txt",
            "after this nobody reads what is saved from now on with an old copy and an old secret"
        )
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        return try withVault(path) {
            let proofs = try Proofs(arguments)
            let change = try KeyChange(path, arguments)
            let dropped = Set(
                try arguments.texts("--drop").map { try change.vault.keySlots.number(named: Array($0.utf8)) })
            let kept = try proofs.prove(change, dropped: dropped, path)
            let transaction = try change.begin()
            let progress = Progress("rewritten", total: transaction.before.byteCount, arguments)
            let (record, keys): (CommitRecord, Keys)
            do {
                defer { progress.finish() }
                (record, keys) = try transaction.rotate(progress: progress.update) { keys in
                    try kept.slots(keys, from: transaction)
                }
            }
            Session.witnesses?.remember(record, keys, accepts: arguments.has(.allowRollback))
            // Of another master key it counts for nothing here; where it stays it goes when its time is over.
            try? Keyring.drop(keys.vaultID)
            Messages.done(
                "\(path): a new master key; key slots kept: \(kept.count), dropped: \(dropped.count)", arguments)
            if !arguments.has(.quiet) {
                Messages.say(
                    "note: older copies of \(path) still open with the old secrets; what is saved from now on does not. Audit keys must be exported anew"
                )
            }
            return .done
        }
    }
}

/// Passwords and recovery keys that prove that a key slot can be kept through a rotation.
private struct Proofs {
    private var proofs: [(proof: Proof, file: Path)] = []
    private let isAnyCostAccepted: Bool

    init(_ arguments: Arguments) throws {
        isAnyCostAccepted = arguments.has("--accept-kdf-cost")
        let names =
            (arguments.bytes("--keyfile").map { [$0] } ?? [])
            + arguments.texts("--proof-keyfile").map { Array($0.utf8) }
        let keyfiles = try names.map { try keyfileDigest(Path($0)) }
        for file in arguments.texts("--proof") {
            let path = Path(file)
            try naming(path) {
                let text = try readSecret(fromFile: path)
                if RecoveryKey.isText(text) {
                    return proofs.append((Proof(Credential(recoveryKey: try RecoveryKey.parse(text))), path))
                }
                proofs.append((Proof(try Credential(password: text)), path))
                for keyfile in keyfiles {
                    proofs.append((Proof(try Credential(password: text, keyfileDigest: keyfile)), path))
                }
            }
        }
    }

    /// The slots that are kept, each with what opens it.
    struct Kept {
        fileprivate var proofs: [Int: Proof] = [:]
        var count: Int { proofs.count }

        /// The same slots around a new master key.
        func slots(_ keys: Keys, from transaction: Transaction) throws -> SlotArea {
            var world = Session.world
            var area = transaction.slots
            for (number, slot) in transaction.slots.slots {
                let label = slot.knownKind == nil ? nil : try transaction.before.label(of: slot)
                let request = KeySlot.Request(
                    iterations: slot.iterations, label: label?.text ?? "", created: label?.created)
                if let proof = proofs[number] {
                    area = try area.setting(number, for: proof.credential, request, keys: keys, &world)
                } else {
                    area = try area.setting(number, to: nil)
                }
            }
            return area
        }
    }

    /// Tries every proof on every slot that is not to be dropped.
    ///
    /// - Throws: `Failure` `.refused`, which names the slots without a proof.
    func prove(_ change: KeyChange, dropped: Set<Int>, _ path: Path) throws -> Kept {
        let key = change.key
        guard let opened = key.number, let first = key.proof else {
            throw Failure(.failure, "\(path): no key slot was opened")
        }
        guard !dropped.contains(opened) else {
            throw Failure(
                .refused, "\(path): key slot \(opened) is the one that opened the vault just now",
                hint: "open with another one to drop it")
        }
        var kept = Kept(proofs: [opened: first])
        var missing: [Phrase] = []
        var used: Set<Path> = []
        let open = change.vault.keySlots.slots.filter { $0.number != opened && !dropped.contains($0.number) }
        let tried = open.flatMap { item in
            proofs.filter { $0.proof.credential.kind == item.slot.knownKind }.map { _ in item.slot }
        }
        try SlotArea.checkCost(tried, acceptsAnyCost: isAnyCostAccepted)
        for (number, slot) in open {
            let proof = try proofs.first {
                try slot.open(with: $0.proof.credential, vaultID: change.vault.id) != nil
            }
            if let proof { used.insert(proof.file) }
            if let proof { kept.proofs[number] = proof.proof } else { missing.append("\(number) (\(slot.kindName))") }
        }
        if let useless = proofs.map(\.file).first(where: { !used.contains($0) }) {
            throw Failure(
                .wrongKey, "\(useless): opens no key slot that is to be proven",
                hint: "a slot that asks for a keyfile too needs --proof-keyfile")
        }
        guard missing.isEmpty else {
            throw Failure(
                .refused,
                "\(path): nothing proves that these key slots can be kept: \(missing.map(\.said).joined(separator: ", "))",
                hint:
                    "give their password or recovery key in a file, --proof FILE, a keyfile with --proof-keyfile; or let them go with --drop N"
            )
        }
        return kept
    }
}
