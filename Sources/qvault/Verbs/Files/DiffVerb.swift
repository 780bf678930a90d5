import VaultFormat
import Cards
import VaultStore

extension Verb {
    static let diff = Verb.at(
        name: "diff", summary: "what differs between two vaults, or two states of one", operands: "[OTHER]",
        options: [
            .vault,
            Option(
                .at, value: "SAVE", help: "the state to start from; a second one: the state to compare", repeats: true),
            .json,
        ] + Option.password,
        example: "qvault diff -f documents.qvault --at 12 --at 15", note: "what saves 13 to 15 did, by name"
    ) { path, arguments in
        let moments = arguments.texts(.at)
        guard moments.count <= (arguments.operands.isEmpty ? 2 : 1), !moments.isEmpty || !arguments.operands.isEmpty
        else {
            throw Failure(
                .usage, "diff: name another vault, or give --at once or twice",
                hint: "qvault diff -f FILE --at 12 --at 15")
        }
        let vault = try Session.open(path, arguments, isSource: true)
        let states = try moments.map { try vault.snapshot(atSave: TimeArgument.sequence($0, in: vault)) }
        let other = try arguments.operands.first.map { try Session.openOther(BytePath($0), beside: vault, arguments) }
        let (before, after) = (states.first ?? vault, other ?? states.dropFirst().first ?? vault)
        let rows = try before.differences(to: after).map { ($0, try fields(of: $0, before, after)) }
        return try StandardOutput.list(rows, arguments, json: { json($0, $1) }, text: { text($0, $1) })
    }

    /// The fields of a card that differ.
    private static func fields(of difference: Difference, _ before: Vault, _ after: Vault) throws -> [String] {
        guard let old = difference.old, let new = difference.new, old.isCard, new.kind == old.kind else { return [] }
        return try after.card(new).keysThatDiffer(from: before.card(old))
    }

    private static func text(_ difference: Difference, _ fields: [String]) -> String {
        let sizes = [difference.old, difference.new].compactMap(\.self).map { entry in
            entry.kind == .folder ? "-" : sizeText(entry.length)
        }
        let size = sizes.first == sizes.last ? sizes[0] : sizes.joined(separator: " → ")
        return "\(padded(difference.kind.name.said, 10))  \(padded(size, 22, left: true))  "
            + "\(difference.oldPath.map { "\($0)  →  " } ?? "")\(difference.path)"
            + (fields.isEmpty ? "" : "  (\(fields.map { printable($0.utf8) }.listed))")
    }

    private static func json(_ difference: Difference, _ fields: [String]) -> JSON {
        JSON(
            joining: .path(difference.path),
            difference.oldPath.map { .path($0, key: "old_path") } ?? ["old_path": JSON.null],
            [
                "change": difference.kind.name, "id": (difference.new ?? difference.old)?.id,
                "old_size": difference.old?.length, "new_size": difference.new?.length, "fields": fields,
            ])
    }
}

extension Difference.Kind {
    fileprivate var name: Phrase {
        switch self {
        case .added: "added"
        case .removed: "removed"
        case .changed: "changed"
        case .relabelled: "relabelled"
        case .moved: "moved"
        }
    }
}
