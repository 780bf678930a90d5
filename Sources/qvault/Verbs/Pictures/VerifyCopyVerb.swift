import Pictures
import VaultFormat
import Watermark

extension Verb {
    static let verifyCopy = Verb(
        name: "verify-copy", summary: "check the signed strip of a copy that somebody got; takes no vault",
        operands: "FILE",
        options: [
            .json, .noSandbox,
            Option(
                .expect, value: "FINGERPRINT",
                help: "of the key that has to have signed it: its words or digits, as 'info --mark-key' says them"),
        ],
        example: "qvault verify-copy front-bank.jpg",
        note: "the file itself, a screenshot, a photo or scan of a print; JPEG, PNG, PDF, HEIC, WebP, TIFF"
    ) { arguments in
        let expected = try arguments.expectedFingerprint(hint: "'qvault info --mark-key' shows a vault's")
        let file = try FilePicture(BytePath(arguments.operands[0]))
        let name = file.path.description
        guard let decoder = DocumentDecoder.chosen(arguments) else {
            throw MarkError.noDecoder.failure(name, file)
        }
        let found: CopyVerification
        do { found = try CopyVerification(file, decoder) } catch let error as MarkError {
            throw error.failure(name, file)
        }
        let report = StripReport(found, expected)
        try report.print(arguments)
        return try report.end(file.path, arguments)
    }
}

/// The strips of a copy, and what they prove.
private struct StripReport {
    private typealias Line = (page: Int?, strip: CopyVerification.Strip)

    /// The part of a file that picture and strip take, at least.
    private static let leastPart = 0.2

    private let found: CopyVerification
    /// The digits that the fingerprint of the key has to begin with; nil for any.
    private let expected: String?
    private let lines: [Line]

    init(_ found: CopyVerification, _ expected: String?) {
        (self.found, self.expected) = (found, expected)
        lines = found.pages.enumerated().flatMap { place, strips in
            strips.map { (found.isDocument ? place + 1 : nil, $0) }
        }
    }

    func print(_ arguments: Arguments) throws {
        for (place, line) in lines.enumerated() {
            if arguments.has(.json) {
                try StandardOutput.print(json(line))
            } else {
                try StandardOutput.show((place > 0 ? "\n" : "") + text(line))
            }
        }
    }

    /// The fingerprint of a public key.
    private func fingerprint(_ publicKey: [UInt8]) throws -> Bytes32 {
        Bytes32(try MarkKey.fingerprint(of: publicKey))
    }

    private func isExpected(_ signed: CopyStatement.Signed) throws -> Bool {
        try expected.map { hexText(try fingerprint(signed.publicKey).bytes).hasPrefix($0) } ?? true
    }

    private func text(_ line: Line) throws -> String {
        var rows: [(Phrase, String)] = []
        if let page = line.page { rows.append(("page", "\(page)")) }
        switch line.strip {
        case .broken(let problem): rows.append(("its signature", problem.reason.said))
        case .signed(let signed, let check):
            let facts = signed.statement
            rows.append(("its signature", ("is right" as Phrase).said))
            rows.append(("the picture", check.said.said))
            for area in check.changed {
                let (x, y, width, height) = (
                    Int(area.x), Int(area.y), Int(area.width.rounded(.up)), Int(area.height.rounded(.up))
                )
                rows.append(
                    ("  changed", ("from the left \(x) %, from the top \(y) %: \(width) × \(height) %" as Phrase).said))
            }
            rows += [("for whom", facts.recipient), ("what for", facts.purpose)].compactMap { label, text in
                text.map { (label, printable($0.utf8)) }
            }
            if let until = facts.until {
                rows.append(
                    ("valid until", until + (facts.isPast ? "  " + ("it is past" as Phrase).said : "")))
            }
            rows.append(("made on", facts.day))
            rows.append(("part of the file", "\(Int((check.part * 100).rounded())) %"))
            if let page = facts.page { rows.append(("as page", ("\(page.number) of \(page.count)" as Phrase).said)) }
            rows.append(("id of the copy", hexText(facts.share)))
            rows.append(("signed by", FingerprintWords.text(try fingerprint(signed.publicKey))))
        }
        let width = rows.map { columns($0.0.said) }.max() ?? 0
        return rows.map { padded($0.0.said, width + 2) + $0.1 + "\n" }.joined()
    }

    private func json(_ line: Line) throws -> JSON {
        let page: JSON = ["page": line.page]
        guard case .signed(let signed, let check) = line.strip else {
            guard case .broken(let problem) = line.strip else { return page }
            return JSON(joining: page, ["signature": problem.rawValue])
        }
        let facts = signed.statement
        let areas = check.changed.map { area -> JSON in
            [
                "x": rounded(area.x), "y": rounded(area.y), "width": rounded(area.width),
                "height": rounded(area.height),
            ]
        }
        let key = try fingerprint(signed.publicKey)
        return JSON(
            joining: page,
            [
                "signature": "right", "picture": check.outcome.rawValue, "changed": JSON.list(areas),
                "correlation": (check.correlation * 1000).rounded() / 1000, "largest": rounded(check.largest),
                "noise": (check.noise * 100).rounded() / 100, "part": (check.part * 100).rounded() / 100,
                "cell_width": check.cell.width, "cell_height": check.cell.height,
            ],
            [
                "recipient": facts.recipient, "purpose": facts.purpose, "until": facts.until, "day": facts.day,
                "past": facts.isPast,
                "copy_page": facts.page?.number, "copy_pages": facts.page?.count, "share": hexText(facts.share),
                "public_key": hexText(signed.publicKey),
                "fingerprint": key, "fingerprint_words": FingerprintWords.text(key), "expected": try isExpected(signed),
            ])
    }

    private func rounded(_ number: Double) -> Double { (number * 10).rounded() / 10 }

    /// The pages without a strip, from 1.
    private var bare: [Int] { found.pages.indices.filter { found.pages[$0].isEmpty }.map { $0 + 1 } }

    /// Makes sure that the strips of a copy belong together: one key, and each page of a document once, in its order.
    private func checkTogether(_ path: BytePath) throws {
        let signed = lines.compactMap { line -> CopyStatement.Signed? in
            guard case .signed(let signed, _) = line.strip else { return nil }
            return signed
        }
        guard Set(signed.map(\.publicKey)).count <= 1 else {
            throw Failure(.invalid, "\(path): its strips are signed by several keys")
        }
        if let past = signed.map(\.statement).first(where: \.isPast), let until = past.until {
            throw Failure(.invalid, "\(path): it was given until \(until), which is past")
        }
        guard found.isDocument else { return }
        for share in Set(signed.map(\.statement.share)) {
            let pages = signed.map(\.statement).filter { $0.share == share }.map { $0.page }
            let count = pages[0]?.count ?? 1
            guard pages.map({ $0?.number ?? 1 }) == Array(1...count), pages.allSatisfy({ $0?.count ?? 1 == count })
            else {
                throw Failure(
                    .invalid, "\(path): pages of copy \(hexText(share).prefix(8)) are missing, doubled or out of order")
            }
        }
    }

    func end(_ path: BytePath, _ arguments: Arguments) throws -> ExitCode {
        guard !lines.isEmpty else {
            throw Failure(
                .notFound, "\(path): has no signed strip: nothing proves who made it, or for whom",
                hint: "ask for a copy with its strip, as it was sent")
        }
        for line in lines {
            guard case .signed(let signed, let check) = line.strip else {
                guard case .broken(let problem) = line.strip else { continue }
                throw Failure(problem.exitCode, "\(path): \(problem.reason)")
            }
            guard try isExpected(signed) else {
                throw Failure(.older, "\(path): it is signed, and not by the expected key")
            }
            switch check.outcome {
            case .same:
                guard check.part >= Self.leastPart else {
                    throw Failure(
                        .invalid,
                        "\(path): picture and strip take \(Int((check.part * 100).rounded())) % of it, and what lies around is not signed",
                        hint: "look at picture and strip alone: cut off what lies around")
                }
            case .changed: throw Failure(.tampered, "\(path): the picture was changed after it was signed")
            case .other: throw Failure(.tampered, "\(path): the strip belongs to another picture")
            case .unknown:
                throw Failure(
                    .invalid, "\(path): cannot be told whether strip and picture belong together",
                    hint: "a sharper picture of all of it, strip and edges too")
            }
        }
        try checkTogether(path)
        guard bare.isEmpty else {
            throw Failure(
                .notFound,
                "\(path): pages without a signed strip: \(bare.map { "\($0)" }.listed)")
        }
        if expected == nil, !arguments.has(.json) {
            Messages.note(
                "anybody can sign with a key of his own: compare the key with what its owner told you, or say --expect")
        }
        return .done
    }
}

extension CopyStatement {
    /// True if the last day for which it was given is over.
    fileprivate var isPast: Bool { until.map { $0 < Machine.today.text } ?? false }
}

extension CopyCheck {
    /// The result for a person.
    fileprivate var said: Phrase {
        switch outcome {
        case .same:
            "as light as it was signed, in cells of \(cell.width) × \(cell.height) pixels; finer detail is not checked"
        case .changed: "changed after it was signed"
        case .other: "not the one that was signed"
        case .unknown: "cannot be told"
        }
    }
}

extension CopyStatement.Problem {
    fileprivate var reason: Phrase {
        switch self {
        case .malformed: "the strip's code is damaged, or no strip's"
        case .crowded: "there are more strips on one page than are looked at"
        case .newer: "the strip was made by a newer program"
        case .forged: "the signature is wrong: the strip was forged or changed"
        }
    }

    fileprivate var exitCode: ExitCode {
        switch self {
        case .malformed, .crowded: .invalid
        case .newer: .notAVault
        case .forged: .tampered
        }
    }
}
