import VaultCrypto
import VaultFormat
import VaultStore

extension Verb {
    static let keyRecovery = Verb.at(
        name: "key recovery", summary: "make a recovery key, to be printed and kept on paper",
        options: [
            .vault,
            Option(
                .output, also: "-o", value: "FILE",
                help: "write it to this file, with .html or .pdf as a page to print; else to standard output"),
            Option(.qr, help: "draw it as a QR code too"),
            Option(.qrOut, value: "FILE", help: "write the QR code as a picture, .png or .svg"), .label, .wait, .json,
        ] + Option.use,
        example: "qvault key recovery -f family.qvault --qr", note: "four lines of nine characters, each with a check"
    ) { path, arguments in
        guard arguments.has(.output) || !arguments.has(.json) else {
            throw Failure(.usage, "key recovery: --json needs -o FILE: the key itself is never printed as JSON")
        }
        guard !arguments.has(.qr) || !arguments.has(.json) else {
            throw Failure(.usage, "key recovery: --qr and --json both write to standard output; give one")
        }
        try checkFree([.output, .qrOut], arguments)
        if let picture = arguments.bytes(.qrOut) { try QRCode.check(BytePath(picture)) }
        let change = try KeyChange(path, arguments)
        let number = try change.vault.keySlots.free(path)
        var random = SystemRandom()
        let recovery = try RecoveryKey.random(&random)
        let code = try QRCode(RecoveryKey.text(of: recovery))
        let form = arguments.text(.output).flatMap(RecoveryPage.Form.init)
        let sheet = try sheet(of: recovery, code, path, change.vault, as: form)
        // The file is written before the vault opens with its secret; after an error nothing is left.
        try withdrawingOnFailure { written in
            if let picture = arguments.bytes(.qrOut).map(BytePath.init) {
                try code.write(to: picture)
                written.append(picture)
            }
            var out = StandardOutput()
            if arguments.has(.output) {
                let output = try arguments.output("key recovery", "FILE")
                try writePrivately(sheet, to: output)
                written.append(output)
            } else {
                try sheet.withSpan { try out.write($0) }
            }
            if arguments.has(.qr) { try out.write(raw: code.text) }
            try out.flush()
            try change.setSlot(
                number, for: Credential(recoveryKey: recovery.slice(0..<recovery.byteCount)),
                .init(label: arguments.text(.label) ?? RecoverySheet.label), saying: "added key slot \(number)")
        }
        if arguments.has(.output), !arguments.has(.json) {
            try Messages.done("wrote the recovery key to \(arguments.output("key recovery", "FILE"))")
        }
        return .done
    }

    /// The sheet as it is printed: a page, or plain text.
    private static func sheet(
        of key: borrowing Secret, _ code: QRCode, _ path: BytePath, _ vault: Vault, as form: RecoveryPage.Form?
    ) throws -> Secret {
        guard let form else { return try RecoverySheet.text(of: key, for: path, at: vault.record) }
        let copies = PushedCopies(of: vault.id).places.map { printable($0) }
        return try RecoveryPage(vault: path, record: vault.record, copies: copies).sheet(of: key, code, as: form)
    }

    static let keyAudit = Verb.at(
        name: "key audit", summary: "export the key that finds tampering and cannot read",
        options: [
            .vault, Option(.output, also: "-o", value: "FILE", help: "the file to make; only you can read it"), .json,
        ]
            + Option.use,
        example: "qvault key audit -f family.qvault -o family.audit",
        note: "for 'verify --audit-key' on a backup machine; a rotation makes it worthless"
    ) { path, arguments in
        let output = try arguments.output("key audit", "FILE")
        try checkFree([.output], arguments)
        let locked = try LockedVault(path, in: Machine.store)
        let key = try VaultSecret(path, arguments, asksAgain: true)
        let vault = try Session.pass(locked.open(master: key.unlock(locked)), path, arguments, isSource: false)
        try writePrivately(vault.auditKey.text(), to: output)
        return try Messages.done(
            "wrote the audit key of \(path) to \(output)", arguments, json: .path(output))
    }
}
