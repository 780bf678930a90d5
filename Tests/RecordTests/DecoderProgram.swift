import Foundation
import Pictures

/// A program in the place of `qvault-decode`: it answers with what a test puts there for each call, and notes the calls to
/// draw pages. Documents that begin with `%PDF-NAME` and a line feed have answers of their own.
final class DecoderProgram {
    private let folder: URL
    var path: String { folder.appending(path: "program").path }
    var decoder: DocumentDecoder { DocumentDecoder(program: path) }

    init(_ pages: [UInt8] = []) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "pages-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try put("pages", pages)
        let script = """
            #!/bin/sh
            cd \(folder.path)
            [ "$2" = picture ] && exec cat .picture
            # Opened anew: each process reads from the beginning.
            IFS= read -r line < /dev/stdin
            name=${line#%PDF-}
            [ "$2" = pages ] && exec cat "$name.pages"
            echo "$1 $3 $4 $5" >> calls
            [ -f "$name.$3-$5" ] && exec cat "$name.$3-$5"
            exit 0

            """
        let source = folder.appending(path: "script")
        try script.write(to: source, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: source.path)
        // Another process copies it: a program that a test beside this one starts would hold the file open for writing.
        try Process.run(URL(filePath: "/bin/cp"), arguments: [source.path, path]).waitUntilExit()
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The answer to a call: `pages`, `picture`, or the first page and the dots per inch of `render`.
    func put(_ call: String, of name: String = "", _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: folder.appending(path: "\(name).\(call)"))
    }

    var calls: [String] {
        ((try? String(contentsOf: folder.appending(path: "calls"), encoding: .utf8)) ?? "").split(separator: "\n")
            .map(String.init)
    }

    // MARK: Answers

    static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }

    /// The list of pages of so many hundredths of a point, of which the first may be a picture.
    static func list(_ count: Int, _ picture: [UInt8]? = nil, width: Int = 7200, height: Int = 7200) -> [UInt8] {
        var list = Array("QVDL".utf8) + number(count, 4)
        for place in 0..<count {
            let isPicture = place == 0 && picture != nil
            list += [isPicture ? 1 : 0, 1] + number(width, 4) + number(height, 4) + number(100, 4)
        }
        if let picture { list += number(0, 8) + number(picture.count, 8) + picture }
        return list
    }

    /// A picture that is no page.
    static func picture(
        _ width: Int, _ height: Int, orientation: Int = 1, profile: [UInt8] = [], _ pixels: [UInt8]
    ) -> [UInt8] {
        let head = Array("QVDP".utf8) + number(width, 4) + number(height, 4) + number(orientation, 1)
        return head + number(profile.count, 4) + profile + pixels
    }

    static func drawing(_ width: Int, _ height: Int, gray: UInt8 = 180, most: Int = 255) -> [UInt8] {
        Array("P6\n\(width) \(height)\n\(most)\n".utf8) + [UInt8](repeating: gray, count: width * height * 3)
    }

    static func drawing(_ picture: Picture) -> [UInt8] {
        Array("P6\n\(picture.width) \(picture.height)\n255\n".utf8) + picture.pixels
    }
}
