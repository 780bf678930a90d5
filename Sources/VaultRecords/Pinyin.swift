/// How Chinese characters are typed in Latin letters: full syllables, initials, or both in turn.
enum Pinyin {
    private static let first: UInt32 = 0x4E00
    private static let last: UInt32 = 0x9FFF

    /// Syllables, and for each character from U+4E00 on the numbers of its readings.
    private struct Table {
        var syllables: [[UInt8]] = []
        var readings = [[UInt16]](repeating: [], count: Int(last - first + 1))
    }

    /// Read when the first search asks for it.
    private static let table: Table = {
        var table = Table()
        let bytes = unsafe Array(
            UnsafeBufferPointer(start: PinyinTable.lines.utf8Start, count: PinyinTable.lines.utf8CodeUnitCount))
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let space = line.firstIndex(of: UInt8(ascii: " "))!  // each line has one
            let number = UInt16(table.syllables.count)
            table.syllables.append(Array(line[..<space]))
            for index in stride(from: space + 1, to: line.endIndex, by: 3) {
                table.readings[Int(scalar(bytes, index) - first)].append(number)
            }
        }
        return table
    }()

    /// Whether letters may be the beginning of a pinyin.
    static func isTyped(_ word: [UInt8]) -> Bool { word.allSatisfy { 0x61...0x7A ~= $0 } }

    /// Whether `word`, lower-case letters, spells neighbouring characters of `text`: each by its syllable or by its
    /// initial (`zh`, `ch` and `sh` also by the first letter), the last also by the beginning of its syllable.
    static func spells(_ word: [UInt8], _ text: [UInt8]) -> Bool {
        let table = table
        var index = 0
        while index < text.count {
            if readings(text, index, table) != nil, spells(word[...], text, index, table) { return true }
            index += text[index] < 0x80 ? 1 : 3
            while index < text.count, text[index] & 0xC0 == 0x80 { index += 1 }
        }
        return false
    }

    /// The character of three bytes at `index`.
    private static func scalar(_ text: [UInt8], _ index: Int) -> UInt32 {
        UInt32(text[index] & 0x0F) << 12 | UInt32(text[index + 1] & 0x3F) << 6 | UInt32(text[index + 2] & 0x3F)
    }

    /// The readings of the character of three bytes at `index`; nil for any other.
    private static func readings(_ text: [UInt8], _ index: Int, _ table: Table) -> [UInt16]? {
        guard index + 2 < text.count, 0xE4...0xE9 ~= text[index] else { return nil }
        let scalar = scalar(text, index)
        guard scalar >= first, scalar <= last else { return nil }
        let readings = table.readings[Int(scalar - first)]
        return readings.isEmpty ? nil : readings
    }

    private static func spells(_ word: ArraySlice<UInt8>, _ text: [UInt8], _ index: Int, _ table: Table) -> Bool {
        guard !word.isEmpty else { return true }
        guard let readings = readings(text, index, table) else { return false }
        for reading in readings {
            let syllable = table.syllables[Int(reading)]
            if syllable.starts(with: word) { return true }
            for count in ways(syllable) where word.starts(with: syllable[..<count]) {
                if spells(word.dropFirst(count), text, index + 3, table) { return true }
            }
        }
        return false
    }

    /// How many letters of a syllable stand for it: all, two of `zh`, `ch` and `sh`, and one.
    private static func ways(_ syllable: [UInt8]) -> [Int] {
        let hasLongInitial =
            syllable.count > 1 && syllable[1] == UInt8(ascii: "h") && "zcs".utf8.contains(syllable[0])
        return hasLongInitial ? [syllable.count, 2, 1] : syllable.count == 1 ? [1] : [syllable.count, 1]
    }
}
