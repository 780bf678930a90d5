import Foundation
import Testing
import VaultCrypto
import Pictures
import Watermark

/// Pictures that come and go in pieces: the copy is the same, and what fails on the way is told as what it is.
struct PictureStreamTests {
    enum Trouble: Error { case reading, writing }

    /// Bytes that are no array, and perhaps end in trouble.
    final class Pieces: PictureSink {
        private(set) var bytes: [UInt8]
        private let last: Int
        private(set) var readCount = 0

        init(_ bytes: [UInt8] = [], troubleAt last: Int = .max) { (self.bytes, self.last) = (bytes, last) }

        var byteCount: Int { bytes.count }
        func read(into buffer: inout MutableSpan<UInt8>, at offset: Int) throws {
            guard offset + buffer.count <= last else { throw Trouble.reading }
            readCount = max(readCount, buffer.count)
            bytes.read(into: &buffer, at: offset)
        }
        func append(_ more: Span<UInt8>) throws {
            guard bytes.count + more.count <= last else { throw Trouble.writing }
            for place in more.indices { bytes.append(more[place]) }
        }
        func clear() { bytes = [] }
    }

    private static func noise(_ width: Int, _ height: Int, dark: Bool = false) -> [UInt8] {
        var state: UInt64 = 1
        return (0..<width * height * 3).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 57) + (dark ? 0 : 128)
        }
    }

    /// A PNG in whose rows nothing is compressed.
    private static func png(_ width: Int, _ height: Int, _ pixels: [UInt8]) throws -> [UInt8] {
        let script = """
            import struct, sys, zlib
            w, h = int(sys.argv[1]), int(sys.argv[2]); raw = sys.stdin.buffer.read(); out = sys.stdout.buffer
            def chunk(n, d): out.write(struct.pack('>I', len(d)) + n + d + struct.pack('>I', zlib.crc32(n + d)))
            out.write(b'\\x89PNG\\r\\n\\x1a\\n'); chunk(b'IHDR', struct.pack('>IIBBBBB', w, h, 8, 2, 0, 0, 0))
            chunk(b'IDAT', zlib.compress(b''.join(b'\\0' + raw[y * w * 3:(y + 1) * w * 3] for y in range(h)), 0))
            chunk(b'IEND', b'')
            """
        let (source, target) = (Pipe(), Pipe())
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-c", script, "\(width)", "\(height)"]
        (process.standardInput, process.standardOutput) = (source, target)
        try process.run()
        try source.fileHandleForWriting.write(contentsOf: Data(pixels))
        try source.fileHandleForWriting.close()
        return [UInt8](target.fileHandleForReading.readDataToEndOfFile())
    }

    static let kinds = ["jpeg", "png"]
    private func picture(_ kind: String, dark: Bool = false) throws -> [UInt8] {
        let pixels = Self.noise(400, 300, dark: dark)
        if kind == "png" { return try Self.png(400, 300, pixels) }
        return try Picture(width: 400, height: 300, pixels: pixels).jpeg(quality: 98)
    }

    private func mark(
        _ picture: any PictureSource, into sink: any PictureSink, _ layout: MarkStyle.Layout = .dense
    ) throws -> Watermark.Marked {
        let zeros = try Secret(byteCount: 32)
        var style = MarkStyle()
        style.layout = layout
        return try Watermark.mark(
            picture, MarkText("copy", values: [:]), style, seed: WatermarkSeed(zeros),
            original: [UInt8](repeating: 1, count: 16), share: [UInt8](repeating: 2, count: 16), into: sink)
    }

    static let layouts: [(String, MarkStyle.Layout)] = kinds.flatMap { [($0, .dense), ($0, .sparse)] }

    @Test(arguments: layouts, [false, true]) func piecesGiveTheSameCopy(
        _ kind: (name: String, layout: MarkStyle.Layout), dark: Bool
    ) throws {
        let original = try picture(kind.name, dark: dark)
        #expect(original.count > 1 << 16)
        let (whole, source, sink) = (PictureInMemory(), Pieces(original), Pieces(Array("left over".utf8)))
        let marked = try mark(original, into: whole, kind.layout)
        let isLight: Bool? = kind.layout == .dense ? nil : dark
        #expect(try mark(source, into: sink, kind.layout).isLight == isLight && marked.isLight == isLight)
        #expect(sink.bytes == whole.bytes && sink.bytes != original && source.readCount <= 1 << 16)
        #expect(try source.sha256() == SHA256.hash(original.span))
    }

    /// Wherever it happens: no half of a picture is called damaged because a disk failed.
    @Test(arguments: kinds) func troubleIsToldAsWhatItIs(_ kind: String) throws {
        let original = try picture(kind)
        let whole = PictureInMemory()
        _ = try mark(original, into: whole)
        for place in stride(from: 0, to: min(original.count, whole.byteCount), by: 9973) {
            #expect(throws: Trouble.reading) { try mark(Pieces(original, troubleAt: place), into: PictureInMemory()) }
            #expect(throws: Trouble.writing) { try mark(original, into: Pieces(troubleAt: place)) }
        }
    }
}
