import CImage
import CTrace
import Synchronization

/// A leaked picture laid over the original that it is said to be a copy of, and the signals of copies in it
/// (Spec/product/watermark.md, 8).
public struct LeakTrace: Sendable {
    /// The misfit that the registration left, in pixels of the picture that was compared (1,600 pixels along its long side at most): the
    /// median of the places that can tell.
    public var residual: Double { registration.residual }
    /// The upper quartile of the correlations of leak and original in squares of 32 by 32 pixels, -1 to 1.
    public var fit: Double { registration.fit }
    /// True if it lies so well over the original that it can tell.
    public var isSure: Bool { residual <= Self.residualLimit && fit >= Self.fitLimit }
    /// Places of the original that were found again.
    public var matchCount: Int { Int(registration.matches) }

    private let leak: Leak
    private let original: GrayPicture
    private let registration: qv_registration
    /// Tables of scores: the part that each byte of chips adds.
    private let scores, frameScores: [Float]
    private let byteCount: Int

    /// Pixels of the long side at which pictures are compared.
    private static let longSide = 1600
    /// Pixels of the long side of a leak, which may be more than the original.
    private static let leakSide = 2400
    /// A registration that leaves more pixels than this cannot tell.
    public static let residualLimit = 0.5
    /// A registration that fits less than this cannot tell.
    public static let fitLimit = 0.5

    /// The standing of a score, in standard deviations of the score of a copy that it is not.
    public enum Verdict: String, Sendable {
        /// 6 and more: this copy, among a thousand others too.
        case found
        /// 4.75 and more: fewer than one of a million others reaches it.
        case likely
        /// Less.
        case none

        /// - Parameter score: as `score` gives it.
        public init(_ score: Double) { self = score >= 6 ? .found : score >= 4.75 ? .likely : .none }
    }

    /// A leak that is compared with originals.
    public struct Leak: Sendable {
        let gray: GrayPicture
        /// Its places that are found again, for all originals.
        fileprivate let keypoints: Keypoints

        /// Reads it.
        ///
        /// - Throws: `MarkError`.
        public init(_ picture: any PictureSource) throws {
            self.init(try GrayPicture(picture, longSide: leakSide))
        }

        private init(_ gray: GrayPicture) { (self.gray, keypoints) = (gray, Keypoints(gray)) }

        /// The leak, looked at in another way.
        public func seen(_ view: View) -> Leak {
            switch view {
            case .asItIs: self
            case .mirrored: Leak(gray.mirrored)
            case .inverted: Leak(gray.inverted)
            case .mirroredAndInverted: Leak(gray.mirrored.inverted)
            }
        }
    }

    /// A way to look at a leak. Somebody may have mirrored it, or changed dark for light, so that it is not found.
    public enum View: CaseIterable, Sendable {
        case asItIs, mirrored, inverted, mirroredAndInverted
    }

    /// The parameters of a copy, without its signal.
    public struct Copy: Sendable {
        /// The text of the mark.
        public var text: MarkText
        /// Its style, with the size that it had.
        public var style: MarkStyle
        /// Pixels of the copy.
        public var width, height: Int
        /// The lattice key.
        public var latticeKey: [UInt8]

        /// A copy.
        public init(_ text: MarkText, _ style: MarkStyle, width: Int, height: Int, latticeKey: [UInt8]) {
            (self.text, self.style, self.width, self.height) = (text, style, width, height)
            self.latticeKey = latticeKey
        }

        /// The digest of the drawing with empty slots, as this machine makes it: not that of the share where the font is another.
        ///
        /// - Throws: `MarkError`, `CryptoError`.
        public func drawing() throws -> [UInt8] {
            try LeakTrace.layout(self, hidesVariables: true).drawingDigest()
        }
    }

    /// Lays a leak over an original and the strokes that all copies of a text have in common.
    ///
    /// - Parameters:
    ///   - corners: places in the leak of the original's upper left, upper right, lower right and lower left corner, as parts
    ///     of its width and height; nil where they are to be found.
    /// - Throws: `MarkError`; `TraceError.noMatch` where the leak is no copy of it, or that cannot be told.
    public init(
        _ leak: Leak, of original: any PictureSource, as copy: Copy, corners: [(x: Double, y: Double)]? = nil
    ) throws {
        let gray = try GrayPicture(original, longSide: Self.longSide)
        let layout = try Self.layout(copy, hidesVariables: true)
        let wanted = try Expectation(of: gray, layout, isLight: copy.style.isLight)
        let registration = try Self.registration(leak, wanted.picture, corners)
        try self.init(leak, gray, registration, wanted, layout)
    }

    private init(
        _ leak: Leak, _ original: GrayPicture, _ registration: qv_registration, _ wanted: Expectation,
        _ layout: RowLayout
    ) throws {
        (self.leak, self.original, self.registration) = (leak, original, registration)
        let scale = Double(original.width) / Double(layout.width)
        var laid = try Self.laid(leak, wanted.picture, registration)
        let reach = Int32(max(4, layout.size * scale))
        let grid = qv_signal_grid_of(UInt32(layout.width), UInt32(layout.height))
        let size = qv_cells(across: Int32(grid.across), down: Int32(grid.down), side: grid.side * scale)
        scores = try Self.scores(wanted.picture, laid, reach, wanted.slope, size)
        // The signal of the whole picture is looked for beside the strokes, which may have been painted out.
        for place in laid.indices where abs(wanted.picture.values[place] - original.values[place]) > 0.5 {
            laid[place] = -1
        }
        frameScores = try Self.scores(wanted.picture, laid, reach, wanted.frameSlope, size)
        byteCount = scores.count / 256
    }

    /// The same registration, compared with the strokes of one copy, names among them.
    ///
    /// - Throws: `MarkError`, `CryptoError`.
    public func compared(with copy: Copy) throws -> LeakTrace {
        let layout = try Self.layout(copy, hidesVariables: false)
        let wanted = try Expectation(of: original, layout, isLight: copy.style.isLight)
        return try LeakTrace(leak, original, registration, wanted, layout)
    }

    private static func layout(_ copy: Copy, hidesVariables: Bool) throws -> RowLayout {
        try RowLayout(
            copy.text, copy.style, width: copy.width, height: copy.height, lattice: MarkNumbers(key: copy.latticeKey),
            share: nil, hidesVariables: hidesVariables)
    }

    /// The score of a copy, in standard deviations: by the signal in its strokes, or of the whole picture, whichever says more.
    ///
    /// - Parameter isTracedAllOver: true if the copy bears both.
    /// - Throws: `CryptoError`.
    public func score(shareKey: [UInt8], isTracedAllOver: Bool) throws -> Double {
        let numbers = MarkNumbers(key: shareKey)
        let strokes = Self.score(scores, try numbers.bytes(RowLayout.strokeLabel, count: byteCount))
        guard isTracedAllOver else { return strokes }
        return max(strokes, Self.score(frameScores, try numbers.bytes(RowLayout.frameLabel, count: byteCount)))
    }

    private static func score(_ table: [Float], _ chips: [UInt8]) -> Double {
        unsafe table.withUnsafeBufferPointer { table in
            unsafe chips.withUnsafeBufferPointer { chips in
                unsafe qv_score(table.baseAddress, chips.count, chips.baseAddress)
            }
        }
    }

    private static func registration(
        _ leak: Leak, _ wanted: GrayPicture, _ corners: [(x: Double, y: Double)]?
    ) throws -> qv_registration {
        var found = qv_registration()
        let places = corners?.flatMap { [$0.x * Double(leak.gray.width), $0.y * Double(leak.gray.height)] }
        let status = unsafe wanted.withC { original in
            unsafe leak.gray.withC { gray in
                guard let places else {
                    return unsafe qv_register(original, gray, leak.keypoints.found, nil, &found)
                }
                return unsafe places.withUnsafeBufferPointer {
                    unsafe qv_register(original, gray, nil, $0.baseAddress, &found)
                }
            }
        }
        switch status {
        case QV_REGISTERED: return found
        case QV_REGISTER_NO_MATCH: throw TraceError.noMatch
        default: throw MarkError.noMemory
        }
    }

    /// The leak as it lies over the original; negative where it does not reach, or shows nothing.
    private static func laid(
        _ leak: Leak, _ wanted: GrayPicture, _ registration: qv_registration
    ) throws -> [Float] {
        var laid = [Float](repeating: 0, count: wanted.values.count)
        let status = unsafe wanted.withC { wanted in
            unsafe leak.gray.withC { leak in
                unsafe withUnsafePointer(to: registration) { registration in
                    unsafe laid.withUnsafeMutableBufferPointer { laid in
                        unsafe qv_lay_over(wanted, leak, registration, laid.baseAddress)
                        return unsafe qv_drop_flat(wanted, laid.baseAddress)
                    }
                }
            }
        }
        guard status == 0 else { throw MarkError.noMemory }
        return laid
    }

    private static func scores(
        _ picture: GrayPicture, _ laid: [Float], _ reach: Int32, _ slope: [Float], _ size: qv_cells
    ) throws -> [Float] {
        var (difference, certainty) = (laid, laid)
        var cells = [Float](repeating: 0, count: Int(size.across) * Int(size.down))
        var table = [Float](repeating: 0, count: (cells.count + 7) / 8 * 256)
        var size = size
        let status = unsafe picture.withC { picture in
            unsafe laid.withUnsafeBufferPointer { laid in
                unsafe difference.withUnsafeMutableBufferPointer { difference in
                    unsafe certainty.withUnsafeMutableBufferPointer { certainty in
                        unsafe slope.withUnsafeBufferPointer { slope in
                            unsafe cells.withUnsafeMutableBufferPointer { cells in
                                let status = unsafe qv_difference(
                                    picture, laid.baseAddress, reach, difference.baseAddress, certainty.baseAddress)
                                guard status == 0 else { return status }
                                return unsafe qv_correlate(
                                    picture, difference.baseAddress, certainty.baseAddress, slope.baseAddress, &size,
                                    cells.baseAddress)
                            }
                        }
                    }
                }
            }
        }
        guard status == 0 else { throw MarkError.noMemory }
        unsafe cells.withUnsafeBufferPointer { cells in
            unsafe table.withUnsafeMutableBufferPointer { table in
                unsafe qv_prepare_scores(cells.baseAddress, cells.count, table.baseAddress)
            }
        }
        return table
    }
}

/// Why a leak cannot be traced.
public enum TraceError: Error, Equatable, Sendable {
    /// The original is not found in it.
    case noMatch
}

/// A copy as it is expected to be, and what signals change.
private struct Expectation {
    let picture: GrayPicture
    let slope, frameSlope: [Float]

    init(of gray: GrayPicture, _ layout: RowLayout, isLight: Bool?) throws {
        let empty = [Float](repeating: 0, count: gray.values.count)
        var (expected, slope, frameSlope) = (empty, empty, empty)
        let status = unsafe layout.withC { dense in
            unsafe gray.values.withUnsafeBufferPointer { values in
                unsafe expected.withUnsafeMutableBufferPointer { expected in
                    unsafe slope.withUnsafeMutableBufferPointer { slope in
                        unsafe frameSlope.withUnsafeMutableBufferPointer { frame in
                            var all = unsafe qv_expectation(
                                width: UInt32(gray.width), height: UInt32(gray.height), original: values.baseAddress,
                                expected: expected.baseAddress, slope: slope.baseAddress,
                                frame_slope: frame.baseAddress)
                            return unsafe qv_dense_expect(dense, isLight.map { $0 ? 1 : 0 } ?? -1, &all)
                        }
                    }
                }
            }
        }
        guard status == 0 else { throw MarkError.noMemory }
        (picture, self.slope, self.frameSlope) = (gray.with(expected), slope, frameSlope)
    }
}

/// The keypoints of a leak, which are found when they are asked for first.
/// Sendable: they do not change once they are found, and one thread finds them.
@safe private final class Keypoints: @unchecked Sendable {
    private let gray: GrayPicture
    private let lock = Mutex(())
    private var pointer: OpaquePointer?

    init(_ gray: GrayPicture) { self.gray = gray }

    deinit { unsafe qv_keypoints_free(pointer) }

    /// Nil where there is no memory, which the registration then tells.
    var found: OpaquePointer? {
        unsafe lock.withLock { _ in
            if unsafe pointer == nil { unsafe pointer = unsafe gray.withC { unsafe qv_keypoints_of($0) } }
            return unsafe pointer
        }
    }
}
