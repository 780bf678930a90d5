import VaultIO
import VaultFormat

extension Segment {
    /// The items of all chunks that can be read, and the errors of the others.
    func readableContent() throws -> (content: SegmentContent, errors: [any Error]) {
        var content = SegmentContent()
        var errors: [any Error] = []
        var cipher = try cipher()
        for part in [SegmentPart.live, .past, .lines] {
            var offset = link.offset + head.offset(of: part, headLength: link.headLength)
            for (index, chunk) in head.chunks(part).enumerated() {
                do {
                    let sealed = try file.bytes(at: offset, count: chunk.length)
                    if part == .lines {
                        content.lines += try open(sealed.span, part, index: index, at: offset, &cipher) {
                            try SegmentChunk.lines($0, chunk)
                        }
                    } else {
                        let entries = try open(sealed.span, part, index: index, at: offset, &cipher) {
                            try SegmentChunk.entries($0, part, chunk)
                        }
                        if part == .live { content.live += entries } else { content.past += entries }
                    }
                } catch { errors.append(error) }
                offset += UInt64(chunk.length)
            }
        }
        return (content, errors)
    }
}
