import CQRencode

/// The modules of a QR code (ISO/IEC 18004), by the libqrencode library.
package struct QRModules: Sendable {
    /// Modules on a side.
    package let width: Int
    private let isDark: [Bool]
    /// Light modules around it, which readers want.
    package static let margin = 4

    /// The code of some bytes, with the correction level M (15 %).
    ///
    /// - Returns: nil where they are too many.
    package init?(_ content: Span<UInt8>) {
        let code = unsafe content.withUnsafeBufferPointer {
            unsafe QRcode_encodeData(Int32($0.count), $0.baseAddress, 0, QR_ECLEVEL_M)
        }
        unsafe self.init(code)
    }

    /// The code of a text of digits, capital letters and a few signs, with the correction level L (7 %).
    ///
    /// - Returns: nil where the version does not hold it.
    package init?(_ text: String, version: Int32) {
        unsafe self.init(QRcode_encodeString(text, version, QR_ECLEVEL_L, QR_MODE_8, 1))
        guard width == Self.width(ofVersion: version) else { return nil }
    }

    private init?(_ code: UnsafeMutablePointer<QRcode>?) {
        guard let code = unsafe code else { return nil }
        defer { unsafe QRcode_free(code) }
        let width = unsafe Int(code.pointee.width)
        let modules = unsafe UnsafeBufferPointer(start: code.pointee.data, count: width * width)
        (self.width, isDark) = unsafe (width, modules.map { $0 & 1 == 1 })
    }

    /// Modules on a side of a version.
    package static func width(ofVersion version: Int32) -> Int { 17 + 4 * Int(version) }

    /// True for a dark module; those outside are light.
    package func isDark(_ x: Int, _ y: Int) -> Bool {
        (0..<width).contains(x) && (0..<width).contains(y) && isDark[y * width + x]
    }
}
