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
                help: "keep the saves of this long, e.g. 90d, 12h or 1y; else only the present"),
            Option(
                .keep, value: "N",
                help: "keep the newest N saves, or 7d,4w,12m: the newest of each of 7 days, 4 weeks, 12 months"),
            .dryRun, .yes, .wait, .noProgress, .json,
        ] + Option.use,
        example: "qvault compact -f documents.qvault --keep-within 90d",
        note: "gives the space of older versions back; the trash stays"
    ) { path, arguments in
        let age = try arguments.value(
            .keepWithin, or: "--keep-within takes a length of time like 90d, 12h, 4w or 1y", TimeSpan.seconds)
        let retention = try arguments.retention()
        guard age == nil || retention == nil else {
            throw Failure(.usage, "compact: either --keep or --keep-within")
        }
        let transaction = try Session.begin(path, arguments)
        let vault = transaction.before
        let kept =
            if let retention {
                try KeptSaves.by(retention, in: vault, day: LocalTime.day(of:))
            } else {
                try KeptSaves.since(
                    age.map { try vault.oldestSave(since: $0 * 1_000_000) } ?? vault.sequence, in: vault)
            }
        let (count, all) = kept.counts
        func json(save: UInt64?, _ after: UInt64) -> JSON {
            JSON(
                joining: .path(path),
                ["save": save, "dry_run": save == nil, "size_before": vault.fileByteCount, "size": after])
        }
        guard !arguments.has(.dryRun) else {
            let after = min(
                try vault.rewrittenByteCount(keeping: kept, isEvidence: vault.sharedVersions()), vault.fileByteCount)
            if arguments.has(.json) { return try StandardOutput.print(json(save: nil, after)) }
            Messages.say(
                "would write \(path) anew: \(sizeText(vault.fileByteCount)) before, about \(sizeText(after)) then; saves kept: \(count) of \(all)"
            )
            return .done
        }
        let mayGo =
            try retention == nil
            || arguments.mayDrop(
                all - count, of: all, asking: "forget \(all - count) of \(all) saves?",
                refusing: "more than half of the saves would go, \(all - count) of \(all), so none was forgotten",
                hint: "--yes forgets them; -n says what that frees")
        guard mayGo else { return .inPart }
        let (change, save, size) = try Compaction.rewrite(transaction, arguments, keeping: kept)
        return try Messages.done(
            "compacted \(path), \(change)", arguments, json: json(save: save, size))
    }
}
