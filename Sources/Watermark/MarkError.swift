import CImage
public import VaultFormat

/// Why a picture is not marked.
public enum MarkError: Error, Equatable, Sendable {
    /// Neither JPEG nor PNG.
    case notAnImage
    /// A variant that is not handled.
    case unsupported
    /// Beyond a limit of Spec/product/watermark.md, 5, or documents.md, 3.
    case tooLarge
    /// Damaged or cut short, in the words of the library that reads it.
    case corrupt(String)
    /// A quantisation table with a zero.
    case badTable
    /// There is no memory.
    case noMemory
    /// No font is installed.
    case noFont
    /// No font has a character.
    case noGlyph(Unicode.Scalar)
    /// A character that cannot be drawn.
    case unprintable(Unicode.Scalar)
    /// No text.
    case textEmpty
    /// More characters than a mark holds.
    case textTooLong(Int)
    /// A variable of a template that nobody gave.
    case noValue(String)
    /// The picture is so small that no stroke stands on it.
    case tooSmall
    /// The mark would have more than 30,000 pixels a side.
    case textTooLarge
    /// Its strokes are hard to see in more than a tenth of the places where they stand, here in percent.
    case faint(Int)
    /// It cannot be made as short as that.
    case tooLong
    /// It has fewer pixels across than a signed strip takes, here.
    case tooNarrowToSign(Int)
    /// Once a signed strip stands below, it has more pixels than are marked.
    case tooLargeToSign
    /// The recipient and the purpose have more bytes than a signed strip holds, here.
    case tooMuchToSign(Int)
    /// The text or number that is to be hidden was not found in it.
    case nothingToHide(String)
    /// Lines of text that are not level, of which a part is to be hidden.
    case sloped
    /// Nothing but what is hidden would be left.
    case allHidden
    /// It has fewer pages than the one of which a part is to be hidden.
    case noPage(Int)
    /// A document that a password opens.
    case encrypted
    /// A document of so many pages, which are more than 200.
    case tooManyPages(Int)
    /// Pictures that are shown one after the other.
    case animation
    /// A TIFF of several pictures.
    case severalPictures
    /// A picture or page that takes longer than that.
    case tooSlow(seconds: Int)
    /// The program that reads such files is not installed.
    case noDecoder
    /// The program that draws or reads pages is not installed.
    case noProgram(String)
    /// tesseract has no data of this language.
    case noLanguage(String)
    /// The kernel has no sandbox for the program that reads such files.
    case noSandbox
    /// The program that reads such files did something else than it should.
    case decoderFailed(Phrase)
    /// Why a page of a document is not marked; from 1.
    indirect case page(Int, MarkError)

    /// True if it is about one picture, so that a document says of which page.
    package var isOfPage: Bool {
        switch self {
        case .unsupported, .tooLarge, .corrupt, .badTable, .tooSmall, .faint, .tooLong, .tooSlow, .textTooLarge,
            .allHidden, .tooNarrowToSign, .tooLargeToSign, .sloped:
            true
        default: false
        }
    }

    /// For people.
    public var reason: Phrase {
        switch self {
        case .notAnImage: "is no picture or document of a kind that is marked"
        case .unsupported: "is a kind of picture that is not handled"
        case .tooLarge:
            "is too large to be marked: \(Int(QV_IMAGE_FILE) >> 20) MiB, \(Int(QV_IMAGE_SIDE)) pixels a side, \(Int(QV_IMAGE_PIXELS) / 1_000_000) million in all (\(Int(QV_IMAGE_DRAWN) / 1_000_000) million in TIFF, WebP, HEIC and drawn pages), \(Int(QV_IMAGE_MEMORY) >> 20) MiB unpacked"
        case .corrupt(let message): "is damaged or cut short (\(message))"
        case .badTable: "has a damaged table"
        case .noMemory: "takes more memory than there is"
        case .noFont: "no font is installed"
        case .noGlyph(let scalar): "no font has \(name(scalar))"
        case .unprintable(let scalar): "\(name(scalar)) cannot be drawn"
        case .textEmpty: "the text is empty"
        case .textTooLong(let count): "the text has \(count) characters, and 200 fit"
        case .noValue(let name): "'\(name)' has no value"
        case .tooSmall: "is too small, or has the colour of the ink: no stroke would show"
        case .textTooLarge: "the mark would have more than 30,000 pixels a side"
        case .faint(let percent): "the mark would be hard to see in \(percent) of 100 places where it stands"
        case .tooLong: "cannot be made as short as that and still be read"
        case .tooNarrowToSign(let width): "has fewer than \(width) pixels across, which a signed strip takes"
        case .tooLargeToSign: "would be too large with a signed strip below it"
        case .tooMuchToSign(let count):
            "the recipient and the purpose have more than \(count) bytes, and no more are signed"
        case .nothingToHide(let text): "'\(text)', which is to be hidden, was not read in it"
        case .sloped: "its lines are not level, so that a part of what is to be hidden would stay"
        case .allHidden: "would be hidden as a whole"
        case .noPage(let number): "has no page or picture \(number), of which a part is to be hidden"
        case .encrypted: "takes a password to open"
        case .tooManyPages(let count): "has \(count) pages, and 200 are marked at most"
        case .animation: "is an animation"
        case .severalPictures: "has several pictures"
        case .tooSlow(let seconds): "takes more than \(seconds) seconds"
        case .noDecoder: "takes the program qvault-decode, which is not installed"
        case .noProgram(let name): "takes the program \(name), which is not installed"
        case .noLanguage(let name): "takes what tesseract knows of the language '\(name)', which is not installed"
        case .noSandbox: "takes a sandbox, and this kernel has no Landlock or no seccomp"
        case .decoderFailed(let what): "cannot be read: qvault-decode failed (\(what))"
        case .page(let number, let error): "page \(number): \(error.reason)"
        }
    }

    private func name(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
