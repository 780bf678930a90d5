public import Values
package import VaultFormat

/// What one side of a push or pull sends to the other: a stretch of the log, and the page that names its end
/// (Spec/replication.md).
public struct ReplicaUpdate {
    /// The page of the state that is sent.
    package let page: Page
    /// The stretch of the log, in the file: from the end of what the other side has, or from the start of the log.
    package let range: Range<UInt64>
    /// The stretch piece by piece, each 1 MiB at most; an empty piece ends it.
    let next: () throws -> [UInt8]

    package init(page: Page, range: Range<UInt64>, next: @escaping () throws -> [UInt8]) {
        (self.page, self.range, self.next) = (page, range, next)
    }

    /// True if it is a whole vault, and nothing is added to what the other side has.
    public var isWhole: Bool { range.lowerBound == Layout.logStart }
    /// Bytes that are sent.
    public var byteCount: UInt64 { UInt64(range.count + Layout.pageByteCount) }
    /// The save that it brings.
    public var sequence: UInt64 { page.header.sequence }

    /// The same, telling of the bytes that went by.
    public func telling(_ progress: @escaping (UInt64) -> Void) -> ReplicaUpdate {
        var done: UInt64 = 0
        return ReplicaUpdate(page: page, range: range) {
            let piece = try next()
            done += UInt64(piece.count)
            progress(done)
            return piece
        }
    }
}

/// What the side that receives has.
package struct ReplicaState {
    /// The page of its state; nil where there is no file.
    package let page: Page?
    /// True if its log has the commit that the other side's page names.
    package let knowsSource: Bool
    /// True if its three pages are as a finished save leaves them, so that nothing is to be mended.
    package let isMended: Bool
}

/// Why a push or pull is refused; nothing was changed.
public enum ReplicaRefusal: Error, Equatable, Sendable {
    /// Another vault is there.
    case otherVault
    /// A backup is there, which stays as it is.
    case isBackup
    /// The other side has saves that this one lacks, up to this sequence.
    case ahead(UInt64)
    /// Both sides have saves that the other lacks; the sequence at which the other side is.
    case forked(UInt64)
    /// No file is there, and none is to be made.
    case missing

    /// Its number on a wire, and the sequence that it tells of.
    var coded: (number: UInt8, sequence: UInt64) {
        switch self {
        case .otherVault: (1, 0)
        case .isBackup: (2, 0)
        case .ahead(let sequence): (3, sequence)
        case .forked(let sequence): (4, sequence)
        case .missing: (5, 0)
        }
    }

    /// Reads what `coded` gives; nil for another number.
    init?(_ number: UInt8, _ sequence: UInt64) {
        let all: [ReplicaRefusal] = [.otherVault, .isBackup, .ahead(sequence), .forked(sequence), .missing]
        guard let found = all.first(where: { $0.coded.number == number }) else { return nil }
        self = found
    }

    /// A line for a person, without a path.
    public var message: Phrase {
        switch self {
        case .otherVault: "another vault"
        case .isBackup: "a backup, which stays as it is"
        case .ahead(let sequence): "has saves that are not here, up to save \(sequence)"
        case .forked(let sequence): "has another history, up to save \(sequence)"
        case .missing: "no copy is there any more"
        }
    }
}
