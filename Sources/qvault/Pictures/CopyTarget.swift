import VaultFormat
import VaultRecords
import VaultStore
import Watermark

/// The destination of marked copies.
enum CopyTarget {
    /// Drawn in the terminal.
    case preview
    case standardOutput
    case file(BytePath)
    /// Into a folder, which is made if it is not there.
    case folder(BytePath)
    /// Into the current folder, beside the originals perhaps: `front-marked.jpg`.
    case besides

    static let options = [
        Option(.output, also: "-o", value: "OUT", help: "the file to write; for several pictures a folder, OUT/; or -"),
        Option(.force, help: "replace a file that is there"), .markPreview, .json,
    ]

    /// - Throws: `Failure` `.usage`, `.invalid`.
    init(_ verb: String, _ arguments: Arguments, isNamed: Bool) throws {
        let count = arguments.operands.count
        let output = arguments.bytes(.output)
        if arguments.has(.preview) {
            guard output == nil, !arguments.has(.json) else {
                throw Failure(.usage, "\(verb): --preview draws in the terminal, without -o and --json")
            }
            self = .preview
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
        self = isFolder || isNew ? .folder(BytePath(output)) : .file(BytePath(output))
        try require(pictures: count)
    }

    /// Makes sure that so many copies have a place.
    ///
    /// - Throws: `Failure` `.invalid`.
    func require(pictures count: Int) throws {
        guard count > 1 else { return }
        switch self {
        case .file(let path):
            throw Failure(
                .invalid, "\(path): is no folder, and there are several pictures",
                hint: "'\(path)/' makes a folder for them")
        case .standardOutput: throw Failure(.usage, "one picture at a time goes to standard output")
        case .preview, .folder, .besides: return
        }
    }

    /// The file that a copy gets; nil where it gets none.
    ///
    /// - Parameters:
    ///   - name: of the original.
    ///   - suffix: for whom and of which day the copy is; nil keeps the name.
    ///   - isRecoded: whether the copy may be of another kind.
    /// - Throws: `Failure` `.invalid` for a name that leads elsewhere.
    func path(of name: [UInt8], _ suffix: String?, _ type: MediaType?, isRecoded: Bool) throws -> BytePath? {
        switch self {
        case .preview, .standardOutput: return nil
        case .file(let path): return path
        case .folder, .besides: break
        }
        guard TreeName.isValid(name) else {
            throw Failure(.invalid, "'\(printable(name))' is no name for a file", hint: "give one with -o FILE")
        }
        let dot = name.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > 0 ? $0 : nil } ?? name.count
        let (stem, ending) = (Array(name[..<dot]), Array((type == .png ? ".png" : ".jpg").utf8))
        let end = isRecoded || dot == name.count ? ending : Array(name[dot...])
        guard let suffix else {
            if case .folder(let folder) = self { return folder.appending(isRecoded ? stem + ending : name) }
            return BytePath(stem + "-marked".utf8 + end)
        }
        let named = stem + "-\(suffix)".utf8 + end
        guard TreeName.isValid(named) else {
            throw Failure(.invalid, "'\(printable(named))' is no name for a file", hint: "give one with -o FILE")
        }
        if case .folder(let folder) = self { return folder.appending(named) }
        return BytePath(named)
    }
}

extension CopyTarget {
    /// The path at which a copy is made.
    ///
    /// - Throws: `IOError`.
    func makeSink() throws -> any PictureSink {
        let folder: BytePath
        switch self {
        case .preview, .standardOutput: return PictureInMemory()
        case .file(let path): folder = path.parent
        case .folder(let path):
            if (try? Machine.store.files.status(path)) == nil { try Machine.store.files.makeFolder(path) }
            folder = path
        case .besides: folder = BytePath(".")
        }
        return try PendingFile(in: folder)
    }
}

/// A marked copy that is made and not out yet.
struct OutgoingCopy {
    let copy: MarkedCopy
    /// Its bytes.
    let picture: any PictureSink
    /// The name that it gets; nil where it goes to no file.
    let path: BytePath?

    /// Makes it.
    ///
    /// - Parameters:
    ///   - name: the original's.
    ///   - suffix: what its name gets behind it.
    /// - Throws: `MarkError`; `Failure`; `IOError`.
    init(
        of original: any PictureSource, _ order: MarkedCopy.Order, seed: borrowing WatermarkSeed, named name: [UInt8],
        suffix: String? = nil, for target: CopyTarget, _ arguments: Arguments
    ) throws {
        picture = try target.makeSink()
        copy = try MarkedCopy(of: original, order, seed: seed, into: picture)
        if let quality = copy.quality {
            let (width, height) = (copy.picture.width, copy.picture.height)
            Messages.advise(
                "coded anew at quality \(quality), \(width) × \(height): what no stroke touches has changed a little too",
                arguments)
        }
        let type = try MediaType(picture)
        path = try target.path(of: name, suffix, type, isRecoded: copy.quality != nil)
        if let path { try Self.check(path, type) }
        guard let path, let file = picture as? PendingFile else { return }
        do { try file.finish(as: path, replacing: arguments.has(.force)) } catch VaultError.exists(let path) {
            throw Failure(.refused, "\(path): exists and would be overwritten", hint: "--force replaces it")
        }
    }

    /// Makes sure that a name does not say another kind of picture.
    ///
    /// - Throws: `Failure` `.invalid`.
    private static func check(_ path: BytePath, _ type: MediaType?) throws {
        let name = String(decoding: path.lastComponent, as: UTF8.self).lowercased()
        let endings: [(String, MediaType?)] = [
            (".jpg", .jpeg), (".jpeg", .jpeg), (".png", .png), (".pdf", .pdf), (".heic", .heic), (".webp", nil),
            (".tif", nil), (".tiff", nil), (".gif", nil),
        ]
        guard let said = endings.first(where: { name.hasSuffix($0.0) }), said.1 != type else { return }
        throw Failure(
            .invalid, "\(path): the copy is a \(type == .png ? "PNG" : "JPEG")",
            hint: type == .png ? "a name that ends with .png" : "a name that ends with .jpg")
    }

    /// Gives it its name, if it has one.
    ///
    /// - Throws: `VaultError.exists` if somebody took it meanwhile; `IOError`.
    func publish() throws {
        if let path, let file = picture as? PendingFile { try file.publish(as: path) }
    }

    /// Its bytes, where it goes to no file.
    var bytes: [UInt8] { (picture as? PictureInMemory)?.bytes ?? [] }

    /// Members for `--json`.
    var members: [(String, JSON)] {
        [
            ("width", .integer(Int64(copy.picture.width))), ("height", .integer(Int64(copy.picture.height))),
            ("layout", .text(copy.picture.layout.rawValue)),
            ("untouched", copy.picture.untouched.map { .real($0) } ?? .null),
            ("faint", .real(copy.picture.faintShare)), ("size", .integer(Int64(copy.byteCount))),
            ("quality", copy.quality.map { .integer(Int64($0)) } ?? .null),
        ]
    }
}
