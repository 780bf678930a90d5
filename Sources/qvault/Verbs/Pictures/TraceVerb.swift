import VaultFormat
import Pictures
import VaultIO
import VaultStore
import Watermark

extension Verb {
    static let trace = Verb.at(
        name: "trace", summary: "tell which copy that was given away a leaked picture is",
        operands: "LEAK [ATTACHMENT…]",
        options: [
            .vault, .json, .noSandbox,
            Option(
                .corners, value: "X,Y,…",
                help:
                    "where the original's corners are in the leak, in pixels, clockwise from the upper left: 8 numbers"),
        ] + Option.use,
        example: "qvault trace leak.jpg id-front.jpg",
        note:
            "a picture or PDF: smaller, cut, a screenshot, a photo; without a name it is compared with all that was shared"
    ) { path, arguments in
        let leak = try FilePicture(BytePath(arguments.operands[0]))
        let decoder = DocumentDecoder.chosen(arguments)
        let vault = try Session.open(path, arguments)
        var report = TraceReport()
        do {
            let file = try LeakedFile(leak)
            let corners = try corners(of: leak, arguments)
            let originals = try attachments(arguments, in: vault)
            // Among all originals a page is compared with its first one.
            let isNamed = arguments.operands.count > 1
            let views = corners == nil ? LeakTrace.View.allCases : [.asItIs]
            let total = originals.reduce(0) { $0 + $1.length }
            // A leak is looked at mirrored or inverted where no original is found in it for sure.
            for view in views where !report.isSettled {
                let outcomes = try Progress.showing("compared", total: total, arguments) { progress in
                    let counter = ProgressCounter(progress)
                    return try Parallel.map(originals.count) { place in
                        try checkInterrupts()
                        let entry = originals[place]
                        let outcome = try vault.trace(
                            file, of: entry, corners: corners, view: view, withPages: isNamed, decoder: decoder
                        ) {
                            guard view == .asItIs else { return }
                            let id = hexText($0.id.bytes).prefix(8)
                            Messages.say(
                                "warning: copy \(id) is left out: what is noted of it is malformed, or a picture of its page was purged"
                            )
                        }
                        counter.add(entry.length)
                        return outcome
                    }
                }
                for (entry, outcome) in zip(originals, outcomes) { report.add(outcome, entry) }
            }
        } catch let error as MarkError { throw error.failure(leak.path.description, leak) }
        try StandardOutput.list(report.ordered, arguments, json: TraceReport.json, text: TraceReport.text)
        return try report.end(leak.path, isOfAll: arguments.operands.count == 1)
    }

    /// The attachments that are named, or all of which copies were given away.
    private static func attachments(_ arguments: Arguments, in vault: Vault) throws -> [Entry] {
        let names = arguments.operands.dropFirst()
        let shared = try vault.sharedOriginals()
        guard names.isEmpty else { return try names.map { try original($0, among: shared, in: vault) } }
        guard !shared.isEmpty else {
            throw Failure(.notFound, "no copy was given away", hint: "'qvault share' makes and notes copies")
        }
        return shared
    }

    /// The attachment that a name means; of those that were shared also one in the trash: a share is evidence.
    private static func original(_ name: [UInt8], among shared: [Entry], in vault: Vault) throws -> Entry {
        do { return try AttachmentArguments.attachment(name, in: vault) } catch VaultError.noSuchRecord(let path) {
            let named = shared.filter { $0.overview.title == path.lastComponent }
            guard named.count == 1 else { throw VaultError.noSuchRecord(path) }
            return named[0]
        }
    }

    /// - Returns: places as parts of the width and height.
    private static func corners(of leak: FilePicture, _ arguments: Arguments) throws -> [(x: Double, y: Double)]? {
        guard let places = try arguments.corners() else { return nil }
        guard try !DocumentDecoder.decodes(MediaType(leak)) else {
            throw Failure(.usage, "--corners goes with a JPEG or PNG: make one of \(leak.path) first")
        }
        let (width, height) = try Watermark.size(of: leak)
        return (0..<4).map { (x: places[2 * $0] / Double(width), y: places[2 * $0 + 1] / Double(height)) }
    }
}

/// The results of all attachments.
private struct TraceReport {
    typealias Found = (match: ShareTrace.Match, residual: Double)

    private var matches: [Found] = []
    private var (compared, isOtherFont) = (0, false)
    /// The one that lies closest over its original, of those that cannot tell.
    private var crooked: (residual: Double, fit: Double)?

    /// True if an original was found, and lies so well in the leak that it can tell.
    var isSettled: Bool { compared > 0 || isOtherFont }

    mutating func add(_ outcome: ShareTrace.Outcome, _ entry: Entry) {
        switch outcome {
        case .matches(let found, let residual):
            compared += 1
            matches += found.map { ($0, residual) }
        case .notFound: break
        case .otherFont: isOtherFont = true
        case .cannotTell(let residual, let fit):
            if fit > crooked?.fit ?? -2 { crooked = (residual, fit) }
        }
    }

    var ordered: [Found] { matches.sorted { ($0.match.score ?? .infinity) > ($1.match.score ?? .infinity) } }

    static func text(_ one: Found) -> String {
        let what: Phrase =
            one.match.score == nil
            ? "the very file" : one.match.verdict == .found ? "this copy" : "points to this copy"
        let score: Phrase = one.match.score.map { "score \(number($0, 1))" } ?? "the same SHA-256"
        return ([what.said] + one.match.share.cells + [score.said]).joined(separator: "  ")
    }

    static func json(_ one: Found) -> JSON {
        let texts = one.match.share.texts
        return JSON(
            joining: one.match.share.head,
            [
                "recipient": texts["recipient"], "purpose": texts["purpose"], "verdict": one.match.verdict.rawValue,
                "score": one.match.score.map { rounded($0, 1) }, "residual": rounded(one.residual, 3),
            ])
    }

    /// - Parameter isOfAll: true if it was compared with all that was shared.
    func end(_ leak: BytePath, isOfAll: Bool) throws -> ExitCode {
        guard matches.isEmpty else { return .done }
        if isOtherFont {
            throw Failure(
                .invalid, "\(leak): cannot be told: the font draws otherwise than it did when copies were made",
                hint: "install the font that was used then")
        }
        if compared > 0, !isOfAll {
            throw Failure(
                .notFound, "\(leak): none of the copies of what was named",
                hint: "'qvault trace \(leak)' compares it with all that was shared")
        }
        if compared > 0 {
            throw Failure(
                .notFound, "\(leak): none of the copies that were given away",
                hint: "a copy without a signal of its own is told by its file only")
        }
        if let (residual, fit) = crooked {
            throw Failure(
                .invalid,
                "\(leak): cannot be told: it lies \(Self.number(residual, 2)) pixels beside the original, and fits by \(Self.number(fit, 2)) of 1",
                hint: "--corners says where the original's corners are")
        }
        throw Failure(
            .notFound, "\(leak): no original is found in it",
            hint: "name the attachment, and with --corners where its corners are")
    }

    private static func rounded(_ number: Double, _ places: Int) -> Double {
        let scale = places == 1 ? 10.0 : places == 2 ? 100 : 1000
        return (number * scale).rounded() / scale
    }

    private static func number(_ number: Double, _ places: Int) -> String { "\(rounded(number, places))" }
}
