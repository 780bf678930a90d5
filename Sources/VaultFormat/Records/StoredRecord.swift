import VaultCrypto

/// The layout of a record in a payload area (Spec/container.md, 3.6): salt, sealed header, chunks.
package enum StoredRecord {
    package static let saltByteCount = 32
    package static let headerByteCount = 144
    /// Salt and sealed header: where the first chunk starts.
    package static let preludeByteCount = 192
    package static let sealedChunkByteCount = Layout.chunkByteCount + Layout.tagByteCount

    /// - Throws: `FormatError.invalid` for more bytes than a record takes, of content or of what stands for it.
    package static func checkLength(_ length: UInt64) throws {
        guard length <= Limits.recordByteCount else {
            throw FormatError(.invalid, "a record is longer than \(Limits.recordByteCount) bytes")
        }
    }

    /// Chunks of `length` stored bytes.
    package static func chunkCount(_ length: UInt64) -> UInt64 { length == 0 ? 1 : (length - 1) / 65_536 + 1 }

    /// All bytes of a stored record with `length` bytes in its chunks.
    package static func byteCount(_ length: UInt64) -> UInt64 {
        UInt64(preludeByteCount) + length + chunkCount(length) * UInt64(Layout.tagByteCount)
    }

    /// Plaintext bytes of chunk `index`.
    package static func chunkLength(_ index: UInt64, of length: UInt64) -> Int {
        Int(min(length - index * 65_536, 65_536))
    }

    /// The offset of chunk `index`, counted from the start of the stored record.
    package static func chunkOffset(_ index: UInt64) -> UInt64 {
        UInt64(preludeByteCount) + index * UInt64(sealedChunkByteCount)
    }

    /// The sealed header: it identifies a record when the manifest is lost. A reader compares only the length with the
    /// entry, because a record may be renamed or moved after it was stored.
    package struct Header: Equatable, Sendable {
        package var id: RecordID
        package var kind: Entry.Kind
        package var revision: UInt64
        /// Length of the content in bytes.
        package var length: UInt64
        /// Bytes that stand for it: frames, or a list of pieces; nil if it is stored as it is.
        package var otherLength: UInt64?
        /// True if a list of pieces stands for it.
        package var isList = false
        /// When it was stored, in microseconds since 1970.
        package var time: Timestamp
        package var parent: RecordID?
        /// The save that brought the version that was stored.
        package var first: UInt64
        /// The first bytes of the title, at most 63.
        package var shortName: [UInt8]

        package init(
            id: RecordID, kind: Entry.Kind, revision: UInt64, length: UInt64, time: Timestamp, parent: RecordID?,
            first: UInt64, title: [UInt8]
        ) {
            (self.id, self.kind, self.revision, self.length, self.time) = (id, kind, revision, length, time)
            (self.parent, self.first) = (parent, first)
            shortName = Self.shorten(title)
        }

        fileprivate init(parsing bytes: [UInt8]) throws {
            var fields = FieldReader(bytes)
            id = RecordID(fields.bytes16())
            kind = Entry.Kind(rawValue: fields.integer())
            let flags: UInt16 = fields.integer()
            guard flags & ~Self.listFlag == 0 else {
                throw FormatError.unsupported("a record that a newer program stored")
            }
            isList = flags & Self.listFlag != 0
            fields.skip(to: 24)
            revision = fields.integer()
            length = fields.integer()
            time = fields.timestamp()
            let parent = RecordID(fields.bytes16())
            self.parent = parent == .zero ? nil : parent
            first = fields.integer()
            let other: UInt64 = fields.integer()
            otherLength = other == 0 ? nil : other
            let count = Int(fields.integer(UInt8.self))
            let isSound = length <= Limits.recordByteCount && other <= Limits.recordByteCount
            guard count <= Self.shortNameByteCount, isSound, other == 0 ? !isList : length > 0 else {
                throw FormatError.malformed("the sealed header of a record")
            }
            shortName = fields.take(count)
        }

        /// Its 144 bytes.
        package var bytes: [UInt8] {
            var fields = FieldWriter(byteCount: headerByteCount)
            fields.put(id)
            fields.put(kind.rawValue)
            fields.put(isList ? Self.listFlag : 0)
            fields.zeros(to: 24)
            fields.put(revision)
            fields.put(length)
            fields.put(time)
            fields.put(parent ?? .zero)
            fields.put(first)
            fields.put(otherLength ?? 0)
            fields.put([UInt8(shortName.count)] + shortName)
            fields.zeros(to: headerByteCount)
            return fields.bytes
        }

        private static let shortNameByteCount = 63
        private static let listFlag: UInt16 = 1

        /// At most 63 bytes, cut before an incomplete UTF-8 sequence where the title is UTF-8.
        private static func shorten(_ title: [UInt8]) -> [UInt8] {
            guard title.count > shortNameByteCount else { return title }
            var end = shortNameByteCount
            if String(validating: title, as: UTF8.self) != nil {
                while title[end] & 0xC0 == 0x80 { end -= 1 }
            }
            return Array(title[..<end])
        }
    }

    /// Seals and opens headers, one after the other, with the same buffers.
    package struct HeaderCipher: ~Copyable {
        private var cipher: AESGCM
        /// Additional data: salt ‖ vault id.
        private var aad: [UInt8]
        private var plain = [UInt8](repeating: 0, count: headerByteCount)

        package init(_ keys: Keys) throws {
            cipher = try AESGCM(key: keys.header)
            aad = Salt.zero.bytes + keys.vaultID.bytes
        }

        /// Salt ‖ sealed header: the first 192 bytes of the stored record.
        package mutating func sealed(_ header: Header, salt: Salt) throws -> [UInt8] {
            take(salt.bytes.span)
            return salt.bytes + (try cipher.sealed(header.bytes.span, nonce: .header(of: salt), aad: aad))
        }

        /// Opens the first 192 bytes of a stored record; nil when the tag does not match.
        ///
        /// - Throws: `FormatError.malformed`.
        package mutating func opened(_ prelude: Span<UInt8>) throws -> Header? {
            take(prelude)
            do {
                let aad = aad
                try plain.withMutableSlice(0..<headerByteCount) {
                    try cipher.open(
                        prelude.extracting(saltByteCount..<preludeByteCount), nonce: .header(of: Salt(prelude)),
                        aad: aad.span, into: &$0)
                }
            } catch CryptoError.authenticationFailed {
                return nil
            }
            return try Header(parsing: plain)
        }

        private mutating func take(_ salt: Span<UInt8>) {
            for index in 0..<saltByteCount { aad[index] = salt[index] }
        }
    }
}

extension StoredContent {
    /// The range of the stored record in the file.
    package var extent: Range<UInt64> { place..<place + StoredRecord.byteCount(byteCount) }
}
