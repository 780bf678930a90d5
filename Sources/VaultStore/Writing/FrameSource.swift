import VaultCrypto
import VaultFormat
import VaultIO

/// Content on its way into stored records, one after the other, compressed where that saves something (Spec/container.md,
/// 3.7).
///
/// The first 16 KiB are a sample: where it does not shrink by a twentieth, all passes as it is, and nothing is copied. Else
/// as many frames are made at once as there are threads.
final class FrameSource {
    private static let sampleByteCount = 16_384
    private enum State { case untried, asItIs, compressed, ended }

    private var state = State.untried
    private var lanes: [FrameLane] = []
    /// Bytes to hand out before more are made.
    private var output: [ArraySlice<UInt8>] = []
    /// The lengths of the frames so far; none where the content stands as it is.
    private var frameLengths: [UInt32] = []
    private var contentLength: UInt64 = 0

    /// Wipes what is left of a record.
    func end() {
        output = []
        for lane in lanes { lane.wipeAll() }
    }

    /// Begins with another record.
    func begin() {
        (state, output, contentLength) = (.untried, [], 0)
        frameLengths.removeAll(keepingCapacity: true)
    }

    /// The lengths of the content and of what stands for it, once all was handed out; nil where it stands as it is.
    var lengths: (content: UInt64, stored: UInt64)? {
        guard !frameLengths.isEmpty else { return nil }
        let table = UInt64(FrameTable.bytes(frameLengths).count)
        return (contentLength, frameLengths.reduce(table) { $0 + UInt64($1) })
    }

    /// Fills the buffer with the next bytes to be stored; less means the end.
    ///
    /// - Parameters:
    ///   - read: as for `PayloadWriter.store`.
    ///   - failure: set to what `read` threw; what came before is handed out as if it were all.
    func fill(
        _ buffer: inout MutableSpan<UInt8>, _ read: (inout MutableSpan<UInt8>) throws -> Int,
        _ failure: inout (any Error)?
    ) throws -> Int {
        var done = 0
        while done < buffer.count {
            if !output.isEmpty {
                var rest = buffer._mutatingExtracting(done...)
                done += rest.take(from: &output[0])
                if output[0].isEmpty { output.removeFirst() }
                continue
            }
            switch state {
            case .untried:
                var rest = buffer._mutatingExtracting(done...)
                done += try tryOut(&rest, read, &failure)
                if state == .asItIs { return done }
            case .compressed: try makeFrames(read, &failure)
            case .ended: return done
            case .asItIs:
                var rest = buffer._mutatingExtracting(done...)
                return done + (try read(&rest))
            }
        }
        return done
    }

    /// Reads the first chunk to where it will stand, and compresses it if that saves something.
    ///
    /// - Returns: the bytes that stay there.
    private func tryOut(
        _ buffer: inout MutableSpan<UInt8>, _ read: (inout MutableSpan<UInt8>) throws -> Int,
        _ failure: inout (any Error)?
    ) throws -> Int {
        var count = 0
        do { count = try read(&buffer) } catch { failure = error }
        let isAll = count < buffer.count
        state = isAll ? .ended : .asItIs
        guard let lane = try lane(for: buffer.span.extracting(0..<count)) else { return count }
        if isAll {
            try lane.encode()
            guard lane.frame.count < count else { return count }
            try take(lane)
        } else {
            state = .compressed
        }
        var taken = buffer._mutatingExtracting(0..<count)
        wipe(&taken)
        return 0
    }

    /// A lane with the beginning of a content that shrinks; nil if it does not.
    private func lane(for beginning: Span<UInt8>) throws -> FrameLane? {
        let sample = beginning.extracting(0..<min(beginning.count, Self.sampleByteCount))
        if sample.looksRandom { return nil }
        if lanes.isEmpty { lanes.append(try FrameLane()) }
        guard try lanes[0].shrinks(sample) else { return nil }
        lanes[0].load(beginning)
        return lanes[0]
    }

    private func makeFrames(
        _ read: (inout MutableSpan<UInt8>) throws -> Int, _ failure: inout (any Error)?
    ) throws {
        while lanes.count < Parallel.threadCount { lanes.append(try FrameLane()) }
        // The first of a record begins with its sample.
        for lane in frameLengths.isEmpty ? lanes[1...] : lanes[...] { lane.count = 0 }
        var full = 0
        while full < lanes.count, try lanes[full].read(upTo: FrameTable.contentByteCount, read, &failure) { full += 1 }
        let made = full < lanes.count && lanes[full].count > 0 ? full + 1 : full
        try Parallel.forEach(made) { _, index in try lanes[index].encode() }
        try lanes[..<made].forEach(take)
        guard full < lanes.count else { return }
        output.append(FrameTable.bytes(frameLengths)[...])
        state = .ended
    }

    private func take(_ lane: FrameLane) throws {
        output.append(lane.frame)
        frameLengths.append(UInt32(lane.frame.count))
        contentLength += UInt64(lane.count)
        try StoredRecord.checkLength(contentLength)
    }
}

/// One frame and the content for it. Used by one thread at a time.
private final class FrameLane {
    private(set) var content: [UInt8] = []
    /// Bytes of content.
    var count = 0
    private var room: [UInt8] = []
    /// Bytes of `content` and of `room` that hold something.
    private var (used, usedRoom) = (0, 0)
    private(set) var frame: ArraySlice<UInt8> = []
    /// Bytes of content that the frame holds; nil if there is none.
    private var framedCount: Int?
    private let encoder: FrameEncoder

    init() throws { encoder = try FrameEncoder() }

    deinit { wipeAll() }

    /// Wipes content and frame, as far as they were used.
    func wipeAll() {
        frame = []
        content.withMutableSlice(0..<used) { wipe(&$0) }
        room.withMutableSlice(0..<usedRoom) { wipe(&$0) }
        (count, used, usedRoom, framedCount) = (0, 0, 0, nil)
    }

    /// Takes over the beginning of a content, of which a sample may have been compressed.
    func load(_ beginning: Span<UInt8>) {
        makeRoom(for: beginning.count)
        count = beginning.count
        used = max(used, count)
        _ = content.withMutableSlice(0..<count) { $0.copy(beginning) }
    }

    private func makeRoom(for end: Int) {
        guard content.count < end else { return }
        var larger = [UInt8](repeating: 0, count: end)
        larger.replaceSubrange(0..<count, with: content[..<count])
        content.withMutableSlice(0..<used) { wipe(&$0) }
        content = larger
    }

    /// Reads on up to `end` bytes of content; false where there are no more.
    func read(
        upTo end: Int, _ read: (inout MutableSpan<UInt8>) throws -> Int, _ failure: inout (any Error)?
    ) throws -> Bool {
        framedCount = nil
        makeRoom(for: end)
        while count < end {
            let piece = count..<min(count + Layout.chunkByteCount, end)
            do {
                let done = try content.withMutableSlice(piece) { try read(&$0) }
                count += done
                used = max(used, count)
                if done < piece.count { return false }
            } catch {
                failure = error
                return false
            }
        }
        return true
    }

    /// True if the beginning of a content shrinks by a twentieth.
    func shrinks(_ sample: Span<UInt8>) throws -> Bool {
        try encode(sample)
        return frame.count * 20 <= sample.count * 19
    }

    /// Makes the frame of the content, and opens it again.
    func encode() throws {
        let content = content
        let all = content.span.extracting(0..<count)
        if framedCount != count { try encode(all) }
        let frame = frame
        try encoder.prove(frame.span, of: all)
    }

    private func encode(_ content: Span<UInt8>) throws {
        let bound = FrameEncoder.bound(content.count)
        // The frame before was handed out: it may share the room no longer.
        frame = []
        if room.count < bound { room = [UInt8](repeating: 0, count: bound) }
        let length = try room.withMutableSlice(0..<room.count) { try encoder.encode(content, into: &$0) }
        usedRoom = max(usedRoom, length)
        framedCount = content.count
        frame = room[..<length]
    }
}

extension Span<UInt8> {
    /// True if the last 4 KiB hold all bytes about equally often, as what is compressed or encrypted does: random bytes
    /// are the same as another one of them 1 in 256 times, those of others much more often.
    fileprivate var looksRandom: Bool {
        let end = extracting(Swift.max(0, count - 4096)..<count)
        guard end.count >= 1024 else { return false }
        var counts = [Int](repeating: 0, count: 256)
        for index in end.indices { counts[Int(end[index])] += 1 }
        let same = counts.reduce(0) { $0 + $1 * ($1 - 1) }
        return same * 256 * 20 < end.count * (end.count - 1) * 23
    }
}
