import Testing
import VaultCrypto
import VaultFormat

/// Recovery and audit keys as text (Spec/keys.md, 6 and 7).
struct KeyTextTests {
    private let recovery = (0..<20).map { UInt8($0 * 13 + 7) }

    private func text() throws -> String { try string(RecoveryKey.text(of: Secret(copying: recovery.span))) }

    private func string(_ secret: borrowing Secret) -> String {
        secret.withSpan { String(decoding: Array(copying: $0), as: UTF8.self) }
    }

    private func parsed(_ text: String) throws -> [UInt8] {
        let bytes = Array(text.utf8)
        return try RecoveryKey.parse(Secret(copying: bytes.span)).withSpan { Array(copying: $0) }
    }

    private func complaint(_ text: String) -> String? {
        do {
            _ = try parsed(text)
            return nil
        } catch let error as FormatError where error.code == .invalid {
            return error.what.description
        } catch { return "\(error)" }
    }

    /// By hand from the Spec: 40 bits are eight digits of five; 5 · 0 + 0, … mod 37.
    @Test func theTextIsTheSpecs() throws {
        let zeros = [UInt8](repeating: 0, count: 20)
        let text = try string(RecoveryKey.text(of: Secret(copying: zeros.span)))
        #expect(text == "1 0000 0000 0\n2 0000 0000 1\n3 0000 0000 2\n4 0000 0000 3\n")
        let ones = [UInt8](repeating: 255, count: 20)
        // 2^36 is 1 mod 37, so 2^40 − 1 is 15, and five times that 1.
        #expect(
            try string(RecoveryKey.text(of: Secret(copying: ones.span))).hasPrefix("1 ZZZZ ZZZZ 1\n2 ZZZZ ZZZZ 2\n"))
    }

    @Test func itReadsWhatPeopleMakeOfIt() throws {
        let text = try text()
        #expect(try parsed(text) == recovery)
        #expect(try parsed("a sheet\n\n\(text)\nwhoever has this …\n10 years\n") == recovery)
        #expect(try parsed(text.lowercased()) == recovery)
        #expect(try parsed(text.replacing("\n", with: "\r\n")) == recovery)
        #expect(try parsed(text.split(separator: "\n").reversed().joined(separator: "\n")) == recovery)
        let dashes = text.split(separator: "\n").map {
            "  \($0.prefix(1)). " + $0.dropFirst(2).replacing(" ", with: "-")
        }
        #expect(try parsed(dashes.joined(separator: "\n")) == recovery)
        let confused = "1 oOOO 0000 o\n2 0000 0000 I\n3 0000 0000 2\n4 0000 0000 3"
        #expect(try parsed(confused) == [UInt8](repeating: 0, count: 20))
    }

    /// At a terminal the four lines may come as one; anything else is a password, or a line.
    @Test func fourLinesTypedAsOne() throws {
        let text = try text()
        func unfolded(_ text: String) throws -> String? {
            let bytes = Array(text.utf8)
            guard let lines = try RecoveryKey.unfolded(Secret(copying: bytes.span)) else { return nil }
            return string(lines)
        }
        let line = text.replacing("\n", with: " ")
        let bare = text.split(separator: "\n").map { String($0.dropFirst(2)) }.joined(separator: " ")
        for typed in [
            line, bare, bare.replacing(" ", with: ""), line.replacing(" ", with: ""), line.lowercased(),
            line.replacing(" ", with: "-"),
        ] {
            #expect(try parsed(#require(try unfolded(typed))) == recovery)
        }
        let others = [
            text, String(line.dropLast(2)), line + "x", "2" + line.dropFirst(), "correct-horse-battery",
            String(line.prefix(14)),
        ]
        for other in others { #expect(try unfolded(other) == nil, "\(other)") }
        // One that is mistyped is told by its line, as ever.
        let wrong = line.replacing("2 ", with: "2 0")
        #expect(try unfolded(wrong) == nil)
    }

    /// Every character replaced by every other, and every two neighbours exchanged: noticed, and the line is named.
    @Test func oneWrongCharacterNamesItsLine() throws {
        let text = Array(try text())
        var tried = 0
        for (index, letter) in text.enumerated() where letter.isLetter || letter.isNumber {
            let (line, column) = (index / 14 + 1, index % 14)
            guard column > 0 else { continue }
            for other in "0123456789ABCDEFGHJKMNPQRSTVWXYZ" where other != letter {
                var wrong = text
                wrong[index] = other
                #expect(complaint(String(wrong))?.hasPrefix("line \(line) of the recovery key") == true)
                tried += 1
            }
            let next = column == 5 || column == 10 ? index + 2 : index + 1
            guard column < 10, text[next] != letter, next % 14 < 11 else { continue }
            var swapped = text
            swapped.swapAt(index, next)
            #expect(complaint(String(swapped))?.hasPrefix("line \(line)") == true)
        }
        // 36 characters, each by 31 others; a check character may be one of five more that are not tried.
        #expect(tried >= 36 * 31 - 4 * 31)
    }

    @Test func linesAreToldApart() throws {
        var lines = try text().split(separator: "\n").map(String.init)
        #expect(complaint(lines[..<3].joined(separator: "\n")) == "line 4 of the recovery key is missing")
        #expect(complaint("nothing") == "line 1 of the recovery key is missing")
        lines[1] = "2" + lines[2].dropFirst()
        #expect(complaint(lines.joined(separator: "\n"))?.hasPrefix("line 2 of the recovery key is mistyped") == true)
        lines[1] = "2 ABCD EFG"
        #expect(complaint(lines.joined(separator: "\n"))?.contains("has 7 characters") == true)
        lines[1] = "2 ABCD EFUG K"
        #expect(complaint(lines.joined(separator: "\n"))?.contains("character 7") == true)
    }

    @Test func anAuditKeyIsReadAndJudged() throws {
        let master = [UInt8](repeating: 3, count: 32)
        let keys = try Keys(
            master: Secret(copying: master.span), vaultID: VaultID([UInt8](repeating: 9, count: 16)),
            epoch: Epoch(Bytes16(high: 1, low: 77)))
        let text = try AuditKey(keys).text()
        let bytes = text.withSpan { Array(copying: $0) }
        #expect(bytes.count == 193)
        let read = try AuditKey(parsing: text)
        #expect(read.keys.root.isEqual(to: keys.audit.root) && read.keys.vaultID == keys.vaultID)
        #expect(string(try read.text()) == string(text))
        #expect(throws: Never.self) { try AuditKey(parsing: text.slice(0..<192)) }
        for index in bytes.indices {
            var altered = bytes
            altered[index] ^= 1
            let error = #expect(throws: FormatError.self) { try AuditKey(parsing: Secret(copying: altered.span)) }
            #expect(error?.code == .invalid, "byte \(index)")
        }
        #expect(throws: FormatError.self) { try AuditKey(parsing: text.slice(0..<100)) }
    }
}
