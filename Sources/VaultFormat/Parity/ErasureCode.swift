import CISAL

/// A Reed–Solomon code over GF(2^8) with a Cauchy matrix (Spec/container.md, 3.9): any `dataCount` of its blocks give the others.
package struct ErasureCode: Sendable {
    /// Blocks of data, and of parity; 255 together at most.
    package let dataCount, parityCount: Int
    /// Rows of parity, one behind the other, each with a coefficient for every block of data.
    private let matrix: [UInt8]
    private let tables: [UInt8]

    package init(dataCount: Int, parityCount: Int) {
        (self.dataCount, self.parityCount) = (dataCount, parityCount)
        var matrix = [UInt8](repeating: 0, count: parityCount * dataCount)
        unsafe qv_code_matrix(Int32(parityCount), Int32(dataCount), &matrix)
        self.matrix = matrix
        tables = Self.tables(matrix, inputs: dataCount, outputs: parityCount)
    }

    private static func tables(_ matrix: [UInt8], inputs: Int, outputs: Int) -> [UInt8] {
        var tables = [UInt8](repeating: 0, count: 32 * inputs * outputs)
        unsafe qv_code_tables(matrix, Int32(inputs), Int32(outputs), &tables)
        return tables
    }

    private static func multiply(
        _ tables: [UInt8], inputs: Int, outputs: Int, _ from: Span<UInt8>, into to: inout MutableSpan<UInt8>,
        padding: Int = 0
    ) {
        let stride = from.count / inputs
        precondition(from.count % inputs == 0 && to.count == stride * outputs && padding <= stride)
        unsafe from.withUnsafeBufferPointer { from in
            unsafe to.withUnsafeMutableBufferPointer { to in
                guard let start = from.baseAddress, let target = to.baseAddress else { return }
                unsafe qv_code_multiply(
                    tables, Int32(inputs), Int32(outputs), start, target, stride - padding, stride)
            }
        }
    }

    /// Makes all parity of blocks of any length. They stand at equal distances in `data` and in `parity`.
    ///
    /// - Parameter padding: bytes behind each block that are no part of it, less than the distance. Blocks whose distance is a power
    ///   of two push each other out of the processor's caches.
    package func encode(_ data: Span<UInt8>, into parity: inout MutableSpan<UInt8>, padding: Int = 0) {
        Self.multiply(tables, inputs: dataCount, outputs: parityCount, data, into: &parity, padding: padding)
    }

    /// The blocks of data at `places`, from as many `rows` of parity less what the other blocks of data contribute to them.
    ///
    /// - Parameter rest: the rows, one behind the other; its length is a multiple of their number.
    package func solve(_ places: [Int], rows: [Int], _ rest: [UInt8]) -> [UInt8] {
        precondition(!places.isEmpty && places.count == rows.count)
        let count = Int32(places.count)
        var small = rows.flatMap { row in places.map { matrix[row * dataCount + $0] } }
        var inverse = [UInt8](repeating: 0, count: small.count)
        let failed = unsafe qv_code_invert(&small, &inverse, count)
        precondition(failed == 0, "every part of a Cauchy matrix has an inverse")
        var solved = [UInt8](repeating: 0, count: rest.count)
        var target = solved.mutableSpan
        Self.multiply(
            Self.tables(inverse, inputs: places.count, outputs: places.count), inputs: places.count,
            outputs: places.count, rest.span, into: &target)
        return solved
    }
}

/// CRC-32C (RFC 3720, B.4) of two pieces, one behind the other.
package func crc32c(_ first: Span<UInt8>, _ second: Span<UInt8>) -> UInt32 {
    unsafe first.withUnsafeBufferPointer { first in
        unsafe second.withUnsafeBufferPointer { second in
            unsafe qv_crc32c(first.baseAddress, first.count, second.baseAddress, second.count)
        }
    }
}

/// CRC-32C of a piece.
package func crc32c(_ bytes: Span<UInt8>) -> UInt32 { crc32c(bytes, bytes.extracting(first: 0)) }
