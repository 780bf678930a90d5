import CWords

/// Chinese characters in Latin letters: full syllables, initials, or both in turn.
enum Pinyin {
    private static let first: UInt32 = 0x4E00
    private static let last: UInt32 = 0x9FFF

    /// The readings of the characters from U+4E00 on.
    private final class Table: Sendable {
        /// Bytes that a syllable takes in a list of them: its letters, then zeros.
        static let step = 8
        /// The syllables, and the same as `plain` gives them.
        let syllables, plainSyllables: [UInt8]
        /// For each character, the index of its first reading in `readings`; and the end of the last one's.
        let starts: [UInt32]
        /// Numbers of syllables.
        let readings: [UInt16]
        /// For each character, the first letters of its readings: bit 0 for `a`. They exclude most characters before
        /// any reading is compared.
        let initials: [UInt32]

        init() {
            var length = 0
            let bytes = unsafe UnsafeBufferPointer(start: qv_words_pinyin(&length), count: length)
            let lines = unsafe bytes.split(separator: UInt8(ascii: "\n")).map { line in
                let space = line.firstIndex(of: UInt8(ascii: " "))!  // each line has one
                return (syllable: Array(line[..<space]), characters: Array(line[(space + 1)...]))
            }
            func padded(_ syllable: [UInt8]) -> [UInt8] {
                syllable + [UInt8](repeating: 0, count: Self.step - syllable.count)
            }
            func forEach(_ body: (_ syllable: Int, _ character: Int) -> Void) {
                for (number, line) in lines.enumerated() {
                    for index in stride(from: 0, to: line.characters.count, by: 3) {
                        body(number, Int(scalar(line.characters.span, index) - first))
                    }
                }
            }
            syllables = lines.flatMap { padded($0.syllable) }
            plainSyllables = lines.flatMap { padded(plain($0.syllable)) }
            var starts = [UInt32](repeating: 0, count: Int(last - first) + 2)
            var initials = [UInt32](repeating: 0, count: Int(last - first) + 1)
            forEach { syllable, character in
                starts[character + 1] += 1
                initials[character] |= 1 << UInt32(lines[syllable].syllable[0] - 0x61)
            }
            for index in 1..<starts.count { starts[index] += starts[index - 1] }
            var readings = [UInt16](repeating: 0, count: Int(starts[starts.count - 1]))
            var next = starts
            forEach { syllable, character in
                readings[Int(next[character])] = UInt16(syllable)
                next[character] += 1
            }
            (self.starts, self.initials, self.readings) = (starts, initials, readings)
        }
    }

    /// Made when the first search asks for it.
    private static let table = Table()

    /// True if letters may be the beginning of a pinyin, with the digits that may stand among the characters.
    static func isTyped(_ word: [UInt8]) -> Bool {
        word.count < 64 && word.contains { 0x61...0x7A ~= $0 }
            && word.allSatisfy { 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 }
    }

    /// A spelling in which `zh`, `ch` and `sh` are `z`, `c` and `s`, which many people do not tell apart.
    static func plain(_ word: [UInt8]) -> [UInt8] {
        word.enumerated().filter { index, letter in
            letter != UInt8(ascii: "h") || index == 0 || !"zcs".utf8.contains(word[index - 1])
        }.map(\.element)
    }

    /// True if `word`, lower-case letters, spells neighbouring characters of `text`: each by its syllable or by its
    /// initial (`zh`, `ch` and `sh` also by the first letter), the last also by the beginning of its syllable. A letter or digit
    /// among the characters stands for itself.
    ///
    /// - Parameter isPlain: compares with the syllables as `plain` gives them.
    static func spells(_ word: Span<UInt8>, _ text: Span<UInt8>, isPlain: Bool = false) -> Bool {
        let table = table
        let letters = isPlain ? table.plainSyllables : table.syllables
        let (starts, readings, initials) = (table.starts, table.readings, table.initials)
        let initial: UInt32 = word[0] < 0x61 ? 0 : 1 << UInt32(word[0] - 0x61)
        // The numbers of letters that may be used when the next character comes, a bit for each number: by characters of which
        // one at least was spelled, and by letters and digits alone, which are no pinyin yet.
        var (reached, plain): (UInt64, UInt64) = (0, 0)
        var index = 0
        while index < text.count {
            guard 0xE4...0xE9 ~= text[index], let place = place(text, index) else {
                let byte = text[index]
                index += byte >= 0xE4 ? 3 : 1
                guard byte < 0x80 else {
                    (reached, plain) = (0, 0)
                    continue
                }
                reached = following(reached, byte, word)
                if reached & 1 << UInt64(word.count) != 0 { return true }
                plain = following(plain | 1, byte, word) & ~(1 << UInt64(word.count))
                continue
            }
            index += 3
            if initials[place] & initial != 0 { reached |= 1 }
            reached |= plain
            plain = 0
            if reached == 0 { continue }
            var next: UInt64 = 0
            for reading in Int(starts[place])..<Int(starts[place + 1]) {
                let syllable = Table.step * Int(readings[reading])
                var rest = reached
                while rest != 0 {
                    let spent = rest.trailingZeroBitCount
                    rest &= rest - 1
                    var same = 0
                    while spent + same < word.count, letters[syllable + same] == word[spent + same] { same += 1 }
                    if spent + same == word.count { return true }
                    if letters[syllable + same] == 0 { next |= 1 << UInt64(spent + same) }
                    if same > 0 { next |= 1 << UInt64(spent + 1) }
                    if same > 1, hasLongInitial(letters[syllable], letters[syllable + 1]) {
                        next |= 1 << UInt64(spent + 2)
                    }
                }
            }
            reached = next
        }
        return false
    }

    /// The numbers of letters that are used once a letter or digit that stands for itself was taken.
    private static func following(_ reached: UInt64, _ byte: UInt8, _ word: Span<UInt8>) -> UInt64 {
        var (rest, next) = (reached, UInt64(0))
        while rest != 0 {
            let spent = rest.trailingZeroBitCount
            rest &= rest - 1
            if spent < word.count, word[spent] == byte { next |= 1 << UInt64(spent + 1) }
        }
        return next
    }

    /// The character of three bytes at `index`.
    private static func scalar(_ text: Span<UInt8>, _ index: Int) -> UInt32 {
        UInt32(text[index] & 0x0F) << 12 | UInt32(text[index + 1] & 0x3F) << 6 | UInt32(text[index + 2] & 0x3F)
    }

    /// The place in the table of the character at `index`; nil if the table does not have it.
    private static func place(_ text: Span<UInt8>, _ index: Int) -> Int? {
        guard index + 2 < text.count, 0xE4...0xE9 ~= text[index] else { return nil }
        let scalar = scalar(text, index)
        return scalar >= first && scalar <= last ? Int(scalar - first) : nil
    }

    /// True if two letters of a syllable stand for it as well as one: `zh`, `ch` and `sh`.
    private static func hasLongInitial(_ first: UInt8, _ second: UInt8) -> Bool {
        second == UInt8(ascii: "h") && "zcs".utf8.contains(first)
    }
}
