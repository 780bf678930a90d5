import VaultFormat
import Cards

/// A card in the person's editor. The text is in memory that has a name for the editor and none on any disk.
enum Editor {
    /// Shows a card until what is written holds, or the person gives up.
    static func edit(
        _ path: BytePath, _ arguments: Arguments, key: VaultSecret
    ) throws -> (card: Card, old: Card, entry: Entry) {
        let vault = try Session.open(path, key, arguments)
        let entry = try CardArguments.card(arguments.operands[0], in: vault, kind: arguments.kind, changes: true)
        let old = try vault.card(entry)
        // Many who have not named an editor cannot leave the standard one.
        guard environment("VISUAL") ?? environment("EDITOR") != nil || !Terminal.isPresent else {
            var card = old
            try CardForm.change(&card)
            return (card, old, entry)
        }
        guard CardTextFormat.isWhole(old) else {
            throw Failure(
                .invalid, "'\(printable(old.overview.title))' has names that an editor's lines cannot show",
                hint: "qvault card edit NAME KEY=VALUE…")
        }
        var text = CardTextFormat.text(old)
        while true {
            let bytes = try edit(text)
            text = String(decoding: bytes, as: UTF8.self)
            var card = old
            let wrong = CardTextFormat.apply(text, to: &card)
            let isText = String(validating: bytes, as: UTF8.self) != nil
            if wrong.isEmpty, isText { return (card, old, entry) }
            for complaint in wrong { Messages.say(CardArguments.said(complaint)) }
            if !isText { Messages.say("the text is not UTF-8") }
            guard Terminal.isPresent, try Terminal.ask("edit it again? [Y/n] ").lowercased().first != "n" else {
                throw Failure(.invalid, "nothing was saved")
            }
        }
    }

    /// The text after editing.
    private static func edit(_ text: String) throws -> [UInt8] {
        let file = try MemoryFile("card")
        try file.write(Array(text.utf8).span)
        guard file.run(editor) else {
            throw Failure(.failure, "the editor failed: nothing was saved", hint: "$EDITOR names the editor")
        }
        return try file.bytes(limit: 1 << 24)
    }

    /// The person's editor, told to leave no copies: swap files, backups, lists of what was edited.
    private static var editor: String {
        let editor = environment("VISUAL") ?? environment("EDITOR") ?? "vi"
        let program = editor.split(separator: " ").first.flatMap { $0.split(separator: "/").last } ?? ""
        switch program {
        case "vi", "vim", "nvim", "view":
            // Before the person's own settings, and after them.
            let options = "'set nobackup nowritebackup noundofile noswapfile viminfo='"
            return "\(editor) -n -i NONE --cmd \(options) -c \(options)"
        case "emacs":
            return "\(editor) --eval '(setq make-backup-files nil auto-save-default nil create-lockfiles nil)'"
        default: return editor
        }
    }
}
