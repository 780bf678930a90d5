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
                help: "write it to this file, with .html as a page to print; else to standard output"),
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
        let isPage = [".html", ".htm"].contains { arguments.text(.output)?.lowercased().hasSuffix($0) ?? false }
        let copies = PushedCopies(of: change.vault.id).places.map { printable($0) }
        let sheet =
            try isPage
            ? RecoveryPage(vault: path, record: change.vault.record, copies: copies).html(of: recovery, code)
            : RecoverySheet.text(of: recovery, for: path, at: change.vault.record)
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
        return .done
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
