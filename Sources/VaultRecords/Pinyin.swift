/// How Chinese characters are typed in Latin letters: full syllables, initials, or both in turn.
enum Pinyin {
    private static let first: UInt32 = 0x4E00
    private static let last: UInt32 = 0x9FFF

    /// Syllables, and of each character from U+4E00 on the numbers of its readings.
    private struct Table {
        var syllables: [[UInt8]] = []
        /// The same as `plain` gives them.
        var plainSyllables: [[UInt8]] = []
        var readings = [[UInt16]](repeating: [], count: Int(last - first + 1))
        /// The letters that its readings begin with: bit 0 for `a`. Tells most characters apart from what is typed.
        var initials = [UInt32](repeating: 0, count: Int(last - first + 1))
    }

    /// Read when the first search asks for it.
    private static let table: Table = {
        var table = Table()
        let bytes = unsafe Array(
            UnsafeBufferPointer(start: PinyinTable.lines.utf8Start, count: PinyinTable.lines.utf8CodeUnitCount))
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let space = line.firstIndex(of: UInt8(ascii: " "))!  // each line has one
            let number = UInt16(table.syllables.count)
            let syllable = Array(line[..<space])
            table.syllables.append(syllable)
            table.plainSyllables.append(plain(syllable))
            for index in stride(from: space + 1, to: line.endIndex, by: 3) {
                let place = Int(scalar(bytes.span, index) - first)
                table.readings[place].append(number)
                table.initials[place] |= 1 << UInt32(syllable[0] - 0x61)
            }
        }
        return table
    }()

    /// Whether letters may be the beginning of a pinyin.
    static func isTyped(_ word: [UInt8]) -> Bool { word.count < 64 && word.allSatisfy { 0x61...0x7A ~= $0 } }

    /// A spelling in which `zh`, `ch` and `sh` are `z`, `c` and `s`, which many people do not tell apart.
    static func plain(_ word: [UInt8]) -> [UInt8] {
        word.enumerated().filter { index, letter in
            letter != UInt8(ascii: "h") || index == 0 || !"zcs".utf8.contains(word[index - 1])
        }.map(\.element)
    }

    /// Whether `word`, lower-case letters, spells neighbouring characters of `text`: each by its syllable or by its
    /// initial (`zh`, `ch` and `sh` also by the first letter), the last also by the beginning of its syllable.
    ///
    /// - Parameter isPlain: compares with the syllables as `plain` gives them.
    static func spells(_ word: [UInt8], _ text: Span<UInt8>, isPlain: Bool = false) -> Bool {
        let syllables = isPlain ? table.plainSyllables : table.syllables
        let initial: UInt32 = 1 << UInt32(word[0] - 0x61)
        // How many letters may be spent when the character at `index` comes: a bit for each number.
        var reached: UInt64 = 0
        var index = 0
        while index + 2 < text.count {
            guard let place = place(text, index) else {
                reached = 0
                index += text[index] >= 0xE4 ? 3 : 1
                continue
            }
            index += 3
            if table.initials[place] & initial != 0 { reached |= 1 }
            if reached == 0 { continue }
            var next: UInt64 = 0
            for number in table.readings[place] {
                let syllable = syllables[Int(number)]
                var rest = reached
                while rest != 0 {
                    let spent = rest.trailingZeroBitCount
                    rest &= rest - 1
                    var same = 0
                    while same < syllable.count, spent + same < word.count, syllable[same] == word[spent + same] {
                        same += 1
                    }
                    if spent + same == word.count { return true }
                    if same == syllable.count { next |= 1 << UInt64(spent + same) }
                    if same > 0 { next |= 1 << UInt64(spent + 1) }
                    if same > 1, hasLongInitial(syllable) { next |= 1 << UInt64(spent + 2) }
                }
            }
            reached = next
        }
        return false
    }

    /// The character of three bytes at `index`.
    private static func scalar(_ text: Span<UInt8>, _ index: Int) -> UInt32 {
        UInt32(text[index] & 0x0F) << 12 | UInt32(text[index + 1] & 0x3F) << 6 | UInt32(text[index + 2] & 0x3F)
    }

    /// Where the table has the character at `index`; nil for one that it does not have.
    private static func place(_ text: Span<UInt8>, _ index: Int) -> Int? {
        guard index + 2 < text.count, 0xE4...0xE9 ~= text[index] else { return nil }
        let scalar = scalar(text, index)
        return scalar >= first && scalar <= last ? Int(scalar - first) : nil
    }

    /// Whether two letters of a syllable stand for it as well as one: `zh`, `ch` and `sh`.
    private static func hasLongInitial(_ syllable: [UInt8]) -> Bool {
        syllable.count > 1 && syllable[1] == UInt8(ascii: "h") && "zcs".utf8.contains(syllable[0])
    }
}
