import Cards
import VaultCrypto
import VaultFormat
import Pictures
import VaultIO
import Watermark

extension Option {
    /// The options for the text and style of a mark.
    static let mark = [
        Option(
            .text, value: "TEXT",
            help: "what it says; \\n between lines; recipient, purpose, date, time or until in braces for its value"),
        Option(.template, value: "NAME", help: "bank, account, rental, job, visa, card, school or plain; else bank"),
        Option(.recipient, value: "NAME", help: "who gets the copy"),
        Option(.purpose, value: "TEXT", help: "what for"),
        Option(.angle, value: "DEGREES", help: "counter-clockwise, -90 to 90 (30)"),
        Option(
            .opacity, value: "PART",
            help: "how much ink covers the picture, 0.05 to 1 (0.16; 0.34 if strong, 0.14 if light, else 0.3)"),
        Option(.size, value: "PIXELS", help: "of a character, 8 to 1000, or auto: by the size of the picture"),
        Option(.gap, value: "EMS", help: "space between marks, 0.5 to 20 (1.5)"),
        Option(.ink, value: "COLOUR", help: "black, white, or auto: what stands out"),
        Option(.font, value: "FAMILY", help: "a font's family, or auto: any that has the characters"),
        Option(
            .clear, help: "calm rows of the text, and fine lines through letters: the page is still read (the default)"),
        Option(
            .strong, help: "rows of text and small text all over: harder to read, and to take off", oldName: "--dense"),
        Option(.light, help: "rows far apart, in little ink"),
        Option(.sparse, help: "marks apart from each other: the picture between them stays exact"),
        Option(.single, help: "one mark in the middle"),
        Option(
            .focus, value: "X,Y,W,H", help: "more ink in this part, in percent from the upper left; 0,0,0,0 for none"),
        Option(
            .traceAll, help: "the whole picture bears its copy's signal, to trace it without its mark (the default)"),
        Option(
            .noTrace,
            help: "only strokes bear the signal: all else stays exact, and a leak without its mark is not traced"),
        Option(.allowFaint, help: "make a copy whose mark is hard to see"),
    ]
    /// The limits for the size of a copy.
    static let copyLimits = [
        Option(
            .for, value: "wechat|email|SIZE",
            help:
                "small enough for where it goes: wechat, 1MB, pictures 1080 pixels wide; email, 5MB; or a size like 2MB"
        ),
        Option(.maxBytes, value: "SIZE", help: "no longer than this, like 2MB: coded anew if it must be"),
        Option(.width, value: "PIXELS", help: "no wider than this: made smaller first"), .dpi, .noSandbox,
    ]
    static let hide = Option(
        .hide, value: "PART",
        help:
            "make a part black before all else: X,Y,W,H in percent (2:X,Y,W,H of page 2), digits, digits:last4, digits:butlast4, or text:WORDS; may be repeated",
        repeats: true)
    static let hideOfCard = Option(
        .hide, value: "PART",
        help:
            "make a part black before all else: X,Y,W,H in percent (2:X,Y,W,H of page 2, or of the second picture of a --layout), digits, digits:last4, digits:butlast4, text:WORDS, or a field of the card, such as 公民身份号码; may be repeated",
        repeats: true)
    static let sign = Option(
        .sign, help: "below the copy, say for whom and what for, with a code that proves it: 'verify-copy' reads it")
    static let dpi = Option(.dpi, value: "DOTS", help: "dots per inch of PDF pages that are no scans, 100 to 400 (200)")
    /// For kernels without a sandbox.
    static let noSandbox = Option(
        .noSandbox, help: "read PDF, HEIC, WebP and TIFF also where the kernel has no sandbox for it")
    static let until = Option(
        .until, value: "DAY", help: "the day it is given for: 2026-12-31, or 30d from now; the mark says so")
    static let markPreview = Option(
        .preview,
        help: "draw the result in the terminal, and write and note nothing; with -o - it goes to standard output")
}

extension MarkProfile {
    /// Takes the options.
    ///
    /// - Parameter old: what they change; nil for what is marked with where nobody says otherwise.
    init(_ arguments: Arguments, changing old: MarkProfile? = nil) throws {
        self = old ?? MarkProfile(text: "")
        guard !arguments.has(.text) || !arguments.has(.template) else {
            throw Failure(.usage, "watermark: --text or --template, not both")
        }
        if let recipient = try arguments.filledText(.recipient) { self.recipient = recipient }
        if let purpose = try arguments.filledText(.purpose) { self.purpose = purpose }
        if let text = try arguments.validText(.text) {
            self.text = text.replacing("\\n", with: "\n")
        } else if old == nil || arguments.has(.template) {
            try use(template(arguments.text(.template)), arguments)
        }
        try style.change(arguments)
    }

    private func template(_ name: String?) throws -> MarkTemplate {
        guard let template = MarkTemplate.all.first(where: { [$0.name, $0.chineseName].contains(name ?? $0.name) })
        else {
            let names = MarkTemplate.all.map { Language.current == .chinese ? $0.chineseName : $0.name }
            throw Failure(.usage, "--template takes one of \(names.listed)")
        }
        return template
    }

    /// Takes a template's text and purpose: in Chinese if the person reads it, or if what it is filled with is.
    private mutating func use(_ template: MarkTemplate, _ arguments: Arguments) {
        let given = [template.purpose == nil || arguments.has(.purpose) ? purpose : nil, recipient]
        let values = given.compactMap(\.self).joined().unicodeScalars
        let isChinese = Language.current == .chinese || values.contains { $0.properties.isIdeographic }
        if let purpose = template.purpose, !arguments.has(.purpose) {
            self.purpose = isChinese ? purpose.chinese : purpose.english
        }
        text = template.text(isChinese: isChinese, hasEnd: arguments.has(.until))
    }

    /// The text of a copy that is made now.
    func textNow(_ arguments: Arguments) throws -> MarkText {
        let now = timeText(Machine.store.now(), local: true)
        let until = try arguments.lastDay
        do {
            return try markText(day: String(now.prefix(10)), time: String(now.suffix(5)), until: until)
        } catch let error as MarkError {
            throw Failure(.invalid, "no mark: \(error.reason)", hint: error.hint(nil))
        }
    }
}

extension Arguments {
    /// A text without blanks at its ends.
    ///
    /// - Throws: `Failure` where nothing else is given.
    fileprivate func filledText(_ name: OptionName) throws -> String? {
        guard let text = try validText(name)?.trimmed else { return nil }
        guard !text.isEmpty else { throw Failure(.usage, "\(name.word) is blank") }
        return text
    }

    /// The last day for which a copy is given, `YYYY-MM-DD`; nil where none is said.
    ///
    /// - Throws: `Failure` for what is no day to come.
    var lastDay: String? {
        get throws {
            guard let text = text(.until) else { return nil }
            let today = Machine.today
            guard let day = Self.day(text, from: today) else {
                throw Failure(
                    .usage, "'\(printable(text.utf8))' is no day: write 2026-12-31, or 30d for 30 days from now")
            }
            let distance = today.distance(to: day)
            guard distance >= 0 else { throw Failure(.usage, "'\(printable(text.utf8))' is past") }
            guard distance < 36_525 else {
                throw Failure(.usage, "'\(printable(text.utf8))' is more than a hundred years ahead")
            }
            return day.text
        }
    }

    /// A day, as cards take it too, or one that is so many whole days away.
    private static func day(_ text: String, from today: Day) -> Day? {
        guard let days = TimeSpan.days(text) else { return Day(text) ?? Check.storedDay(Check.date.normalized(text)) }
        return days > 0 ? today.advanced(by: days) : nil
    }
}

extension MarkStyle {
    fileprivate mutating func change(_ arguments: Arguments) throws {
        func number(_ name: OptionName, _ range: ClosedRange<Double>) throws -> Double? {
            guard let text = arguments.text(name) else { return nil }
            guard ExactDecimal(text) != nil, let value = Double(text), range.contains(value) else {
                let (low, high) = (MarkStyle.text(range.lowerBound), MarkStyle.text(range.upperBound))
                throw Failure(.usage, "\(name.word) takes a number from \(low) to \(high)")
            }
            return value
        }
        angle = try number(.angle, Self.angles) ?? angle
        opacity = try number(.opacity, Self.opacities) ?? opacity
        gap = try number(.gap, Self.gaps) ?? gap
        let auto = "auto"
        if let text = arguments.text(.size) { size = text == auto ? nil : try number(.size, Self.sizes) }
        if let text = try arguments.validText(.font) { family = text == auto ? nil : text }
        let layouts: [(OptionName, Layout)] = [
            (.clear, .clear), (.strong, .strong), (.light, .light), (.sparse, .sparse), (.single, .single),
        ]
        let given = layouts.filter { arguments.has($0.0) }
        guard given.count < 2 else {
            throw Failure(.usage, "watermark: one of --clear, --strong, --light, --sparse and --single")
        }
        layout = given.first?.1 ?? layout
        guard !arguments.has(.traceAll) || layout.hasRows && !arguments.has(.noTrace) else {
            throw Failure(
                .usage, "watermark: --trace-all goes with --clear, --strong or --light, and without --no-trace")
        }
        if arguments.has(.traceAll) || arguments.has(.noTrace) { isTracedAllOver = arguments.has(.traceAll) }
        if let text = arguments.text(.focus) {
            focus = MarkStyle.Focus(text)
            guard focus != nil || text == "0,0,0,0" else {
                throw Failure(
                    .usage, "--focus takes x, y, width and height in percent, within the picture: 60,10,35,60")
            }
        }
        guard focus == nil || layout.hasRows else {
            throw Failure(.usage, "watermark: --focus goes with --clear, --strong or --light")
        }
        guard let ink = arguments.text(.ink) else { return }
        guard ["black", "white", auto].contains(ink) else { throw Failure(.usage, "--ink takes black, white or auto") }
        isLight = ink == auto ? nil : ink == "white"
    }
}

extension DocumentDecoder {
    /// The one that is installed, as the options want it; nil where there is none.
    static func chosen(_ arguments: Arguments) -> DocumentDecoder? {
        .installed(isSandboxOptional: arguments.has(.noSandbox), check: checkInterrupts)
    }
}

extension MarkedCopy.Order {
    /// The copy that the options ask for.
    ///
    /// - Parameter hiding: what `--hide` means; nil where it names no field of a card.
    init(
        _ profile: MarkProfile, original: [UInt8], share: [UInt8], _ limits: MarkedCopy.Limits, _ arguments: Arguments,
        hiding: [Hiding]? = nil, isLook: Bool
    ) throws {
        self.init(try profile.textNow(arguments), profile.style, original: original, share: share, limits: limits)
        allowsFaint = arguments.has(.allowFaint)
        decoder = .chosen(arguments)
        dpi = try arguments.number(.dpi, in: DocumentDecoder.dpiRange) ?? dpi
        self.isLook = isLook
        self.hiding = try hiding ?? HiddenFields.hiding(arguments)
    }
}

extension MarkedCopy.Order {
    /// Has a strip signed below each picture.
    ///
    /// - Throws: `Failure` for what the strip does not hold.
    mutating func sign(_ profile: MarkProfile, _ arguments: Arguments, by seed: borrowing WatermarkSeed) throws {
        let (today, until) = (Machine.today.text, try arguments.lastDay)
        let lines: [Phrase?] = [
            profile.recipient.map { "For \($0)" }, profile.purpose.map { "Purpose: \($0)" },
            until.map { "Valid until \($0)" },
        ]
        let key = try seed.markKey()
        let words = FingerprintWords.text(Bytes32(try MarkKey.fingerprint(of: key.publicKey)))
        let said = lines.compactMap(\.self)
        let smallLines: [Phrase] = [
            "Made on \(today)", "Key \(words)", "Check: qvault verify-copy",
        ]
        do {
            signing = try SignedStrip.Order(
                recipient: profile.recipient, purpose: profile.purpose, day: today, until: until,
                lines: (said.isEmpty ? ["A marked copy"] : said).map(\.said), smallLines: smallLines.map(\.said))
        } catch let error as MarkError {
            throw Failure(.invalid, "no strip: \(error.reason)", hint: error.hint(nil))
        }
        allowsUnsigned = !arguments.has(.sign)
    }
}
