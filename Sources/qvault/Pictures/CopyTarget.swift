import Glibc
import VaultFormat
import Pictures
import VaultIO
import Watermark

/// The destination of marked copies.
enum CopyTarget {
    /// To be looked at: drawn in the terminal, or to standard output.
    case preview(isDrawn: Bool)
    case standardOutput
    case file(BytePath)
    /// One PDF of all copies; without a path it goes to standard output.
    case document(BytePath?)
    /// Into a folder, which is made if it is not there.
    case folder(BytePath)
    /// Into the current folder, beside the originals perhaps: `front-marked.jpg`.
    case besides

    static let options = [
        Option(
            .output, also: "-o", value: "OUT",
            help: "the file to write, a PDF of all if it ends with .pdf; or a folder, OUT/; or -"),
        Option(.force, help: "replace a file that is there"), .markPreview, .json,
    ]

    init(_ verb: String, _ arguments: Arguments, isNamed: Bool) throws {
        // Several pictures on a page make one copy.
        let count = arguments.has(.layout) ? 1 : arguments.operands.count
        let output = arguments.bytes(.output)
        if arguments.has(.preview) {
            guard output == nil || output == Array("-".utf8), !arguments.has(.json) else {
                throw Failure(.usage, "\(verb): --preview draws in the terminal, or goes to -o -, without --json")
            }
            self = .preview(isDrawn: output == nil)
            return
        }
        guard let output else {
            guard !isNamed else { throw Failure(.usage, "\(verb): where to? give -o OUT") }
            self = .besides
            return
        }
        guard output != Array("-".utf8) else {
            guard count == 1 else { throw Failure(.usage, "\(verb): several pictures need a folder, -o DIR") }
            guard !arguments.has(.json) else {
                throw Failure(.usage, "\(verb): the picture goes to standard output, without --json")
            }
            self = .standardOutput
            return
        }
        let isFolder = (try? Machine.store.files.status(BytePath(output)))?.kind == .folder
        let isNew = !isFolder && output.last == UInt8(ascii: "/")
        let isDocument = String(decoding: output.suffix(4), as: UTF8.self).lowercased() == ".pdf"
        self =
            isFolder || isNew
            ? .folder(BytePath(output)) : isDocument ? .document(BytePath(output)) : .file(BytePath(output))
        try require(pictures: count)
    }

    /// True if nothing is written.
    var isPreview: Bool { if case .preview = self { true } else { false } }

    /// Shows a preview.
    func show(_ content: [UInt8], _ name: [UInt8]) throws {
        guard case .preview(isDrawn: false) = self else { return try TerminalGraphics.draw(content, name) }
        var out = StandardOutput()
        try out.write(content.span)
        try out.flush()
    }

    /// Makes sure that so many copies have a place.
    ///
    /// - Parameter recipients: each of them gets so many pictures.
    func require(pictures: Int, recipients: Int = 1) throws {
        guard pictures * recipients > 1 else { return }
        switch self {
        case .document(let path) where recipients > 1:
            throw Failure(
                .usage, "\(path ?? BytePath("-")): one PDF is for one recipient",
                hint: "'-o FOLDER/' takes the copies of several")
        case .file(let path):
            throw Failure(
                .invalid, "\(path): is no folder, and there are several pictures",
                hint: recipients > 1
                    ? "'-o FOLDER/' takes the copies of several"
                    : "'\(path)/' makes a folder for them, '\(path).pdf' one PDF of all")
        case .standardOutput: throw Failure(.usage, "one picture at a time goes to standard output")
        case .preview, .folder, .besides, .document: return
        }
    }

    /// The file that a copy gets; nil where it gets none.
    ///
    /// - Parameters:
    ///   - name: of the original.
    ///   - suffix: for whom and of which day the copy is; nil keeps the name.
    ///   - isRecoded: whether the copy may be of another kind.
    ///   - taken: names of other copies: this one gets a number then.
    /// - Throws: `Failure` `.invalid` for a name that leads elsewhere.
    func path(of name: [UInt8], _ suffix: String?, _ type: MediaType?, isRecoded: Bool, taken: Set<BytePath>) throws
        -> BytePath?
    {
        switch self {
        case .preview, .standardOutput: return nil
        case .file(let path): return path
        case .document(let path): return path
        case .folder, .besides: break
        }
        guard TreeName.isValid(name) else {
            throw Failure(.invalid, "'\(printable(name))' is no name for a file", hint: "give one with -o FILE")
        }
        let dot = name.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > 0 ? $0 : nil } ?? name.count
        let (stem, ending) = (Array(name[..<dot]), Array(Self.ending(type).utf8))
        let end = isRecoded || dot == name.count ? ending : Array(name[dot...])
        var middle = Array((suffix.map { "-" + $0 } ?? "").utf8)
        var folder: BytePath?
        if case .folder(let path) = self { folder = path } else if suffix == nil { middle = Array("-marked".utf8) }
        var number = 1
        while true {
            let named = stem + middle + (number == 1 ? "" : "-\(number)").utf8 + end
            guard TreeName.isValid(named) else {
                throw Failure(.invalid, "'\(printable(named))' is no name for a file", hint: "give one with -o FILE")
            }
            let path = folder?.appending(named) ?? BytePath(named)
            if !taken.contains(path) { return path }
            number += 1
        }
    }

    /// The same for a page of its own, which is a PDF where it is named here.
    ///
    /// - Parameter name: without an ending, as the other parameters of `path`.
    func document(_ name: [UInt8], _ suffix: String?, _ taken: Set<BytePath>) throws -> CopyTarget {
        switch self {
        case .preview, .file, .document: return self
        case .standardOutput: return .document(nil)
        case .folder(let folder):
            if try !Machine.store.files.exists(folder) { try Machine.store.files.makeFolder(folder) }
        case .besides: break
        }
        return try path(of: name + ".pdf".utf8, suffix, .pdf, isRecoded: false, taken: taken).map { .document($0) }
            ?? self
    }

    /// The ending of a copy's name.
    static func ending(_ type: MediaType?) -> String {
        switch type {
        case .png: ".png"
        case .pdf: ".pdf"
        default: ".jpg"
        }
    }

    /// Does work that makes copies; where it fails, a folder that it made goes again.
    func undoingFolder<Result>(_ work: () throws -> Result) throws -> Result {
        guard case .folder(let path) = self, try !Machine.store.files.exists(path) else { return try work() }
        do { return try work() } catch {
            // Only an empty one goes.
            _ = unsafe (path.bytes + [0]).withUnsafeBytes {
                unsafe rmdir($0.baseAddress!.assumingMemoryBound(to: CChar.self))
            }
            throw error
        }
    }

    /// The path at which a copy is made.
    func makeSink() throws -> any PictureSink {
        let folder: BytePath
        switch self {
        case .preview, .standardOutput, .document(nil): return PictureInMemory()
        case .file(let path), .document(let path?): folder = path.parent
        case .folder(let path):
            if try !Machine.store.files.exists(path) { try Machine.store.files.makeFolder(path) }
            folder = path
        case .besides: folder = BytePath(".")
        }
        return try PendingFile(in: folder)
    }
}
