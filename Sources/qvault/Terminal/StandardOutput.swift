import CSystem
import Glibc
import VaultFormat
import VaultIO

/// Standard output: results, buffered.
struct StandardOutput: ~Copyable {
    private var buffer: [UInt8] = []

    /// Writes text for people, or JSON. Control characters from data are escaped, also where nobody escaped them before.
    mutating func write(_ text: String) throws { try write(raw: terminalSafe(text, keeping: ["\n", "\t"])) }

    /// Writes whole lines for people. On a terminal those that are too long go on in further lines, broken between words.
    mutating func show(_ text: String) throws { try write(Self.fitted(text)) }

    /// The same, of all there is to say; the verb is done.
    @discardableResult
    static func show(_ text: String) throws -> ExitCode { try print(fitted(text)) }

    /// Columns of the terminal that shows it; nil where none does, or hardly any has room.
    static let width: Int? = {
        let columns = isatty(STDOUT_FILENO) == 1 ? Int(qv_terminal_columns(STDOUT_FILENO)) : 0
        return columns >= 20 ? columns : nil
    }()

    private static func fitted(_ text: String) -> String { width.map { linesFitting(text, $0) } ?? text }

    /// Writes text as it is: values that were asked for by name, exports, and what draws on the terminal.
    mutating func write(raw text: String) throws {
        buffer += text.utf8
        if buffer.count >= 1 << 16 { try flush() }
    }

    /// Writes content without copying it.
    mutating func write(_ bytes: Span<UInt8>) throws {
        try flush()
        try writeAll(bytes, to: STDOUT_FILENO, named: "standard output")
    }

    /// Writes text that is all there is to say; the verb is done.
    @discardableResult
    static func print(_ text: String) throws -> ExitCode { try print(raw: terminalSafe(text, keeping: ["\n", "\t"])) }

    /// The same as it is, like `write(raw:)`.
    @discardableResult
    static func print(raw text: String) throws -> ExitCode {
        try writeAll(Array(text.utf8).span, to: STDOUT_FILENO, named: "standard output")
        return .done
    }

    /// Writes a line of JSON.
    @discardableResult
    static func print(_ json: JSON) throws -> ExitCode { try print(json.line + "\n") }

    mutating func flush() throws {
        try writeAll(buffer.span, to: STDOUT_FILENO, named: "standard output")
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes what is made of many items: by all cores, a thousand items at a time, in their order.
    mutating func write<Items: RandomAccessCollection>(
        _ items: Items, _ text: (Items.SubSequence) -> [UInt8]
    ) throws where Items.Index == Int {
        let (step, wave) = (1024, 16)
        for start in stride(from: items.startIndex, to: items.endIndex, by: step * wave) {
            let end = min(start + step * wave, items.endIndex)
            let parts = try Parallel.map((end - start + step - 1) / step) { part in
                let first = start + part * step
                return text(items[first..<min(first + step, end)])
            }
            for part in parts { try write(part.span) }
        }
    }

    /// Writes lines that are made of many items, as above, fitted into a terminal as `show` does.
    mutating func show<Items: RandomAccessCollection>(
        _ items: Items, _ text: (Items.SubSequence) -> [UInt8]
    ) throws where Items.Index == Int {
        guard let width = Self.width else { return try write(items, text) }
        try write(items) { Array(linesFitting(String(decoding: text($0), as: UTF8.self), width).utf8) }
    }

    /// Writes a line for each of many items, as above.
    mutating func show<Items: RandomAccessCollection>(
        linesOf items: Items, _ write: (Items.Element, inout [UInt8]) -> Void
    ) throws where Items.Index == Int {
        try show(items) { Self.lines(of: $0, write) }
    }

    /// Writes a line for each of many items, as above; `write` puts it behind those before it.
    mutating func write<Items: RandomAccessCollection>(
        linesOf items: Items, _ write: (Items.Element, inout [UInt8]) -> Void
    ) throws where Items.Index == Int {
        try self.write(items) { Self.lines(of: $0, write) }
    }

    private static func lines<Items: Collection>(
        of items: Items, _ write: (Items.Element, inout [UInt8]) -> Void
    ) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(items.count * 96)
        for item in items {
            write(item, &text)
            text.append(UInt8(ascii: "\n"))
        }
        return text
    }
}

/// Parts of lines, of which there may be very many: bytes are put where they belong.
extension [UInt8] {
    /// The first digits of an id's hexadecimal form.
    mutating func append(_ id: RecordID, digits: Int) {
        for index in 0..<digits {
            let digit = id.digit(index)
            append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }

    /// Text from the vault, as `printable` shows it.
    mutating func append(printable text: [UInt8]) {
        if isPrintable(text.span) { self += text } else { self += printable(text).utf8 }
    }
}

func writeAll(_ bytes: Span<UInt8>, to descriptor: Int32, named name: String) throws {
    var done = 0
    while done < bytes.count {
        let count = unsafe bytes.extracting(done...).withUnsafeBufferPointer {
            unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
        }
        if count < 0 {
            if errno == EINTR {
                try checkInterrupts()
                continue
            }
            throw IOError("write", BytePath(name), code: errno)
        }
        done += count
    }
}
