import VaultFormat
import VaultRecords
import VaultStore

/// The address in a text or in a picture of a QR code. zbar's program reads pictures, where it is installed.
enum QRPicture {
    /// More than a QR code holds.
    private static let byteCount = 8192

    /// The one line of a file, of standard input (`-`), or of the QR code in a picture.
    ///
    /// - Throws: `Failure` `.invalid` where there is none, or more than one; `IOError`.
    static func text(from source: [UInt8]) throws -> String {
        guard source != Array("-".utf8) else { return try line(input(), of: "standard input") }
        let path = BytePath(source)
        let file = try Machine.store.files.openFile(path, writing: false)
        let content = try file.bytes(at: 0, count: byteCount)
        if content.count < byteCount, !content.contains(0), let text = String(validating: content, as: UTF8.self) {
            return try line(text, of: path.description)
        }
        guard isInstalled("zbarimg") else {
            throw Failure(.failure, "\(path): reading a picture takes zbarimg", hint: "install zbar-tools")
        }
        let size = try file.status().size
        guard size <= 64 << 20 else { throw Failure(.invalid, "\(path): is longer than 64 MiB") }
        return try line(decoded(file.bytes(at: 0, count: Int(size))), of: path.description)
    }

    private static func input() throws -> String {
        var buffer = [UInt8](repeating: 0, count: byteCount)
        var span = buffer.mutableSpan
        let count = try StandardInput.fill(&span)
        guard count < byteCount, let text = String(validating: buffer[..<count], as: UTF8.self) else {
            throw Failure(.invalid, "standard input: holds more than an address, or is not UTF-8")
        }
        return text
    }

    private static func line(_ text: String, of source: String) throws -> String {
        let lines = text.split(whereSeparator: \.isNewline)
        guard lines.count == 1 else {
            throw Failure(.invalid, "\(source): holds \(lines.count) addresses", hint: "give one 'otpauth://' address")
        }
        return String(lines[0])
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
