import Cards
import VaultCrypto
import VaultIO
package import Watermark

/// A line of text that was read in a picture, and where its characters stand.
package struct ReadLine: Equatable {
    /// A character.
    package struct Symbol: Equatable {
        /// One scalar, folded as searching folds it.
        package let scalar: Unicode.Scalar
        /// Its edges, in pixels of the picture that was read.
        package var left, right, top, bottom: Double

        /// Pixels across.
        package var width: Double { right - left }
    }

    /// From left to right; blanks are left out.
    package var symbols: [Symbol] = []

    package init() {}

    /// Adds a word: its characters share its width, Chinese ones and others of full width by twice as much as digits and letters.
    package mutating func add(_ word: some StringProtocol, left: Double, top: Double, width: Double, height: Double) {
        let characters = Array(word)
        let shares = characters.map { $0.unicodeScalars.first.map { $0.value >= 0x2E80 } ?? false ? 2.0 : 1.0 }
        let share = width / shares.reduce(0, +)
        var start = left
        for (character, count) in zip(characters, shares) {
            let part = share * count
            defer { start += part }
            for scalar in String(decoding: Folding.fold(String(character).utf8), as: UTF8.self).unicodeScalars
            where !scalar.properties.isWhitespace {
                symbols.append(
                    Symbol(scalar: scalar, left: start, right: start + part, top: top, bottom: top + height))
            }
        }
    }

    // MARK: Finding

    /// Digits of a number at least: amounts and years are no numbers that a person hides.
    static let shortestNumber = 8

    /// The numbers, as ranges of symbols: digits that no wide gap parts, in groups by blanks, hyphens, points, slashes or brackets.
    /// Up to half of them may be letters that digits are taken for; an X at the end belongs to it. A day is none, and the decimals
    /// of an amount do not belong to it.
    package var numbers: [Range<Int>] {
        var found: [Range<Int>] = []
        var groups: [Range<Int>] = []
        func end() {
            if let number = number(groups) { found.append(number) }
            groups = []
        }
        var place = 0
        while place < symbols.count {
            guard Self.isLikeDigit(symbols[place].scalar) else {
                // One sign stands between groups, or two: +1 (415) 555.
                if !Self.isBetween(symbols[place].scalar) || place - (groups.last?.upperBound ?? place) > 1 { end() }
                place += 1
                continue
            }
            if let last = groups.last, !isNear(last.upperBound - 1, place) { end() }
            if let last = groups.last, last.upperBound == place {
                groups[groups.count - 1] = last.lowerBound..<place + 1
            } else {
                groups.append(place..<place + 1)
            }
            place += 1
        }
        end()
        return found
    }

    /// The number that groups of digits make, if they make one.
    private func number(_ groups: [Range<Int>]) -> Range<Int>? {
        var groups = groups
        // The decimals of an amount stay; several points part a number, or days.
        let points = groups.dropFirst().count { symbols[$0.lowerBound - 1].scalar == "." }
        if points == 1, let last = groups.last, last.count <= 2, symbols[last.lowerBound - 1].scalar == "." {
            groups.removeLast()
        }
        guard let first = groups.first, let last = groups.last else { return nil }
        let counts = groups.map(\.count)
        let isDay = counts.count == 3 && (counts[0] == 4 || counts[2] == 4) && counts.reduce(0, +) <= 8
        let likeDigits = groups.joined().count
        let digits = groups.joined().count { Self.isDigit(symbols[$0].scalar) }
        guard likeDigits >= Self.shortestNumber, 2 * digits >= likeDigits, !isDay else { return nil }
        return first.lowerBound..<last.upperBound
    }

    private func isNear(_ place: Int, _ next: Int) -> Bool {
        let height = max(symbols[place].bottom - symbols[place].top, symbols[next].bottom - symbols[next].top)
        return symbols[next].left - symbols[place].right <= 2 * height
    }

    static func isDigit(_ scalar: Unicode.Scalar) -> Bool { "0"..."9" ~= scalar }
    static func isLikeDigit(_ scalar: Unicode.Scalar) -> Bool {
        isDigit(scalar) || "oil|sbzx".unicodeScalars.contains(scalar)
    }
    /// True of what stands between the groups of a number.
    private static func isBetween(_ scalar: Unicode.Scalar) -> Bool { "-–—./()+".unicodeScalars.contains(scalar) }

    /// The places of a text, as ranges of symbols. It is compared without blanks, case and width.
    package func places(of text: String) -> [Range<Int>] {
        let wanted = Array(String(decoding: Folding.fold(text.utf8), as: UTF8.self).unicodeScalars)
            .filter { !$0.properties.isWhitespace }
        guard !wanted.isEmpty, wanted.count <= symbols.count else { return [] }
        return (0...symbols.count - wanted.count).map { $0..<$0 + wanted.count }
            .filter { symbols[$0].elementsEqual(wanted) { $0.scalar == $1 } }
    }

    // MARK: Slope

    /// The words, as ranges of symbols: those of one have one box.
    private var words: [Range<Int>] {
        var words: [Range<Int>] = []
        for place in symbols.indices {
            let before = place > 0 ? symbols[place - 1] : nil
            // A blank stands between two of one height.
            let goesOn = before.map {
                ($0.top, $0.bottom) == (symbols[place].top, symbols[place].bottom)
                    && symbols[place].left - $0.right < 0.5
            }
            if goesOn == true {
                words[words.count - 1] = words[words.count - 1].lowerBound..<place + 1
            } else {
                words.append(place..<place + 1)
            }
        }
        return words
    }

    /// By how much the line falls on its way to the right, for each pixel; nil of a line that is too short to tell.
    private var slope: Double? {
        let words = words
        guard words.count > 1, let first = words.first.map({ symbols[$0] }), let last = words.last.map({ symbols[$0] })
        else { return nil }
        func middle(_ word: ArraySlice<Symbol>) -> (x: Double, y: Double) {
            let (left, right) = (word.first!.left, word.last!.right)
            return ((left + right) / 2, (word.first!.top + word.first!.bottom) / 2)
        }
        let (start, end) = (middle(first), middle(last))
        let height = first.first!.bottom - first.first!.top
        return end.x - start.x > 4 * height ? (end.y - start.y) / (end.x - start.x) : nil
    }

    /// The slope from which on a box that stands upright does not cover what is read: two degrees.
    static let steepest = 0.035

    /// The height that a word of digits and letters has for the width of one of them, where it is level: 1.2 to 1.8 as fonts go; and
    /// one with Chinese characters for half of their width. The box of a word that falls is higher.
    private static let mostHeight = 2.1, mostChineseHeight = 3.0

    /// True if a word of a range is higher than one that is level.
    package func isSloped(_ range: Range<Int>) -> Bool {
        words.contains { word in
            guard word.overlaps(range), let first = symbols[word].first, let last = symbols[word].last else {
                return false
            }
            let isChinese = symbols[word].contains { $0.scalar.value >= 0x2E80 }
            let shares = symbols[word].reduce(0.0) { $0 + ($1.scalar.value >= 0x2E80 ? 2 : 1) }
            let share = (last.right - first.left) / shares
            return shares >= 4
                && first.bottom - first.top > (isChinese ? Self.mostChineseHeight : Self.mostHeight) * share
        }
    }

    /// True if the lines of a picture fall or rise too much to hide parts of them.
    package static func areSloped(_ lines: [ReadLine]) -> Bool {
        let slopes = lines.compactMap(\.slope).map(abs).sorted()
        return !slopes.isEmpty && slopes[slopes.count / 2] > steepest
    }

    /// The box around symbols, half a character wider on both sides: their edges inside of a word are estimated.
    ///
    /// - Parameter scale: pixels of the result for one that was read.
    package func box(_ range: Range<Int>, scale: Double) -> PixelBox? {
        let part = symbols[range]
        guard let first = part.first, let last = part.last else { return nil }
        let (left, right) = (first.left - first.width / 2, last.right + last.width / 2)
        let top = part.map(\.top).min()!, bottom = part.map(\.bottom).max()!
        let margin = (bottom - top) / 8
        let side = Double(Picture.sidePixelCount)
        let edges = [left, top - margin, right, bottom + margin].map { Int(min(max(0, ($0 * scale).rounded()), side)) }
        return PixelBox(left: edges[0], top: edges[1], width: edges[2] - edges[0], height: edges[3] - edges[1])
    }
}

extension DocumentDecoder {
    /// Tesseract's page segmentation modes: text as a page (3), and scattered (11). Each finds what the other misses.
    private static let segmentations = ["3", "11"]
    /// Pixels a side of the picture that is read at most.
    private static let locatedSide = 4000

    /// The lines of text that a JPEG or PNG shows, once for each way of looking for them, and the pixels of the picture for one
    /// of theirs.
    ///
    /// - Throws: `MarkError`; what reading and `check` throws.
    func lines(in source: any PictureSource, languages: String = usualLanguages) throws -> (
        lines: [ReadLine], scale: Double
    ) {
        let whole = try Watermark.size(of: source)
        do {
            let picture = try Picture(source, width: Self.locatedSide, height: Self.locatedSide)
            let scale = Double(whole.width) / Double(picture.width)
            var map = picture.takeGraymap()
            defer { wipeBytes(&map) }
            // Each has a file of its own: one that two programs read has one place for both.
            let lines = try Parallel.flatMap(Self.segmentations.count) {
                var table = try said(["locate", languages, Self.segmentations[$0]], DecoderInput(map))
                defer { wipeBytes(&table) }
                return Self.lines(inTable: String(decoding: table, as: UTF8.self))
            }
            return (lines, scale)
        } catch let error as PictureError { throw error.markError }
    }

    /// The lines in a table as tesseract writes it: level, page, block, paragraph, line, word, left, top, width, height, how
    /// sure it is, and the text. Rows of level 5 are words. The lines come in the order of the table.
    package static func lines(inTable table: String) -> [ReadLine] {
        var (lines, places): ([ReadLine], [[Substring]: Int]) = ([], [:])
        for row in table.split(separator: "\n") {
            let cells = row.split(separator: "\t", omittingEmptySubsequences: false)
            guard cells.count == 12, cells[0] == "5" else { continue }
            let numbers = cells[6..<10].compactMap { Double($0) }
            guard numbers.count == 4, numbers.allSatisfy({ 0...100_000 ~= $0 }) else { continue }
            let place = places[Array(cells[1..<5]), default: lines.count]
            if place == lines.count {
                lines.append(ReadLine())
                places[Array(cells[1..<5])] = place
            }
            lines[place].add(
                cells[11], left: numbers[0], top: numbers[1], width: numbers[2], height: numbers[3])
        }
        return lines
    }
}
