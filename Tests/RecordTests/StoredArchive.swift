/// A ZIP archive (APPNOTE 6.3.10).
struct StoredArchive {
    let bytes: [UInt8]

    /// A file in it.
    struct File {
        var name: String
        /// As it stands in the archive.
        var packed: [UInt8]
        var byteCount: Int
        var crc: Int
        /// 0 as it is, 8 deflated.
        var method = 0
        /// 1 encrypted.
        var flags = 0
    }

    /// Files that are stored as they are.
    init(_ files: [(name: String, content: [UInt8])]) {
        self.init(
            files.map {
                File(name: $0.name, packed: $0.content, byteCount: $0.content.count, crc: Self.crc($0.content))
            })
    }

    init(_ files: [File]) {
        var (body, directory): ([UInt8], [UInt8]) = ([], [])
        for file in files {
            let (name, packed) = (Array(file.name.utf8), file.packed)
            let shared =
                Self.number(20, 2) + Self.number(file.flags, 2) + Self.number(file.method, 2) + Self.number(0, 4)
                + Self.number(file.crc, 4) + Self.number(packed.count, 4) + Self.number(file.byteCount, 4)
                + Self.number(name.count, 2) + Self.number(0, 2)
            directory +=
                Array("PK\u{1}\u{2}".utf8) + Self.number(20, 2) + shared + Self.number(0, 2) + Self.number(0, 2)
            directory += Self.number(0, 2) + Self.number(0, 4) + Self.number(body.count, 4) + name
            body += Array("PK\u{3}\u{4}".utf8) + shared + name + packed
        }
        let end =
            Array("PK\u{5}\u{6}".utf8) + Self.number(0, 4) + Self.number(files.count, 2) + Self.number(files.count, 2)
        bytes =
            body + directory + end + Self.number(directory.count, 4) + Self.number(body.count, 4) + Self.number(0, 2)
    }

    private static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    static func crc(_ bytes: [UInt8]) -> Int {
        var crc: UInt32 = ~0
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return Int(~crc)
    }
}
