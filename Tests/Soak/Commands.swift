/// A command that writes a vault. A new one joins every technique by its line in `all`.
struct WritingCommand: Sendable {
    let name: String
    let arguments: [String]
    /// True if the vault is there before.
    var needsVault = true
    /// The damage done to the vault before, beside making it.
    var damage = Damage.none
    /// Commands that were run before; `cp` copies a file.
    var before: [[String]] = []
    /// True if it writes a backup, to which nobody saves.
    var makesCopy = false

    /// Traces of an interrupted writer, which the command mends first.
    enum Damage: Sendable {
        case none, tornPage, wholeCommitBehind, bytesBehind, endPage
    }

    static let all = [
        WritingCommand(name: "create", arguments: ["create", "v.qvault"], needsVault: false),
        WritingCommand(name: "pack", arguments: ["pack", "src", "-o", "v.qvault"], needsVault: false),
        WritingCommand(name: "put", arguments: ["put", "-f", "v.qvault", "b.txt"]),
        WritingCommand(name: "put over", arguments: ["put", "-f", "v.qvault", "changed/a.txt"]),
        WritingCommand(name: "put folder", arguments: ["put", "-f", "v.qvault", "src"]),
        WritingCommand(name: "put large", arguments: ["put", "-f", "v.qvault", "large"]),
        WritingCommand(name: "rm", arguments: ["rm", "-f", "v.qvault", "a.txt"]),
        WritingCommand(name: "mv", arguments: ["mv", "-f", "v.qvault", "a.txt", "papers/letter.txt"]),
        WritingCommand(
            name: "mv folder", arguments: ["mv", "-f", "v.qvault", "src", "papers"],
            before: [["put", "-f", "v.qvault", "src"]]),
        WritingCommand(
            name: "undelete", arguments: ["undelete", "-f", "v.qvault", "a.txt"],
            before: [["rm", "-f", "v.qvault", "a.txt"]]),
        WritingCommand(
            name: "purge", arguments: ["purge", "-f", "v.qvault", "a.txt"],
            before: [["put", "-f", "v.qvault", "b.txt"]]),
        WritingCommand(
            name: "compact", arguments: ["compact", "-f", "v.qvault"],
            before: [["put", "-f", "v.qvault", "src"], ["put", "-f", "v.qvault", "changed/a.txt"]]),
        WritingCommand(
            name: "merge", arguments: ["merge", "-f", "v.qvault", "w.qvault"],
            before: WritingCommand.ahead),
        WritingCommand(
            name: "restore", arguments: ["restore", "w.qvault", "-f", "v.qvault"],
            before: [["backup", "v.qvault", "-o", "w.qvault"], ["put", "-f", "v.qvault", "b.txt"]]),
        WritingCommand(
            name: "restore anew", arguments: ["restore", "w.qvault", "-f", "v.qvault"], needsVault: false,
            before: WritingCommand.another),
        WritingCommand(
            name: "restore after a rotation", arguments: ["restore", "w.qvault", "-f", "v.qvault"],
            before: [
                ["put", "-f", "v.qvault", "b.txt"], ["backup", "v.qvault", "-o", "w.qvault"],
                ["rekey", "rotate", "-f", "v.qvault"],
            ]),
        WritingCommand(
            name: "backup", arguments: ["backup", "w.qvault", "-o", "v.qvault"], needsVault: false,
            before: WritingCommand.another, makesCopy: true),
        WritingCommand(
            name: "backup of the present", arguments: ["backup", "w.qvault", "-o", "v.qvault", "--no-history"],
            needsVault: false, before: WritingCommand.another, makesCopy: true),
        WritingCommand(
            name: "push", arguments: ["push", "v.qvault", "-f", "w.qvault"],
            before: WritingCommand.ahead + [["put", "-f", "w.qvault", "src"]]),
        WritingCommand(
            name: "push anew", arguments: ["push", "v.qvault", "-f", "w.qvault"], needsVault: false,
            before: WritingCommand.another),
        WritingCommand(
            name: "push after a compaction", arguments: ["push", "v.qvault", "-f", "w.qvault"],
            before: WritingCommand.ahead + [["compact", "-f", "w.qvault"]]),
        WritingCommand(name: "pull", arguments: ["pull", "w.qvault", "-f", "v.qvault"], before: WritingCommand.ahead),
        WritingCommand(
            name: "salvage", arguments: ["salvage", "w.qvault", "-o", "v.qvault"], needsVault: false,
            before: WritingCommand.another),
        WritingCommand(
            name: "create with a recovery key", arguments: ["create", "v.qvault", "--recovery-key-out", "sheet"],
            needsVault: false),
        WritingCommand(
            name: "key add", arguments: ["key", "add", "-f", "v.qvault", "--new-password-file", "new"]),
        WritingCommand(
            name: "key remove", arguments: ["key", "remove", "2", "-f", "v.qvault"],
            before: [["key", "add", "-f", "v.qvault", "--new-password-file", "new"]]),
        WritingCommand(
            name: "key add recipient",
            arguments: ["key", "add", "-f", "v.qvault", "--recipient", CommandFixture.recipient]),
        WritingCommand(
            name: "rekey rotate with a recipient", arguments: ["rekey", "rotate", "-f", "v.qvault"],
            before: [["key", "add", "-f", "v.qvault", "--recipient", CommandFixture.recipient]]),
        WritingCommand(name: "key recovery", arguments: ["key", "recovery", "-f", "v.qvault", "-o", "sheet"]),
        WritingCommand(
            name: "rekey password", arguments: ["rekey", "password", "-f", "v.qvault", "--new-password-file", "new"]),
        WritingCommand(name: "rekey iterations", arguments: ["rekey", "iterations", "100001", "-f", "v.qvault"]),
        WritingCommand(
            name: "rekey rotate", arguments: ["rekey", "rotate", "-f", "v.qvault"],
            before: [["put", "-f", "v.qvault", "changed/a.txt"]]),
        WritingCommand(
            name: "card add", arguments: ["card", "add", "note", "--title", "n", "text=x", "-f", "v.qvault"]),
        WritingCommand(
            name: "card edit", arguments: ["card", "edit", "n", "text=y", "-f", "v.qvault"], before: WritingCommand.card
        ),
        WritingCommand(name: "tag", arguments: ["tag", "n", "t", "-f", "v.qvault"], before: WritingCommand.card),
        WritingCommand(
            name: "attach add", arguments: ["attach", "add", "n", "scan.pdf", "-f", "v.qvault"],
            before: WritingCommand.card),
        WritingCommand(
            name: "watermark set", arguments: ["watermark", "set", "plain.png", "--text", "a", "-f", "v.qvault"],
            before: WritingCommand.picture),
        WritingCommand(
            name: "share", arguments: ["share", "plain.png", "--text", "a", "-o", "sheet", "-f", "v.qvault"],
            before: WritingCommand.picture),
        WritingCommand(name: "config set", arguments: ["config", "set", "a.b", "30", "-f", "v.qvault"]),
        WritingCommand(name: "import", arguments: ["import", "cards.csv", "-f", "v.qvault"]),
        WritingCommand(name: "log export", arguments: ["log", "export", "-o", "v.qvault"], needsVault: false),
        WritingCommand(
            name: "put, torn page", arguments: ["put", "-f", "v.qvault", "b.txt"], damage: .tornPage),
        WritingCommand(
            name: "put, whole commit behind", arguments: ["put", "-f", "v.qvault", "b.txt"],
            damage: .wholeCommitBehind),
        WritingCommand(name: "put, bytes behind", arguments: ["put", "-f", "v.qvault", "b.txt"], damage: .bytesBehind),
        WritingCommand(name: "rm, page T", arguments: ["rm", "-f", "v.qvault", "a.txt"], damage: .endPage),
    ]
}

extension WritingCommand {
    fileprivate static let card = [["card", "add", "note", "--title", "n", "text=x", "-f", "v.qvault"]]

    /// A card with a picture.
    fileprivate static let picture = card + [["attach", "add", "n", "plain.png", "-f", "v.qvault"]]

    /// Makes a copy, and a save in it.
    fileprivate static let ahead = [
        ["cp", "v.qvault", "w.qvault"], ["put", "-f", "w.qvault", "b.txt", "changed/a.txt"],
    ]

    /// Makes another vault, from which the command makes one.
    fileprivate static let another = [
        ["create", "w.qvault"], ["put", "-f", "w.qvault", "a.txt"],
        ["put", "-f", "w.qvault", "b.txt", "changed/a.txt"],
    ]
}
