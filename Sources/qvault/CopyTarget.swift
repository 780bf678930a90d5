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
        guard count == 1 || isFolder else {
            throw Failure(.invalid, "\(Path(output)): is no folder, and there are several pictures")
        }
        self = isFolder ? .folder(Path(output)) : .file(Path(output))
    }

    /// The file that a copy gets; nil where it gets none.
    func path(of name: [UInt8], _ type: MediaType?) -> Path? {
        switch self {
        case .preview, .standardOutput: nil
        case .file(let path): path
        case .folder(let folder): folder.appending(name)
        case .besides: Path(Self.marked(name, type))
        }
    }

    private static func marked(_ name: [UInt8], _ type: MediaType?) -> [UInt8] {
        let dot = name.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > 0 ? $0 : nil } ?? name.count
        let ending = type == .png ? ".png" : ".jpg"
        return Array(name[..<dot]) + Array(("-marked" + ending).utf8)
    }
}

extension MarkedCopy {
    /// Writes it where it goes: to a file that has no name yet, the terminal, or standard output.
    func deliver(
        to target: CopyTarget, _ name: [UInt8], _ arguments: Arguments, _ out: inout StandardOutput
    ) throws -> (file: PendingFile, path: Path)? {
        let bytes = picture.bytes
        if let quality {
            Messages.advise(
                "coded anew at quality \(quality), \(picture.width) × \(picture.height): what no stroke touches has changed a little too",
                arguments)
        }
        switch target {
        case .preview: try TerminalGraphics.draw(bytes, name)
        case .standardOutput: try out.write(bytes.span)
        case .file, .folder, .besides:
            guard let path = target.path(of: name, MediaType(sniffing: bytes)) else { return nil }
            do {
                return (try PendingFile(bytes, at: path, replacing: arguments.has("--force")), path)
            } catch VaultError
                .exists(let path)
            { throw Failure(.refused, "\(path): exists and would be overwritten", hint: "--force replaces it") }
        }
        return nil
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
