import Glibc
import VaultFormat
import VaultStore
import Pictures

extension Verb {
    static let compact = Verb.at(
        name: "compact", summary: "write the vault anew without old versions", operands: "[FILE]",
        options: [
            .vault,
            Option(
                .keepWithin, value: "TIME",
                help: "keep the saves of this long, e.g. 90d, 12h or 1y; else only the present", oldName: "--keep"),
            .dryRun, .wait, .noProgress, .json,
        ] + Option.use,
        example: "qvault compact -f documents.qvault --keep-within 90d",
        note: "gives the space of older versions back; the trash stays"
    ) { path, arguments in
        let age = try arguments.value(
            .keepWithin, or: "--keep-within takes a length of time like 90d, 12h, 4w or 1y", TimeSpan.seconds)
        let transaction = try Session.begin(path, arguments)
        let vault = transaction.before
        let oldest = try age.map { try vault.oldestSave(since: $0 * 1_000_000) } ?? vault.sequence
        func json(save: UInt64?, _ after: UInt64) -> JSON {
            JSON(
                joining: .path(path),
                ["save": save, "dry_run": save == nil, "size_before": vault.byteCount, "size": after])
        }
        guard !arguments.has(.dryRun) else {
            let after = min(
                try vault.rewrittenByteCount(keeping: oldest, isEvidence: vault.sharedVersions()), vault.byteCount)
            if arguments.has(.json) { return try StandardOutput.print(json(save: nil, after)) }
            Messages.say(
                "would write \(path) anew: \(sizeText(vault.byteCount)) before, about \(sizeText(after)) then")
            return .done
        }
        let (change, record) = try Compaction.rewrite(transaction, arguments, keeping: oldest)
        return try Messages.done(
            "compacted \(path), \(change)", arguments, json: json(save: record.core.sequence, record.core.end))
    }
}
