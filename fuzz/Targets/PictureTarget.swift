import CImage
import VaultFormat
import Cards
import Exchange
import Pictures

/// A JPEG or PNG: looked at, made small, and marked. What is marked is as large as before, and can be read as before.
func fuzzPicture(_ bytes: [UInt8]) {
    var facts = qv_image_facts()
    let isSeen = run { qv_image_look($0, &facts, $1) }(bytes)
    guard isSeen == QV_IMAGE_DONE else { return }
    // Larger ones only take longer.
    guard UInt64(facts.width) * UInt64(facts.height) <= 1 << 20 else { return }
    var pixels = qv_pixels()
    let isRead = run { qv_image_read($0, 64, 64, &pixels, $1) }(bytes)
    if isRead == QV_IMAGE_DONE {
        expect((1...64).contains(pixels.width) && (1...64).contains(pixels.height), "a picture fits where it should")
    }
    qv_image_free(pixels.bytes, Int(pixels.width) * Int(pixels.height) * 3)
    qv_image_free(pixels.profile, pixels.profile_length)
    for (status, marked) in [mark(bytes, isPNG: facts.is_png != 0), markDensely(bytes, facts)] {
        guard status == QV_IMAGE_DONE, let marked else { continue }
        check(marked, facts, isRead)
    }
}

private func check(_ marked: [UInt8], _ facts: qv_image_facts, _ isRead: qv_image_status) {
    var after = qv_image_facts()
    let isSeenAgain = run { qv_image_look($0, &after, $1) }(marked)
    expect(
        isSeenAgain == QV_IMAGE_DONE && after.width == facts.width && after.height == facts.height
            && after.orientation == facts.orientation, "a marked picture is as large and as upright as before")
    var pixels = qv_pixels()
    let isReadAgain = run { qv_image_read($0, 64, 64, &pixels, $1) }(marked)
    expect(isReadAgain == isRead, "a marked picture can be read if the original can")
    qv_image_free(pixels.bytes, Int(pixels.width) * Int(pixels.height) * 3)
    qv_image_free(pixels.profile, pixels.profile_length)
}

private typealias Job = (UnsafePointer<qv_input>, UnsafeMutablePointer<CChar>?) -> qv_image_status

/// Runs a job on bytes: half of them as a stream.
private func run(_ job: @escaping Job) -> ([UInt8]) -> qv_image_status {
    { bytes in
        var message = [CChar](repeating: 0, count: Int(QV_IMAGE_MESSAGE))
        let status = message.withUnsafeMutableBufferPointer { message in
            bytes.withUnsafeBufferPointer { bytes in
                var start = bytes.baseAddress
                var input = qv_input(bytes: start, length: bytes.count, read: nil, context: nil)
                guard bytes.count % 2 == 1 else { return job(&input, message.baseAddress) }
                return withUnsafeMutablePointer(to: &start) {
                    input = qv_input(bytes: nil, length: bytes.count, read: readPart, context: $0)
                    return job(&input, message.baseAddress)
                }
            }
        }
        expect(message.contains(0), "a message ends")
        return status
    }
}

private let readPart: @convention(c) (UnsafeMutableRawPointer?, Int, UnsafeMutablePointer<UInt8>?, Int) -> Int32 = {
    let start = $0?.assumingMemoryBound(to: UnsafePointer<UInt8>?.self).pointee
    guard let start, let target = $2 else { return 1 }
    target.update(from: start + $1, count: $3)
    return 0
}

/// Marks with rings at some places, in part outside.
private func mark(_ bytes: [UInt8], isPNG: Bool) -> (qv_image_status, [UInt8]?) {
    var drawing = (0..<40 * 24).map { UInt8(truncatingIfNeeded: ($0 % 40) * 9 ^ ($0 / 40) * 31) }
    let places: [Int32] = [-20, -12, 5, 3, 30, 9, -7, 40, 300, 90]
    var marked: [UInt8] = []
    var touched: UInt64 = 0
    let status = drawing.withUnsafeMutableBufferPointer { drawing in
        var coverage = qv_coverage(width: 40, height: 24, bytes: drawing.baseAddress, line_width: 40)
        return withUnsafePointer(to: &coverage) { coverage in
            places.withUnsafeBufferPointer { places in
                var mark = qv_mark()
                (mark.drawing, mark.places, mark.count) = (coverage, places.baseAddress, places.count / 2)
                (mark.opacity, mark.is_light) = (0.7, isPNG ? 0 : -1)
                let status = withUnsafeMutablePointer(to: &marked) {
                    var output = qv_output(write: writePart, context: $0)
                    return run { (isPNG ? qv_png_mark : qv_jpeg_mark)($0, &mark, &output, $1) }(bytes)
                }
                touched = mark.touched
                return status
            }
        }
    }
    return (status, status == QV_IMAGE_DONE && touched > 0 ? marked : nil)
}

/// Rows of rings and of stripes all over, by the bytes themselves.
private func markDensely(_ bytes: [UInt8], _ facts: qv_image_facts) -> (qv_image_status, [UInt8]?) {
    let (isAcross, isCalm) = (facts.orientation > 4, bytes.count % 2 == 0)
    var strip = (0..<40 * 24).map { UInt8(truncatingIfNeeded: ($0 % 40) * 9 ^ ($0 / 40) * 31) }
    for place in 0..<40 { (strip[place], strip[23 * 40 + place]) = (0, 0) }
    for row in 0..<24 { strip[row * 40 + 39] = strip[row * 40] }
    let noise = (0..<65_536).map { bytes[$0 % bytes.count] &+ UInt8(truncatingIfNeeded: $0 * 7) }
    let chips = [UInt8](repeating: bytes[bytes.count / 2], count: 201 * 201 / 8 + 1)
    var (marked, touched): ([UInt8], UInt64) = ([], 0)
    let status = strip.withUnsafeMutableBufferPointer { strip in
        var coverage = qv_coverage(width: 40, height: 24, bytes: strip.baseAddress, line_width: 39)
        return withUnsafePointer(to: &coverage) { coverage in
            noise.withUnsafeBufferPointer { noise in
                chips.withUnsafeBufferPointer { chips in
                    var dense = qv_dense()
                    (dense.width, dense.height) =
                        isAcross ? (facts.height, facts.width) : (facts.width, facts.height)
                    (dense.orientation, dense.em) = (facts.orientation, 8 + Double(bytes[0]))
                    dense.rows = qv_rows(
                        strips: coverage, count: 1, scale: 1, degrees: Double(bytes[0]), pitch: 30, phase: 3,
                        opacity: 0.34, gap: 5, has_sentences: isCalm ? 1 : 0, bar: 64)
                    dense.micro = qv_rows(
                        strips: coverage, count: 1, scale: 2, degrees: Double(bytes[0]) - 14, pitch: 13, phase: 5,
                        opacity: isCalm ? 0 : 0.24, gap: 0, has_sentences: 0, bar: 0)
                    (dense.slow, dense.fine) = isCalm ? (0, 0) : (0.30, 0.36)
                    (dense.core, dense.reach) = isCalm ? (0.5, 4) : (0, 0)
                    (dense.noise, dense.chips) = (noise.baseAddress, chips.baseAddress)
                    dense.frame_chips = bytes.count % 4 == 0 ? chips.baseAddress : nil
                    return withUnsafePointer(to: &dense) { dense in
                        var mark = qv_mark()
                        (mark.dense, mark.is_light) = (dense, bytes.count % 3 == 0 ? 1 : -1)
                        let status = withUnsafeMutablePointer(to: &marked) {
                            var output = qv_output(write: writePart, context: $0)
                            return run {
                                (facts.is_png != 0 ? qv_png_mark : qv_jpeg_mark)($0, &mark, &output, $1)
                            }(bytes)
                        }
                        touched = mark.touched
                        return status
                    }
                }
            }
        }
    }
    return (status, status == QV_IMAGE_DONE && touched > 0 ? marked : nil)
}

private let writePart: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, Int) -> Int32 = {
    $0?.assumingMemoryBound(to: [UInt8].self).pointee.append(contentsOf: UnsafeBufferPointer(start: $1, count: $2))
    return 0
}

/// A file of another program: read whole or refused.
func fuzzImport(_ bytes: [UInt8]) {
    guard let format = bytes.first else { return }
    let content = Array(bytes.dropFirst())
    let batch: ImportBatch?
    switch format % 5 {
    case 0: batch = try? ImportBatch(native: Array((NativeExport.head + "\n").utf8) + content)
    case 1: batch = try? ImportBatch(csv: content, kind: format & 64 != 0 ? Schema.named("contact") : nil)
    case 2: batch = try? ImportBatch(keePass: content, limit: 1 << 16)
    case 3: batch = try? ImportBatch(zip: content, limit: 1 << 16)
    default: batch = try? ImportBatch(json: content)
    }
    for item in batch?.items ?? [] {
        expect(!item.overview.title.isEmpty && item.overview.title.count <= 255, "a title is one")
        guard case .card(let card) = item.content else { continue }
        let read = try? RecordFields(parsing: card.fields.bytes)
        expect(read == card.fields, "what is imported is read again")
    }
}
