import VaultCrypto

/// The rows of a check table: two tags for every 64 KiB block of a payload area (Spec/container.md, 3.3).
package struct CheckTable: ~Copyable {
    package static let rowByteCount = 32

    /// Which tag of a row.
    package enum Column: Int, Sendable {
        /// Anybody can compute it: finds damage.
        case check = 0
        /// Needs the audit key: finds tampering.
        case audit = 16
    }

    private var check: AESGCM
    private var audit: AESGCM

    package init(salt: Salt, keys: Keys) throws {
        let check = try AESGCM(key: checkKey(vaultID: keys.vaultID, salt: salt))
        let audit = try AESGCM(key: keys.auditBlockKey(salt: salt))
        self.check = check
        self.audit = audit
    }

    /// Makes the 32-byte row of block `index`, once its bytes are final.
    package mutating func row(_ index: UInt64, of block: Span<UInt8>) throws -> [UInt8] {
        var row = [UInt8](repeating: 0, count: Self.rowByteCount)
        try row.withMutableSlice(0..<16) { try check.authenticationTag(of: block, nonce: .block(index), into: &$0) }
        try row.withMutableSlice(16..<32) { try audit.authenticationTag(of: block, nonce: .block(index), into: &$0) }
        return row
    }
}

/// Checks blocks against one column of a check table.
package struct BlockChecker: ~Copyable {
    private var cipher: AESGCM
    private let column: CheckTable.Column

    /// Check tags of a commit; no key needed.
    package init(checking core: Core) throws {
        cipher = try AESGCM(key: checkKey(vaultID: core.vaultID, salt: core.salt))
        column = .check
    }

    /// Audit tags of a commit.
    package init(auditing core: Core, keys: any Authenticator) throws {
        cipher = try AESGCM(key: keys.auditBlockKey(salt: core.salt))
        column = .audit
    }

    /// Whether block `index` is the one whose tag stands in its row of the table.
    package mutating func matches(_ block: Span<UInt8>, index: UInt64, row: Span<UInt8>) throws -> Bool {
        let expected = try cipher.authenticationTag(of: block, nonce: .block(index))
        return constantTimeEqual(expected.bytes.span, row.extracting(column.rawValue..<column.rawValue + 16))
    }
}
