import VaultCrypto
import VaultFormat
import Pictures
import Watermark

extension Verb {
    static let watermarkTry = Verb(
        name: "watermark try", summary: "one page (HTML) with a picture marked in several ways, to choose from",
        operands: "IN",
        options: [
            Option(.output, also: "-o", value: "PAGE", help: "the page, which is not encrypted"),
            Option(.force, help: "replace PAGE"), .json,
        ] + Option.mark + [Option.dpi, .noSandbox],
        example: "qvault watermark try id-front.jpg --recipient 招商银行 --purpose 开户 -o try.html",
        note: "each picture has its options below it; the page needs no network, and nothing else is written"
    ) { arguments in
        guard let output = arguments.bytes(.output) else {
            throw Failure(.usage, "watermark try: where to? give -o PAGE")
        }
        guard output != Array("-".utf8) || !arguments.has(.json) else {
            throw Failure(.usage, "watermark try: --json needs -o FILE, not standard output")
        }
        let profile = try MarkProfile(arguments)
        let picture = try FilePicture(BytePath(arguments.operands[0]))
        do {
            let page = try TrialPage(of: picture, profile, arguments)
            try TextOutput.write(page.html, to: output, replacing: arguments.has(.force))
            return try Messages.done("wrote \(BytePath(output))", arguments, json: .path(BytePath(output)))
        } catch let error as MarkError { throw error.failure(picture.path.description, picture) }
    }
}

/// One picture, marked in several ways.
private struct TrialPage {
    private let name: String
    private var figures: [String] = []

    /// Pixels across of the pictures; marks are as large beside them as in a copy.
    private static let width = 1200

    init(of picture: FilePicture, _ profile: MarkProfile, _ arguments: Arguments) throws {
        name = picture.path.description
        // No copy that is given away: places and signals are nobody's.
        let seed = try WatermarkSeed.ofNobody()
        let nobody = [UInt8](repeating: 0, count: 16)
        for (options, style) in Self.styles(from: profile.style) {
            try checkInterrupts()
            let limits = MarkedCopy.Limits(width: Self.width)
            var styled = profile
            styled.style = style
            var order = try MarkedCopy.Order(styled, original: nobody, share: nobody, limits, arguments, isLook: true)
            order.allowsFaint = true
            let sink = PictureInMemory()
            let copy = try MarkedCopy(of: picture, order, seed: seed, into: sink)
            figures.append(Self.figure(options, copy, sink.bytes))
        }
    }

    /// The style that was asked for, and others that differ from it in one thing.
    private static func styles(from given: MarkStyle) -> [(options: String?, style: MarkStyle)] {
        func changed(_ change: (inout MarkStyle) -> Void) -> MarkStyle {
            var style = given
            change(&style)
            return style
        }
        let others: [(String?, MarkStyle)] = [
            ("--clear", changed { $0.layout = .clear }),
            ("--strong", changed { $0.layout = .strong }),
            ("--light", changed { $0.layout = .light }),
            ("--opacity 0.35", changed { $0.opacity = 0.35 }),
            ("--angle 0", changed { $0.angle = 0 }),
            ("--sparse", changed { ($0.layout, $0.focus) = (.sparse, nil) }),
            ("--single", changed { ($0.layout, $0.focus) = (.single, nil) }),
        ]
        return [(nil, given)] + others.filter { $0.1 != given }
    }

    private static func figure(_ options: String?, _ copy: MarkedCopy, _ bytes: [UInt8]) -> String {
        let type = MediaType(sniffing: bytes) == .png ? "image/png" : "image/jpeg"
        let data = String(decoding: Base64.encoded(bytes.span), as: UTF8.self)
        let title = options.map { "<code>\($0)</code>" } ?? Phrase("as asked for").said.htmlEscaped
        let share = copy.picture.untouched.map { untouched -> Phrase in
            "\(Int((100 * untouched).rounded())) of 100 pixels have no stroke"
        }
        let faint: Phrase? =
            copy.picture.faintShare < 0.005
            ? nil : "hard to see in \(Int((100 * copy.picture.faintShare).rounded())) of 100 places"
        let facts = [share, faint].compactMap { $0.map { $0.said.htmlEscaped } }.joined(separator: "; ")
        return
            "<figure><img src=\"data:\(type);base64,\(data)\" alt=\"\"><figcaption>\(title) \(facts)</figcaption></figure>"
    }

    var html: String {
        let title = name.htmlEscaped
        let note: Phrase =
            "These pictures are for looking at. 'qvault share' and 'qvault watermark file' make copies to give away."
        return [
            "<!DOCTYPE html>", "<html lang=\"\(Language.current.rawValue)\"><head><meta charset=\"utf-8\">",
            "<meta name=\"viewport\" content=\"width=device-width\"><title>\(title)</title>",
            "<style>body{font:14px/1.5 sans-serif;margin:1em}main{display:grid;gap:1em;grid-template-columns:repeat(auto-fit,minmax(24em,1fr))}",
            "figure{margin:0}img{width:100%;border:1px solid #ccc}code{font-weight:600}</style></head><body>",
            "<h1>\(title)</h1><p>\(note.said.htmlEscaped)</p><main>", figures.joined(separator: "\n"),
            "</main></body></html>",
        ].joined(separator: "\n") + "\n"
    }
}
