import Cards
import VaultFormat
import VaultIO
import VaultStore

/// The verbs for cards, for apps.
extension Verb {
    static let appAdd = Verb(
        name: "app add", summary: "add an app to the wish list", operands: "NAME KEY=VALUE…", operandCount: 0...Int.max,
        options: [.vault, .group, .wait, .savesAsJSON] + Option.use,
        example: "qvault app add Bear developer='Shiny Frog' price=30 current_price=0 free_until='2026-12-01 18:00'",
        note: "'card kinds app' lists the fields; a time is that of this place"
    ) { try addCard("app", $0) }

    static let appEdit = cardEdit.named(
        "app edit", "change fields of an app; another price is kept with its day",
        example: "qvault app edit 'Photoshop Express' current_price=0", note: "'app show' lists the prices that it had")

    static let appRemove = cardRemove.named(
        "app rm", "take apps off the wish list, into the trash",
        example: "qvault app rm 'Photoshop Express'", note: "'qvault undelete' brings it back")

    static let appShow = Verb.reading(
        name: "app show", summary: "show an app: its fields, what one saves, how long it is free, the prices it had",
        operands: "NAME", options: [.json], example: "qvault app show 'Photoshop Express'",
        note: "'pin' makes it a favourite; 'attach add' keeps a picture of it"
    ) { vault, arguments in
        let entry = try CardArguments.card(arguments.operands[0], in: vault, kind: "app")
        let card = try vault.card(entry)
        let (app, prices, now) = (
            App(card.fields.texts, created: entry.created), try vault.prices(of: entry.id), Machine.now
        )
        guard !arguments.has(.json) else {
            let history = prices.map { price -> JSON in
                ["time": price.time, "price": price.price.description, "currency": price.currency]
            }
            return try StandardOutput.print(
                JSON(joining: card.json(entry, isRevealed: false, []), app.json(now), ["prices": history]))
        }
        return try StandardOutput.show(card.shown(isRevealed: false) + app.said(now) + AppPriceText.lines(prices))
    }

    static let appText = Verb.reading(
        name: "app text", summary: "a text about apps to send to somebody", operands: "NAME…", options: [.find],
        example: "qvault app text --find is:free", note: "name, prices, how long it is free, and its web site"
    ) { vault, arguments in
        let named = try arguments.operands.map { try CardArguments.card($0, in: vault, kind: "app") }
        let found = try QueryArguments.found(arguments, in: vault) { Schema.of($0.kind)?.name == "app" }
        let now = Machine.now
        var ids: Set<RecordID> = []
        let texts = try (named + found).filter { ids.insert($0.id).inserted }.map { entry in
            try vault.card(entry).textToSend(entry, now)
        }
        return try StandardOutput.print(texts.joined(separator: "\n"))
    }

    static let appImport = Verb.at(
        name: "app import", summary: "take in apps that another program lists: JSON, JSON lines, or a table (CSV)",
        operands: "FILE|-", options: [.vault, .dryRun, .json, .wait] + Option.use,
        example: "qvault app import apps.json",
        note: "the same list twice changes nothing; what it does not say stays"
    ) { path, arguments in
        let source = BytePath(arguments.operands[0])
        let isPiped = source.bytes == Array("-".utf8)
        let content = try ImportInput.content(source, isPiped: isPiped, limit: AppList.byteCount)
        let (text, isUTF8) = TextEncoding.utf8(content)
        if !isUTF8 { Messages.say("\(source): read as GB 18030") }
        let list: AppList
        do { list = try AppList(text) } catch let error as MalformedText {
            throw Failure(.invalid, "\(source): line \(error.line): \(error.what)", hint: "nothing was saved")
        }
        let transaction = try Session.begin(path, arguments, readsInput: isPiped)
        let work = try transaction.take(list, now: Machine.now)
        if !list.unknown.isEmpty {
            let names = list.unknown.prefix(20).map { printable($0.utf8) }.listed
            Messages.say("\(source): names that were left out: \(names)\(list.unknown.count > 20 ? ", …" : "")")
        }
        for problem in work.problems.prefix(50) { Messages.say("\(source): \(problem.place): \(problem.what)") }
        if work.problems.count > 50 { Messages.say("items that were refused: \(work.problems.count)") }
        if work.trashed > 0 { Messages.say("apps that lie in the trash, and stay there: \(work.trashed)") }
        let isDryRun = arguments.has(.dryRun)
        if !isDryRun, !transaction.isEmpty { try Session.commit(transaction) }
        let counts: Phrase =
            isDryRun
            ? "would add \(work.added), change \(work.changed), leave unchanged \(work.unchanged), refuse \(work.problems.count)"
            : "apps added: \(work.added), changed: \(work.changed), unchanged: \(work.unchanged), refused: \(work.problems.count)"
        if isDryRun, !arguments.has(.json), !Messages.isRead { Messages.say(counts) }
        try Messages.done(
            counts,
            arguments,
            json: [
                "added": work.added, "changed": work.changed, "unchanged": work.unchanged, "trashed": work.trashed,
                "prices": work.prices, "refused": work.problems.count,
            ])
        return work.problems.isEmpty ? .done : .inPart
    }
}

extension App {
    /// What one saves, its marks, and how long it is free yet; a line for each.
    fileprivate func said(_ now: Timestamp) -> String {
        var lines: [Phrase] = []
        if let saving = saving(at: now) { lines.append("saved now: \(saving.description)") }
        let marks = marks(at: now).map(\.label.said)
        if !marks.isEmpty { lines.append("marks: \(marks.listed)") }
        if isFree(at: now), let freeUntil {
            let left = freeUntil.seconds - now.seconds
            lines.append(
                left < 86_400
                    ? "free for another \(Self.clock(left))" : "free for another \(left / 86_400) days")
        }
        return lines.map { $0.said + "\n" }.joined()
    }

    /// `5:07:09`.
    private static func clock(_ seconds: Int64) -> String {
        let parts = [seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(seconds / 3600):" + parts.joined(separator: ":")
    }
}

/// The prices of an app, as `app show` lists them.
private enum AppPriceText {
    /// The last of them that are shown.
    private static let count = 20

    static func lines(_ prices: [AppPrice]) -> String {
        guard let least = prices.map(\.price).min(), let most = prices.map(\.price).max() else { return "" }
        let head: Phrase = "prices: \(prices.count), from \(least.description) to \(most.description)"
        let rows = prices.suffix(count).map { price in
            [timeText(price.time, local: true), price.price.description, printable(price.currency.utf8)]
        }
        return head.said + "\n" + inColumns(rows) { $0 == 1 }.map { "  \($0)\n" }.joined()
    }
}

extension Card {
    /// A text about an app for somebody else.
    fileprivate func textToSend(_ entry: Entry, _ now: Timestamp) -> String {
        let app = App(fields.texts, created: entry.created)
        func text(_ key: String) -> String? { fields.texts[key].map { printable($0.utf8) } }
        var lines = [printable(overview.title)]
        let about = [text("developer"), text("category"), text("rating").map { "★ \($0)" }].compactMap(\.self)
        if !about.isEmpty { lines.append(about.joined(separator: " · ")) }
        if !priceText.isEmpty { lines.append(priceText) }
        if let saving = app.saving(at: now) { lines.append(Phrase("saved now: \(saving.description)").said) }
        if app.isFree(at: now), let end = app.freeUntil {
            lines.append(Phrase("free until \(timeText(end, local: true))").said)
        }
        if app.has(.ended, at: now) { lines.append(App.Mark.ended.label.said) }
        if let url = text("url") { lines.append(url) }
        return lines.map { $0 + "\n" }.joined()
    }
}
