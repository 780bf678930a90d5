import Cards
import Pictures
import VaultFormat
import VaultIO
import VaultStore

/// The question for pictures and PDF of a new card, which are dropped on the terminal or typed.
struct AttachmentQuestion {
    /// The files of the answer.
    private(set) var files: [NewAttachment] = []
    /// The paths that were typed, also those that were refused.
    private var line = ""

    /// Asks until all can be read, and for what each shows.
    mutating func ask() throws { files = try FieldQuestion.untilValid { try askOnce() } }

    private mutating func askOnce() throws -> [NewAttachment] {
        line = try Terminal.ask(
            "pictures or PDF to attach (one path or several, dropped or typed; Enter for none): ", text: line, .paths)
        let limit = try Config.attachmentLimit()
        // All must be readable before anything is asked about one.
        let found = try TypedPaths.paths(line).map { path in
            do { return (path, try AttachmentArguments.attachment(path, limit: limit)) } catch let error as IOError {
                throw Failure(.invalid, "\(error.path): \(error.message)")
            }
        }
        var names = found.map { $0.1.name }
        try LineEditor.inTurn(Array(found.indices)) { place in
            names[place] = try FieldQuestion.untilValid {
                try Self.askSide(found[place].0, found[place].1.name, besides: names[..<place])
            }
        }
        return try zip(found, names).map { item, name in
            name == item.1.name ? item.1 : try AttachmentArguments.attachment(item.0, as: name, limit: limit)
        }
    }

    /// The name of a file by what it shows.
    private static func askSide(_ path: BytePath, _ own: [UInt8], besides others: ArraySlice<[UInt8]>) throws -> [UInt8]
    {
        let sides = [Phrase("front").said, Phrase("back").said]
        let side = try FieldQuestion.answer(
            "what does '\(printable(own))' show, like \(sides.listed) (Enter: its name): ",
            .words(sides))
        let name = try side.map { try AttachmentArguments.names([path], [Array($0.utf8)])[0] } ?? own
        guard !others.contains(name) else {
            throw Failure(.invalid, "another file is called '\(printable(name))' already")
        }
        return name
    }
}

extension [NewAttachment] {
    /// Their names, for a message.
    var shownNames: String { map { printable($0.name) }.listed }
}

extension VaultTransaction {
    /// Attaches files to a new card.
    func attach(_ files: [NewAttachment], to card: RecordID) throws {
        guard let entry = try entry(card) else { return }
        for file in files { _ = try attach(file, to: entry, among: []) }
    }
}
