import Pictures
import VaultFormat
import Watermark

extension MarkError {
    /// A hint for the person.
    func hint(_ type: MediaType?) -> Phrase? {
        switch self {
        case .notAnImage:
            "JPEG, PNG, PDF, HEIC, WebP and TIFF are marked: make one of it first, with ImageMagick's convert for example"
        case .encrypted: "take the password off first: qpdf --decrypt --password=PASSWORD IN OUT"
        case .tooManyPages: "take the pages that are wanted: qpdf IN --pages . 1-200 -- OUT"
        case .severalPictures: "make a PDF of it first: tiff2pdf -o OUT IN"
        case .animation: "take one of its pictures first, with webpmux -get frame"
        case .noProgram("tesseract"): "install tesseract-ocr and tesseract-ocr-chi-sim"
        case .noProgram: "install poppler-utils"
        case .noLanguage(let name): "install tesseract-ocr-\(name.replacing("_", with: "-"))"
        case .noDecoder: "it is installed beside qvault, or in libexec"
        case .noSandbox: "--no-sandbox reads it all the same: a file that attacks the program does then what it wants"
        case .tooSlow: "a smaller --dpi, or print the page into a new PDF first"
        case .nothingToHide: "hide it by its place: --hide X,Y,WIDTH,HEIGHT in percent; --preview shows the result"
        case .sloped:
            "'attach straighten' makes a card level; or hide it by its place: --hide X,Y,WIDTH,HEIGHT in percent"
        case .page(_, let error): error.hint(type)
        case .noGlyph(let scalar) where scalar.properties.isEmoji:
            "install a font that has it in one colour: fonts-symbola for emoji"
        case .noGlyph(let scalar) where !scalar.properties.isIdeographic:
            "install a font that has it: fonts-noto-core has those of most scripts"
        case .noFont, .noGlyph:
            "install a font that has it: fonts-wqy-microhei for Chinese, fonts-hanazono for rare names"
        case .noValue(let name) where !MarkText.variables.contains(name):
            "variables are recipient, purpose, date, time and until"
        case .noValue(let name): "--\(name); or --text without it"
        case .faint: "without --ink and --sparse, or with a larger --opacity; --allow-faint makes it all the same"
        case .tooMuchToSign: "a shorter --recipient or --purpose, or --no-sign"
        case .tooNarrowToSign: "without --sign; or make the picture larger first"
        case .tooLargeToSign: "without --sign; or make the picture smaller first"
        case .textTooLarge: "a smaller --size, or a shorter text"
        case .textEmpty: "--text, or --template with --recipient"
        default: nil
        }
    }

    /// The failure that it is for a picture.
    func failure(_ name: String, _ picture: any PictureSource) -> Failure {
        Failure(.invalid, "\(name): \(reason)", hint: hint((try? MediaType(picture)) ?? nil))
    }
}
