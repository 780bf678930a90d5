import CImage
import VaultCrypto
public import VaultFormat
import Watermark

/// A small picture: pixels of three bytes (red, green, blue), row by row.
public struct Picture: Equatable, Sendable {
    /// Pixels across and down.
    public let width: Int, height: Int
    /// `width * height * 3` bytes.
    public private(set) var pixels: [UInt8]
    /// Its colour profile (ICC); empty for none.
    let profile: [UInt8]
    /// Dots per inch; 0 where nobody said.
    let dpi: Double

    /// Pixels a side at most of what comes from outside.
    static let sidePixelCount = Int(QV_IMAGE_SIDE)
    /// Pixels at most of a picture that is drawn anew.
    static let drawnPixelCount = Int(QV_IMAGE_DRAWN)

    package init(width: Int, height: Int, pixels: [UInt8], profile: [UInt8] = []) {
        precondition(pixels.count == width * height * 3, "three bytes a pixel")
        (self.width, self.height, self.pixels, self.profile, dpi) = (width, height, pixels, profile, 0)
    }

    /// Reads a JPEG or PNG, made smaller to fit into `width` by `height` pixels, turned upright.
    ///
    /// - Throws: `PictureError`.
    public init(reading data: [UInt8], width: Int, height: Int) throws(PictureError) {
        do { try self.init(data, width: width, height: height) } catch let error as PictureError { throw error } catch {
            preconditionFailure("what is in memory can be read: \(error)")
        }
    }

    /// The same from wherever it is.
    ///
    /// - Throws: `PictureError`; what reading throws.
    init(_ source: any PictureSource, width: Int, height: Int) throws {
        var pixels = unsafe qv_pixels()
        try unsafe source.withInput { input in
            let (status, message) = unsafe Self.run {
                unsafe qv_image_read(input, UInt32(max(1, width)), UInt32(max(1, height)), &pixels, $0)
            }
            guard status == QV_IMAGE_DONE else { throw PictureError(status, message) }
        }
        self.width = unsafe Int(pixels.width)
        self.height = unsafe Int(pixels.height)
        let count = self.width * self.height * 3
        self.pixels = unsafe Array(UnsafeBufferPointer(start: pixels.bytes, count: count))
        profile = unsafe Array(UnsafeBufferPointer(start: pixels.profile, count: pixels.profile_length))
        dpi = unsafe pixels.dpi
        unsafe qv_image_free(pixels.bytes, count)
        unsafe qv_image_free(pixels.profile, pixels.profile_length)
    }

    /// True if another picture, made as large, shows the same: each number of either lies within those of the three by three
    /// pixels around its place in the other, give or take `tolerance` of 255. The outermost pixels do not count.
    func shows(sameAs other: Picture, tolerance: Int32) -> Bool {
        unsafe pixels.withUnsafeBufferPointer { mine in
            unsafe other.pixels.withUnsafeBufferPointer { theirs in
                unsafe qv_pictures_agree(
                    mine.baseAddress, UInt32(width), UInt32(height), theirs.baseAddress, UInt32(other.width),
                    UInt32(other.height), tolerance) != 0
            }
        }
    }

    /// Overwrites its pixels, which nobody needs any more.
    mutating func wipe() { wipeBytes(&pixels) }

    /// - Throws: `PictureError`.
    package func jpeg(quality: Int32) throws(PictureError) -> [UInt8] {
        var data: UnsafeMutablePointer<UInt8>?
        var count = 0
        let (status, message) = unsafe Self.run { message in
            // They are only read.
            unsafe pixels.withUnsafeBufferPointer { bytes in
                unsafe profile.withUnsafeBufferPointer { profile in
                    var view = unsafe qv_pixels(
                        width: UInt32(width), height: UInt32(height),
                        bytes: UnsafeMutablePointer(mutating: bytes.baseAddress),
                        profile: profile.isEmpty ? nil : UnsafeMutablePointer(mutating: profile.baseAddress),
                        profile_length: profile.count, dpi: dpi)
                    return unsafe qv_jpeg_write(&view, quality, &data, &count, message)
                }
            }
        }
        guard status == QV_IMAGE_DONE else { throw PictureError(status, message) }
        defer { unsafe qv_image_free(data, count) }
        return unsafe Array(UnsafeBufferPointer(start: data, count: count))
    }

    /// Runs a job, and reads what it says.
    private static func run(_ job: (UnsafeMutablePointer<CChar>?) -> qv_image_status) -> (qv_image_status, String) {
        var message = [CChar](repeating: 0, count: Int(QV_IMAGE_MESSAGE))
        let status = unsafe message.withUnsafeMutableBufferPointer { unsafe job($0.baseAddress) }
        return (status, String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }
}

/// Why a picture cannot be read.
public enum PictureError: Error, Equatable, Sendable {
    /// Neither JPEG nor PNG.
    case unknown
    /// Damaged or cut short, in the words of the library that reads it.
    case corrupt(String)
    /// A variant that is not handled.
    case unsupported
    /// More than 30,000 pixels a side, 120 million in all, or 100 scans.
    case tooLarge
    /// There is no memory.
    case noMemory

    init(_ status: qv_image_status, _ message: String) {
        switch status {
        case QV_IMAGE_UNKNOWN: self = .unknown
        case QV_IMAGE_UNSUPPORTED: self = .unsupported
        case QV_IMAGE_TOO_LARGE: self = .tooLarge
        case QV_IMAGE_NO_MEMORY: self = .noMemory
        default: self = .corrupt(message)
        }
    }

    /// The same as the reason why a picture cannot be marked or read for its text.
    var markError: MarkError {
        switch self {
        case .unknown: .notAnImage
        case .corrupt(let message): .corrupt(message)
        case .unsupported: .unsupported
        case .tooLarge: .tooLarge
        case .noMemory: .noMemory
        }
    }

    /// For people.
    public var reason: Phrase {
        switch self {
        case .unknown: "is neither JPEG nor PNG"
        case .corrupt(let message): "is damaged or cut short (\(message))"
        case .unsupported: "is a kind of picture that is not handled"
        case .tooLarge: "has too many pixels"
        case .noMemory: "takes more memory than there is"
        }
    }
}
