import VaultFormat
import VaultIO
import VaultStore

extension Verb {
    static let repair = Verb(
        name: "repair", summary: "make a damaged backup whole by its parity, without a key", operands: "FILE -o OUT",
        options: [Option(.output, also: "-o", value: "OUT", help: "the repaired file to make"), .noProgress, .json],
        example: "qvault repair damaged.qvault -o repaired.qvault",
        note: "of a backup that was made with --parity; the damaged file stays as it is"
    ) { arguments in
        let path = BytePath(arguments.operands[0])
        let target = try arguments.output("repair", "OUT")
        return try withVault(path) {
            let size = try Machine.store.files.status(path).size
            let repair = try Progress.showing("repaired", total: 2 * size, arguments) {
                try Repair(path, to: target, in: Machine.store, progress: $0)
            }
            let worst = repair.verification.map(\.worst) ?? .damaged
            for range in repair.lost {
                Messages.say(
                    "\(path): bytes \(range.lowerBound)-\(range.upperBound - 1): more is damaged than its parity repairs"
                )
            }
            if worst == .damaged || !repair.lost.isEmpty {
                Messages.hint("'qvault salvage' gets what can be read into a new vault; or restore a backup")
            }
            if arguments.has(.json) {
                try StandardOutput.print(json(repair, worst, target))
            } else {
                try StandardOutput.print(result(repair, worst, target).said + "\n")
            }
            return repair.lost.isEmpty ? worst?.exitCode ?? .done : .lost
        }
    }

    private static func result(_ repair: Repair, _ worst: FormatError.Code?, _ target: BytePath) -> Phrase {
        let repaired = sizeText(repair.repairedByteCount)
        guard let worst else {
            return "\(target): no damage (repaired: \(repaired); tampering is not looked for without a key)"
        }
        return "\(target): \(Phrase(stringLiteral: worst.rawValue)) (repaired: \(repaired))"
    }

    private static func json(_ repair: Repair, _ worst: FormatError.Code?, _ target: BytePath) -> JSON {
        let lost = repair.lost.map { range -> JSON in ["offset": range.lowerBound, "length": range.count] }
        return JSON(
            joining: .path(target),
            ["class": worst?.rawValue ?? "ok", "repaired_bytes": repair.repairedByteCount, "lost": lost])
    }
}
