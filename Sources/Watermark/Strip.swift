import CImage
import VaultCrypto

/// A row of text as it repeats along a row: how much of each pixel a stroke covers, not turned.
package struct Strip: Sendable {
    /// Pixels across and down.
    let width, height: Int
    let bytes: [UInt8]
    /// Pixels after which it repeats.
    package let length: Double

    /// Draws parts one behind the other; variable ones stand in slots (Spec/product/watermark.md, 3.2).
    ///
    /// - Parameters:
    ///   - size: pixels of an em.
    ///   - gap: ems behind the last part.
    ///   - bar: the coverage of a bar behind each slot, 0 to 255.
    ///   - hidesVariables: leaves the slots empty.
    /// - Throws: `MarkError`.
    init(
        _ parts: [MarkText.Part], family: String?, size: Double, gap: Double, bar: Int = 0, hidesVariables: Bool = false
    ) throws {
        var coverage = unsafe qv_coverage()
        do {
            try unsafe ImageJob.run { message in
                unsafe withCStrings(parts.map(\.text)) { texts in
                    unsafe withOptionalCString(family) { family in
                        var list = unsafe parts.indices.map { place in
                            let isVariable = parts[place].isVariable
                            return unsafe qv_text_part(
                                text: texts[place], has_slot: isVariable ? 1 : 0,
                                is_hidden: isVariable && hidesVariables ? 1 : 0, bar: Int32(bar), from: 0, to: 0)
                        }
                        return unsafe qv_strip_draw(&list, list.count, family, size, gap, &coverage, message)
                    }
                }
            }
        } catch MarkError.tooLarge {
            throw MarkError.textTooLarge
        }
        (width, height) = unsafe (Int(coverage.width), Int(coverage.height))
        length = unsafe coverage.line_width
        bytes = unsafe Array(UnsafeBufferPointer(start: coverage.bytes, count: width * height))
        unsafe qv_image_free(coverage.bytes, bytes.count)
    }
}

extension Strip {
    /// A line along a row, as thick as pixels of the strip say.
    init(lineOf thickness: Double) {
        let (length, high) = (64, Int(thickness.rounded(.up)))
        let row = { (coverage: Double) in [UInt8](repeating: UInt8(255 * min(1, coverage)), count: length + 1) }
        let lines = (0..<high).map { row(thickness - Double($0)) }
        (width, height, self.length) = (length + 1, high + 2, Double(length))
        bytes = row(0) + lines.joined() + row(0)
    }
}

extension [Strip] {
    /// Calls a function with the strips as C has them.
    func withC<Result>(_ body: (UnsafeBufferPointer<qv_coverage>) throws -> Result) rethrows -> Result {
        func next(_ index: Int, _ list: [qv_coverage]) throws -> Result {
            guard index < count else { return try unsafe list.withUnsafeBufferPointer { try unsafe body($0) } }
            let strip = self[index]
            return try unsafe strip.bytes.withUnsafeBufferPointer { bytes in
                let coverage = unsafe qv_coverage(
                    width: UInt32(strip.width), height: UInt32(strip.height),
                    bytes: UnsafeMutablePointer(mutating: bytes.baseAddress), line_width: strip.length)
                return try unsafe next(index + 1, list + [coverage])
            }
        }
        return try unsafe next(0, [])
    }
}
