import VaultCrypto
import VaultFormat

extension Entry {
    /// The range of the stored record in the file.
    var extent: Range<UInt64> { place..<place + StoredRecord.byteCount(length) }

    /// Checks its kind, the length of its content and its id.
    ///
    /// - Throws: `FormatError.malformed`.
    func checkKind() throws {
        let lengths: ClosedRange<UInt64> =
            switch kind {
            case .folder: 0...0
            case .symlink: 1...UInt64(Limits.symlinkByteCount)
            default: 0...Limits.recordByteCount
            }
        guard lengths.contains(length), kind != .tombstone else {
            throw FormatError(.malformed, "the content of a record of kind \(kind.rawValue)", at: place)
        }
        guard try hasDerivedID() else {
            throw FormatError(.malformed, "an id that is not the name's", at: place)
        }
    }
}

extension Segment {
    /// The copy of the head is the same bytes, and so is the head.
    func checkSecondHead() throws {
        for offset in [link.offset, link.headCopy] {
            let sealed = try file.bytes(at: offset, count: Int(link.headLength))
            guard Bytes32(try SHA256.hash(sealed.span)) == link.headHash else {
                throw Fault(
                    what: "the two heads of a manifest segment differ", range: offset..<offset + link.headLength)
            }
        }
    }
}
