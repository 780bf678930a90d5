import CZip
import VaultFormat

/// A ZIP archive in memory, by libzip.
@safe final class ZipArchive {
    private let archive: OpaquePointer
    private let bytes: UnsafeMutableBufferPointer<UInt8>
    /// Bytes that its files may still have: an archive may hold far more than it is long.
    private var budget = 128 << 20
    /// The numbers of the files that were read.
    private var read: Set<Int> = []

    /// - Returns: nil where the bytes are no archive that libzip opens.
    init?(_ content: [UInt8]) {
        unsafe bytes = .allocate(capacity: content.count)
        unsafe _ = bytes.initialize(from: content)
        var error = unsafe zip_error_t()
        guard let source = unsafe zip_source_buffer_create(bytes.baseAddress, UInt64(content.count), 0, &error) else {
            unsafe bytes.deallocate()
            return nil
        }
        guard let archive = unsafe zip_open_from_source(source, Int32(ZIP_RDONLY), &error) else {
            unsafe zip_source_free(source)
            unsafe bytes.deallocate()
            return nil
        }
        unsafe self.archive = archive
    }

    deinit {
        unsafe zip_discard(archive)
        unsafe bytes.deallocate()
    }

    private(set) lazy var names: [String] = (0..<max(0, unsafe zip_get_num_entries(archive, 0))).map { index in
        unsafe zip_get_name(archive, UInt64(index), 0).map { unsafe String(cString: $0) } ?? "\(index + 1)"
    }

    /// The numbers of the files that nobody has read, without folders.
    var unread: [Int] { names.indices.filter { !read.contains($0) && !names[$0].hasSuffix("/") } }

    /// The content of a file; nil where there is none of this name.
    ///
    /// - Throws: as `content(at:)`.
    func content(_ name: String, limit: Int) throws -> [UInt8]? {
        try names.firstIndex(of: name).map { try content(at: $0, limit: limit) }
    }

    /// The content of a file by its number: two may have one name.
    ///
    /// - Throws: `MalformedText` where it is damaged, encrypted, or longer than `limit`.
    func content(at index: Int, limit: Int) throws -> [UInt8] {
        let name = names[index]
        read.insert(index)
        guard let file = unsafe zip_fopen_index(archive, UInt64(index), 0) else {
            throw MalformedText("\(printable(name.utf8)): cannot be read: damaged or encrypted", line: 1)
        }
        defer { unsafe zip_fclose(file) }
        var content: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe zip_fread(file, &piece, UInt64(piece.count))
            guard count >= 0 else { throw MalformedText("\(printable(name.utf8)): is damaged", line: 1) }
            if count == 0 { return content }
            content += piece[..<Int(count)]
            budget -= Int(count)
            guard content.count <= limit, budget >= 0 else {
                throw MalformedText("\(printable(name.utf8)): is longer than an import may be", line: 1)
            }
        }
    }
}
