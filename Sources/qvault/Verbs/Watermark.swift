import VaultCrypto
import VaultFormat
import VaultRecords
import VaultStore
import Watermark

extension Option {
    /// What a mark says and how it looks.
    fileprivate static let mark = [
        Option(
            "--text", value: "TEXT", help: "what the mark says; lines with \\n between, {recipient} and {date} in it"),
        Option("--template", value: "NAME", help: "bank, rental or plain; else bank"),
        Option("--recipient", value: "NAME", help: "who gets the copy"),
        Option("--purpose", value: "TEXT", help: "what for"),
        Option("--angle", value: "DEGREES", help: "counter-clockwise, -90 to 90 (30)"),
        Option("--opacity", value: "PART", help: "how much ink covers the picture, 0.05 to 1 (0.3)"),
        Option("--size", value: "PIXELS", help: "of a character, 8 to 1000; else 1/22 of the short side"),
        Option("--gap", value: "EMS", help: "space between marks, 0.5 to 20 (1.5)"),
        Option("--ink", value: "COLOUR", help: "black or white; else what stands out"),
        Option("--font", value: "FAMILY", help: "a font's family; else any that has the characters"),
        Option("--single", help: "one mark in the middle"),
    ]
}

extension Verb {
    static let watermarkFile = Verb(
        name: "watermark file", summary: "mark a picture before it is shared; the original stays as it is",
        operands: "IN… -o OUT", operandCount: 1...Int.max,
        options: [
            Option("-o", "--output", value: "OUT", help: "the file to write; for several pictures a folder; or -"),
            Option("--force", help: "replace a file that is there"), .json,
        ] + Option.mark,
        example: (
            "qvault watermark file id-front.jpg --recipient 招商银行 --purpose 开户 -o marked.jpg",
            "JPEG and PNG; what no stroke touches stays as it is, GPS, thumbnails and names go"
        )
    ) { arguments in
        guard let output = arguments.bytes("--output") else {
            throw Failure(.usage, "watermark file: where to? give -o OUT")
        }
        let isPiped = output == Array("-".utf8)
        guard arguments.operands.count == 1 || !isPiped else {
            throw Failure(.usage, "watermark file: several pictures need a folder, -o DIR")
        }
        guard !isPiped || !arguments.has(.json) else {
            throw Failure(.usage, "watermark file: the picture goes to standard output, without --json")
        }
        let (style, text) = (try MarkStyle(arguments), try MarkText(arguments))
        let seed = try SeedFile.seed()
        let files = Session.world.files
        let isFolder = (try? files.status(Path(output)))?.kind == .folder
        guard arguments.operands.count == 1 || isFolder else {
            throw Failure(.invalid, "\(Path(output)): is no folder, and there are several pictures")
        }
        var out = StandardOutput()
        for source in arguments.operands.map(Path.init) {
            let marked = try mark(source, text, style, seed)
            if isPiped {
                let bytes = marked.bytes
                try out.write(bytes.span)
                continue
            }
            let target = isFolder ? Path(output).appending(source.lastComponent) : Path(output)
            do {
                try files.write(marked.bytes, to: target, replacing: arguments.has("--force"))
            } catch VaultError.exists(let path) {
                throw Failure(.refused, "\(path): exists and would be overwritten", hint: "--force replaces it")
            }
            if arguments.has(.json) { try out.write(marked.json(source, target).line + "\n") }
            Messages.done(
                "marked \(source) as \(target) (\(marked.width) × \(marked.height), marks: \(marked.markCount))",
                arguments)
        }
        try out.flush()
        return .done
    }

    private static func mark(
        _ source: Path, _ text: MarkText, _ style: MarkStyle, _ seed: borrowing WatermarkSeed
    ) throws -> Watermark.Marked {
        let file = try Session.world.files.openFile(source, writing: false)
        let size = try file.status().size
        guard size <= UInt64(Watermark.byteCount) else {
            throw Failure(.invalid, "\(source): \(sizeText(size)) are more than the 64 MiB of a picture")
        }
        var picture = try file.bytes(at: 0, count: Int(size))
        defer { wipeBytes(&picture) }
        var random = SystemRandom()
        do {
            return try Watermark.mark(
                picture, text, style, seed: seed, original: Array(SHA256.hash(picture.span)[..<16]),
                share: random.bytes(16))
        } catch let error as MarkError {
            throw Failure(.invalid, "\(source): \(error.reason)", hint: error.hint(MediaType(sniffing: picture)))
        }
    }
}

extension MarkError {
    fileprivate func hint(_ type: MediaType?) -> Phrase? {
        switch self {
        case .notAnImage where type == .heic: "convert it to JPEG first, with heif-convert"
        case .notAnImage where type == .pdf:
            "a mark over a page can be taken off again: make pictures of it, with pdftoppm"
        case .noFont, .noGlyph:
            "install a font that has it: fonts-wqy-microhei for Chinese, fonts-hanazono for rare names"
        case .noValue: "--recipient, --purpose; or --text without it"
        case .textEmpty: "--text, or --template with --recipient"
        default: nil
        }
    }
}

extension MarkStyle {
    /// - Throws: `Failure` `.usage` for what is out of range.
    fileprivate init(_ arguments: Arguments) throws {
        self.init()
        func number(_ name: String, _ range: ClosedRange<Double>) throws -> Double? {
            guard let text = arguments.text(name) else { return nil }
            guard Decimal(text) != nil, let value = Double(text), range.contains(value) else {
                throw Failure(.usage, "\(name) takes a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return value
        }
        angle = try number("--angle", -90...90) ?? angle
        opacity = try number("--opacity", 0.05...1) ?? opacity
        size = try number("--size", 8...1000)
        gap = try number("--gap", 0.5...20) ?? gap
        family = arguments.text("--font")
        isSingle = arguments.has("--single")
        guard let ink = arguments.text("--ink") else { return }
        guard ["black", "white"].contains(ink) else { throw Failure(.usage, "--ink takes black or white") }
        isLight = ink == "white"
    }
}

extension MarkText {
    /// What the options ask for, in the person's language.
    fileprivate init(_ arguments: Arguments) throws {
        guard !arguments.has("--text") || !arguments.has("--template") else {
            throw Failure(.usage, "watermark: --text or --template, not both")
        }
        let name = arguments.text("--template") ?? "bank"
        guard let template = MarkText.templates.first(where: { $0.name == name }) else {
            let names = MarkText.templates.map(\.name).joined(separator: ", ")
            throw Failure(.usage, "--template takes one of \(names)")
        }
        let usual = Language.current == .chinese ? template.chinese : template.english
        let text = arguments.text("--text")?.replacing("\\n", with: "\n") ?? usual
        guard !text.unicodeScalars.contains("\u{FFFD}") else { throw Failure(.invalid, "--text: is not UTF-8") }
        let now = timeText(microseconds: Session.world.now(), local: true)
        var values = ["date": String(now.prefix(10)), "time": String(now.suffix(5))]
        values["recipient"] = arguments.text("--recipient")
        values["purpose"] = arguments.text("--purpose")
        do { try self.init(text, values: values) } catch let error as MarkError {
            throw Failure(.invalid, "no mark: \(error.reason)", hint: error.hint(nil))
        }
    }
}

extension Watermark.Marked {
    fileprivate func json(_ source: Path, _ target: Path) -> JSON {
        .object(
            JSON.path(source, key: "source") + JSON.path(target, key: "file") + [
                ("width", .integer(Int64(width))), ("height", .integer(Int64(height))),
                ("marks", .integer(Int64(markCount))), ("size", .integer(Int64(bytes.count))),
            ])
    }
}

/// The watermark seed of pictures outside a vault, made once on this machine (Spec/watermark.md, 3).
private enum SeedFile {
    static func seed() throws -> WatermarkSeed {
        guard let state = Session.stateFolder else {
            throw Failure(.failure, "there is no home to keep the watermark's seed in", hint: "set XDG_STATE_HOME")
        }
        let (files, path) = (Session.world.files, Path(state + "/watermark-seed"))
        if (try? files.status(Path(state))) == nil { try files.makeFolders(Path(state)) }
        if (try? files.status(path)) == nil {
            var random = SystemRandom()
            do { try files.write(random.bytes(WatermarkSeed.byteCount), to: path, replacing: false) } catch VaultError
                .exists
            {}  // somebody was quicker
        }
        let bytes = try files.openFile(path, writing: false).bytes(at: 0, count: WatermarkSeed.byteCount + 1)
        guard bytes.count == WatermarkSeed.byteCount else {
            throw Failure(.failure, "\(path): is no watermark seed", hint: "remove it, and a new one is made")
        }
        return WatermarkSeed(try Secret(copying: bytes.span))
    }
}

extension FileSystem {
    /// Writes a file for its owner, which gets its name when it is whole and on the disk.
    ///
    /// - Throws: `VaultError.exists` if the name is taken and `replacing` is false.
    func write(_ bytes: [UInt8], to target: Path, replacing: Bool) throws {
        let folder = try openFolder(target.parent)
        let isTaken = (try? folder.status(of: target.lastComponent)) != nil
        if isTaken, !replacing { throw VaultError.exists(target) }
        let file = try folder.makeFile(replacing: isTaken)
        try file.writeAll(bytes.span, at: 0)
        try file.sync()
        do { try file.publish(as: target.lastComponent, replacing: isTaken) } catch let error as IOError
            where error.isNameTaken
        { throw VaultError.exists(target) }
    }
}
