import VaultFormat
import VaultIO

/// The address in a text or in a picture of a QR code. zbar's program reads pictures, where it is installed.
enum QRPicture {
    /// More than some QR codes hold.
    private static let byteCount = 1 << 16

    /// The lines of a file, of standard input (`-`), or of the QR codes in a picture.
    static func lines(from source: [UInt8]) throws -> [String] {
        guard source != Array("-".utf8) else { return try lines(input(), of: "standard input") }
        let path = BytePath(source)
        let file = try Machine.store.files.openFile(path, writing: false)
        let size = try file.status().size
        guard size <= 64 << 20 else { throw Failure(.invalid, "\(path): is longer than 64 MiB") }
        return try lines(in: file.bytes(at: 0, count: Int(size)), path)
    }

    /// The lines of a text, or of the QR codes in a picture.
    static func lines(in content: [UInt8], _ path: BytePath) throws -> [String] {
        if !content.contains(0), let text = String(validating: content, as: UTF8.self) {
            return try lines(text, of: path.description)
        }
        guard isInstalled("zbarimg") else {
            throw Failure(.failure, "\(path): reading a picture takes zbarimg", hint: "install zbar-tools")
        }
        return try lines(decoded(content), of: path.description)
    }

    private static func input() throws -> String {
        let bytes = try StandardInput.all(upTo: byteCount)
        guard bytes.count < byteCount, let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(.invalid, "standard input: holds more than an address, or is not UTF-8")
        }
        return text
    }

    private static func lines(_ text: String, of source: String) throws -> [String] {
        let lines = text.split(whereSeparator: \.isNewline).map(String.init).filter { !$0.allSatisfy(\.isWhitespace) }
        guard !lines.isEmpty else {
            throw Failure(.invalid, "\(source): holds no address", hint: "give an 'otpauth://' address")
        }
        return lines
    }

    /// The codes in a picture, a line each. The picture stands in memory, and so do the files that zbarimg
    /// makes; its name is no argument.
    private static func decoded(_ picture: [UInt8]) throws -> String {
        let file = try MemoryFile("picture")
        try file.write(picture.span)
        let output = try MemoryFile("codes")
        _ = file.run("MAGICK_TEMPORARY_PATH=/dev/shm zbarimg -q --raw -Sdisable -Sqrcode.enable -", outputTo: output)
        guard let text = try String(validating: output.bytes(limit: 1 << 16), as: UTF8.self) else {
            throw Failure(.invalid, "the QR code is not UTF-8")
        }
        return text
    }
}
