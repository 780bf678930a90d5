import VaultFormat
import VaultRecords
import VaultStore
import Watermark

/// Where marked copies go.
enum CopyTarget {
    /// Drawn in the terminal.
    case preview
    case standardOutput
    case file(Path)
    /// Under the names of the originals.
    case folder(Path)
    /// Into the current folder, beside the originals perhaps: `front-marked.jpg`.
    case besides

    static let options = [
        Option("-o", "--output", value: "OUT", help: "the file to write; for several pictures a folder; or -"),
        Option("--force", help: "replace a file that is there"), .markPreview, .json,
    ]

    /// - Throws: `Failure` `.usage`, `.invalid`.
    init(_ verb: String, _ arguments: Arguments, isNamed: Bool) throws {
        let count = arguments.operands.count
        let output = arguments.bytes("--output")
        if arguments.has(.markPreview) {
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
        let isFolder = (try? Session.world.files.status(Path(output)))?.kind == .folder
        guard isFolder || output.last != UInt8(ascii: "/") else {
            throw Failure(.notFound, "\(Path(output)): no such folder")
        }
        guard count == 1 || isFolder else {
            throw Failure(.invalid, "\(Path(output)): is no folder, and there are several pictures")
        }
        self = isFolder ? .folder(Path(output)) : .file(Path(output))
    }

    /// The file that a copy gets; nil where it gets none.
    ///
    /// - Parameters:
    ///   - name: of the original.
    ///   - isRecoded: whether the copy may be of another kind.
    /// - Throws: `Failure` `.invalid` for a name that leads elsewhere.
    func path(of name: [UInt8], _ type: MediaType?, isRecoded: Bool) throws -> Path? {
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
        if case .folder(let folder) = self { return folder.appending(isRecoded ? stem + ending : name) }
        return Path(stem + "-marked".utf8 + (isRecoded || dot == name.count ? ending : Array(name[dot...])))
    }
}

extension MarkedCopy {
    /// Puts it into a file that has no name yet; nil where it goes to none.
    func prepare(
        for target: CopyTarget, _ name: [UInt8], _ arguments: Arguments
    ) throws -> (file: PendingFile, path: Path)? {
        let bytes = picture.bytes
        if let quality {
            Messages.advise(
                "coded anew at quality \(quality), \(picture.width) × \(picture.height): what no stroke touches has changed a little too",
                arguments)
        }
        let type = MediaType(sniffing: bytes)
        guard let path = try target.path(of: name, type, isRecoded: quality != nil) else { return nil }
        do {
            return (try PendingFile(bytes, at: path, replacing: arguments.has("--force")), path)
        } catch VaultError
            .exists(let path)
        { throw Failure(.refused, "\(path): exists and would be overwritten", hint: "--force replaces it") }
    }

    /// Draws it, or writes it to standard output, if it goes there.
    func deliver(to target: CopyTarget, _ name: [UInt8], _ out: inout StandardOutput) throws {
        let bytes = picture.bytes
        switch target {
        case .preview: try TerminalGraphics.draw(bytes, name)
        case .standardOutput: try out.write(bytes.span)
        case .file, .folder, .besides: break
        }
    }

    /// Members for `--json`.
    var members: [(String, JSON)] {
        [
            ("width", .integer(Int64(picture.width))), ("height", .integer(Int64(picture.height))),
            ("marks", .integer(Int64(picture.markCount))), ("size", .integer(Int64(picture.bytes.count))),
            ("quality", quality.map { .integer(Int64($0)) } ?? .null),
        ]
    }
}
