import CImage

/// Jobs of CImage, and what they say.
enum ImageJob {
    /// Runs a job, and throws what it says.
    static func run(_ job: (UnsafeMutablePointer<CChar>?) -> qv_image_status) throws {
        var message = [CChar](repeating: 0, count: Int(QV_IMAGE_MESSAGE))
        let status = unsafe message.withUnsafeMutableBufferPointer { unsafe job($0.baseAddress) }
        guard status != QV_IMAGE_DONE else { return }
        let said = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        throw MarkError(status, said)
    }
}

extension MarkError {
    fileprivate init(_ status: qv_image_status, _ message: String) {
        switch status {
        case QV_IMAGE_UNKNOWN: self = .notAnImage
        case QV_IMAGE_UNSUPPORTED: self = .unsupported
        case QV_IMAGE_TOO_LARGE: self = .tooLarge
        case QV_IMAGE_NO_MEMORY: self = .noMemory
        case QV_IMAGE_BAD_TABLE: self = .badTable
        case QV_IMAGE_NO_FONT: self = .noFont
        case QV_IMAGE_NO_GLYPH:
            self = UInt32(message, radix: 16).flatMap(Unicode.Scalar.init).map(MarkError.noGlyph) ?? .noFont
        default: self = .corrupt(message)
        }
    }
}

func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafeBufferPointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
    let all = strings.map { Array($0.utf8CString) }
    func next(_ index: Int, _ pointers: [UnsafePointer<CChar>?]) -> Result {
        guard index < all.count else { return unsafe pointers.withUnsafeBufferPointer { unsafe body($0) } }
        return unsafe all[index].withUnsafeBufferPointer { unsafe next(index + 1, pointers + [$0.baseAddress]) }
    }
    return unsafe next(0, [])
}

func withOptionalCString<Result>(
    _ string: String?, _ body: (UnsafePointer<CChar>?) -> Result
) -> Result {
    guard let string else { return body(nil) }
    return unsafe string.withCString { unsafe body($0) }
}
