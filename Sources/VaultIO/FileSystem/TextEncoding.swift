import CSystem

/// The encoding of text that another program wrote: UTF-8, or else GB 18030, which tables of Chinese programs are written in.
package enum TextEncoding {
    /// Characters of UTF-8 that have three bytes or more, as Chinese ones have, and places that are no UTF-8.
    struct Evidence {
        private var (good, bad) = (0, 0)

        mutating func add(_ bytes: ArraySlice<UInt8>) {
            guard bytes.contains(where: { $0 > 0x7F }) else { return }
            if String(validating: bytes, as: UTF8.self) != nil {
                good += bytes.count { $0 >= 0xE0 }
                return
            }
            var decoder = UTF8()
            var source = bytes.makeIterator()
            while true {
                switch decoder.decode(&source) {
                case .scalarValue(let scalar): good += scalar.value > 0x7FF ? 1 : 0
                case .error: bad += 1
                case .emptyInput: return
                }
            }
        }

        /// Text in GB 18030 has many of the bad places, and hardly any of the good characters. UTF-8 with a few wrong bytes
        /// stays what it is.
        var isUTF8: Bool { 2 * bad <= good }
    }

    /// Text of GB 18030 as UTF-8; as it is where it is none.
    static func utf8(ofGB18030 text: [UInt8]) -> [UInt8] {
        var target = [UInt8](repeating: 0, count: text.count * 3 + 4)
        let count = unsafe qv_from_gb18030(text, text.count, &target, target.count)
        return count < 0 ? text : Array(target[..<count])
    }

    /// A whole text as UTF-8, and whether it was that before.
    package static func utf8(_ text: [UInt8]) -> (text: [UInt8], wasUTF8: Bool) {
        var evidence = Evidence()
        evidence.add(text[...])
        return evidence.isUTF8 ? (text, true) : (utf8(ofGB18030: text), false)
    }
}
