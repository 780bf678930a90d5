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
    static func isTyped(_ word: [UInt8]) -> Bool { word.allSatisfy { 0x61...0x7A ~= $0 } }

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
        // How many letters may be spent when the character at `index` comes.
        var reached: Set<Int> = []
        var index = 0
        while index + 2 < text.count {
            guard let place = place(text, index) else {
                reached = []
                index += text[index] >= 0xE4 ? 3 : 1
                continue
            }
            index += 3
            if table.initials[place] & initial != 0 { reached.insert(0) }
            if reached.isEmpty { continue }
            var next: Set<Int> = []
            for syllable in table.readings[place].map({ syllables[Int($0)] }) {
                for spent in reached {
                    let rest = word[spent...]
                    if syllable.starts(with: rest) { return true }
                    for count in ways(syllable) where rest.starts(with: syllable[..<count]) {
                        next.insert(spent + count)
                    }
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

    /// How many letters of a syllable stand for it: all, two of `zh`, `ch` and `sh`, and one.
    private static func ways(_ syllable: [UInt8]) -> [Int] {
        let hasLongInitial =
            syllable.count > 1 && syllable[1] == UInt8(ascii: "h") && "zcs".utf8.contains(syllable[0])
        return hasLongInitial ? [syllable.count, 2, 1] : syllable.count == 1 ? [1] : [syllable.count, 1]
    }
}
