import Cards
import VaultFormat
import VaultIO
import VaultStore

/// A list of cards that narrows as a person types, with the chosen one beside it. Enter takes it; where several things can
/// be done with it, Tab leads to their letters.
struct CardPicker {
    /// Something that is done with a card.
    struct Action {
        let letter: Character
        let label: Phrase
        let verb: Verb
        var words: [String] = []
        /// Whether it can be done with a card and its attachments.
        let suits: @Sendable (Card, [Entry]) -> Bool
    }

    /// A card that was picked.
    struct Choice {
        let card: Entry
        /// Nil where Enter was pressed.
        let action: Action?
    }

    /// False of a terminal that is too small, or cannot draw anew.
    static func isPossible(_ arguments: Arguments) -> Bool {
        guard LiveScreen.isPossible(arguments) else { return false }
        let size = terminalSize()
        return size.width >= 20 && size.height >= 8
    }

    private let vault: Vault
    private let files: [RecordID: [Entry]]
    private let header: [String]
    private let actions: [Action]
    /// The action of Enter.
    private let usual: Phrase

    private var typed = ""
    private var found: [Entry]
    private var selected = 0
    /// The first card on the screen.
    private var top = 0
    /// True while letters mean actions.
    private var isActing = false
    private var preview: (id: RecordID, lines: [String])?

    /// - Parameters:
    ///   - header: lines above the list.
    ///   - usual: the action of Enter, in a word.
    init(
        _ vault: Vault, _ wanted: PickedCards = .all, header: [String] = [], usual: Phrase, _ actions: [Action] = []
    ) throws {
        let entries = try vault.entries { $0.isCard || $0.isAttachment }
        files = Dictionary(grouping: entries.filter { $0.isAttachment && $0.parent != nil }) { $0.parent ?? $0.id }
        (self.vault, self.header, self.usual, self.actions) = (vault, Array(header.prefix(3)), usual, actions)
        found = Vault.listed(entries.filter(\.isCard))
        found = found.filter { suits($0, wanted) }
    }

    private func suits(_ card: Entry, _ wanted: PickedCards) -> Bool {
        switch wanted {
        case .all: true
        case .withCodes: Schema.of(card.kind).map { $0["totp"] != nil || $0.takesOwnFields } ?? false
        case .withAttachments: files[card.id] != nil
        }
    }

    /// Shows the list until something is picked; nil where the person leaves it.
    mutating func run(on screen: LiveScreen) throws -> Choice? {
        let all = found
        while true {
            if !screen.isBehind { try draw(screen) }
            guard let key = try screen.key(within: 3600) else { continue }
            let chosen = found.indices.contains(selected) ? found[selected] : nil
            let page = max(1, rows(screen) - 1)
            switch key {
            case .gone: return nil
            case .escape:
                if !isActing, typed.isEmpty { return nil }
                if isActing { isActing = false } else { narrow("", all) }
            case .enter: if let chosen { return Choice(card: chosen, action: nil) }
            case .up: selected = max(0, selected - 1)
            case .down: selected = min(selected + 1, max(0, found.count - 1))
            case .pageUp: selected = max(0, selected - page)
            case .pageDown: selected = min(selected + page, max(0, found.count - 1))
            case .home: selected = 0
            case .end: selected = max(0, found.count - 1)
            case .tab: isActing = !isActing && !actions.isEmpty && chosen != nil
            case .backspace: narrow(String(typed.dropLast()), all)
            case .clear: narrow("", all)
            case .character(let letter) where isActing, .alt(let letter):
                if let chosen, let action = try possible(for: chosen).first(where: { $0.letter == letter }) {
                    return Choice(card: chosen, action: action)
                }
            case .character(let letter): narrow(typed + String(letter), all)
            case .left, .right, .stop: break
            }
        }
    }

    /// Characters that are looked for, at most.
    private static let typedCount = 100

    private mutating func narrow(_ text: String, _ all: [Entry]) {
        let text = String(text.prefix(Self.typedCount))
        (typed, selected, top, isActing) = (text, 0, 0, false)
        found = CardQuery(text)?.ranked(all) ?? all
    }

    /// The actions that a card has something for; none of one that cannot be read.
    private func possible(for entry: Entry) throws -> [Action] {
        do {
            let card = try vault.card(entry)
            return actions.filter { $0.suits(card, files[entry.id] ?? []) }
        } catch let error as FormatError where error.code == .damaged { return [] }
    }

    // MARK: The screen

    /// Rows of the list.
    private func rows(_ screen: LiveScreen) -> Int { max(1, screen.size.height - header.count - 2) }

    /// Columns from which on there is room for the chosen card beside the list.
    private static let wideWidth = 84

    private mutating func draw(_ screen: LiveScreen) throws {
        let (width, height) = (screen.size.width, rows(screen))
        top = max(min(top, selected), selected - height + 1)
        let listWidth = width >= Self.wideWidth ? width * 2 / 5 : width
        let side = width >= Self.wideWidth ? try sideLines() : []
        let listed =
            found.isEmpty ? [Phrase("no card answers").said] : found.indices.dropFirst(top).prefix(height).map(row)
        let body = (0..<height).map { place in
            let line = place < listed.count ? listed[place] : ""
            let isChosen = top + place == selected && !found.isEmpty
            let cell = padded(clipped(line, listWidth), listWidth)
            let shown = isChosen ? "\u{1B}[7m\(cell)\u{1B}[0m" : cell
            return shown + (place < side.count ? " │ " + clipped(side[place], width - listWidth - 3) : "")
        }
        let count = "\(found.count)"
        let question = clipped("> \(printable(typed.utf8))", max(1, width - count.count - 2))
        let gap = max(1, width - columns(question) - count.count)
        try screen.draw(
            header.map { clipped($0, width) } + [question + String(repeating: " ", count: gap) + count] + body
                + [clipped(keys(), width)], cursor: (header.count, columns(question)))
    }

    private func row(_ place: Int) -> String {
        let card = found[place]
        let tags = card.overview.tags.map { "  #\(printable($0.utf8))" }.joined()
        let mark = card.overview.isPinned ? "* " : "  "
        return "\(mark)\(printable(card.overview.title))  \(Schema.of(card.kind)?.label.said ?? "")\(tags)"
    }

    /// The chosen card, with what is secret hidden.
    private mutating func sideLines() throws -> [String] {
        guard found.indices.contains(selected) else { return [] }
        let entry = found[selected]
        if let preview, preview.id == entry.id { return preview.lines }
        var lines: [String]
        do {
            lines = try vault.card(entry).shown(isRevealed: false).split(separator: "\n").map(String.init)
        } catch let error as FormatError where error.code == .damaged { lines = ["\(error.what)"] }
        lines += (files[entry.id] ?? []).map { "+ \(printable($0.overview.title))" }
        preview = (entry.id, lines)
        return lines
    }

    /// The keys that mean something now.
    private func keys() throws -> String {
        guard isActing, found.indices.contains(selected) else {
            let more: [Phrase] = actions.isEmpty ? [] : ["Tab: more"]
            return ([("Enter: \(usual)" as Phrase)] + more + ["Esc: leave"]).map(\.said).joined(separator: "   ")
        }
        let letters = try possible(for: found[selected]).map { "\($0.letter) \($0.label.said)" }
        return (letters + [Phrase("Esc: back").said]).joined(separator: "   ")
    }
}
