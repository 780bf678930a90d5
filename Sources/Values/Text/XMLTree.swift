import CExpat

/// An XML document as a tree, by Expat. A document type, which could define entities that grow without end, is refused.
package final class XMLElement {
    /// Its name.
    package let name: String
    /// By name.
    package let attributes: [String: String]
    /// In their order.
    package fileprivate(set) var children: [XMLElement] = []
    /// The text directly in it.
    package fileprivate(set) var text = ""
    /// The line at which it begins, counted from 1.
    package let line: Int

    fileprivate init(_ name: String, _ attributes: [String: String], _ line: Int) {
        (self.name, self.attributes, self.line) = (name, attributes, line)
    }

    /// The first child of this name.
    package subscript(_ name: String) -> XMLElement? { children.first { $0.name == name } }

    /// Elements within elements at most.
    fileprivate static let depth = 128

    /// - Parameters:
    ///   - name: elements that are handed out when they are read, and are not in the tree: many need no memory. Those within
    ///     one of them are part of it.
    ///   - take: gets such an element, and the elements around it, the outermost first.
    /// - Returns: the root.
    /// - Throws: `MalformedText`, with the place.
    package static func parse(
        _ bytes: [UInt8], handing name: String, _ take: (XMLElement, [XMLElement]) -> Void
    ) throws -> XMLElement {
        try withoutActuallyEscaping(take) { try parse(bytes, XMLBuilder.Taker(name: name, take: $0)) }
    }

    private static func parse(_ bytes: [UInt8], _ taker: XMLBuilder.Taker) throws -> XMLElement {
        guard let parser = unsafe XML_ParserCreate("UTF-8") else {
            throw MalformedText("no memory for it", line: 1)
        }
        defer { unsafe XML_ParserFree(parser) }
        let builder = unsafe XMLBuilder(parser, taker)
        unsafe XML_SetUserData(parser, Unmanaged.passUnretained(builder).toOpaque())
        unsafe XML_SetElementHandler(
            parser, { unsafe XMLBuilder.of($0)?.open($1, $2) }, { data, _ in unsafe XMLBuilder.of(data)?.close() })
        unsafe XML_SetCharacterDataHandler(parser) { unsafe XMLBuilder.of($0)?.add($1, Int($2)) }
        unsafe XML_SetStartDoctypeDeclHandler(parser) { data, _, _, _, _ in
            unsafe XMLBuilder.of(data)?.refuse("has a document type, which no export of KeePass has")
        }
        // In pieces: the parser keeps a tag that does not end, and the attributes of one tag may fill any memory.
        let (step, longestTag) = (1 << 18, 1 << 20)
        for start in stride(from: 0, through: bytes.count, by: step) {
            let end = min(start + step, bytes.count)
            let status = unsafe bytes.withUnsafeBufferPointer { all in
                unsafe UnsafeBufferPointer(rebasing: all[start..<end]).withMemoryRebound(to: CChar.self) {
                    unsafe XML_Parse(parser, $0.baseAddress, Int32($0.count), end == bytes.count ? 1 : 0)
                }
            }
            guard status == XML_STATUS_OK else { throw builder.error() }
            guard unsafe end - Int(XML_GetCurrentByteIndex(parser)) <= step + longestTag else {
                throw MalformedText("a tag longer than 1 MiB", line: builder.line)
            }
            if end == bytes.count { break }
        }
        guard let root = builder.root else { throw MalformedText("nothing is in it", line: 1) }
        return root
    }
}

/// Builds the tree while Expat reads.
@safe private final class XMLBuilder {
    private let parser: XML_Parser
    private var open: [XMLElement] = []
    private var text: [[UInt8]] = []
    private(set) var root: XMLElement?
    private var refusal: Phrase?
    private var budget = TextBudget()
    private var budgetOutside = TextBudget()

    /// The elements that are handed out, and to whom.
    struct Taker {
        let name: String
        let take: (XMLElement, [XMLElement]) -> Void
    }

    private let taker: Taker
    /// The number of open elements around the one that is to be handed out.
    private var taken: Int?

    init(_ parser: XML_Parser, _ taker: Taker) {
        self.taker = taker
        unsafe self.parser = parser
    }

    static func of(_ data: UnsafeMutableRawPointer?) -> XMLBuilder? {
        unsafe data.map { unsafe Unmanaged<XMLBuilder>.fromOpaque($0).takeUnretainedValue() }
    }

    var line: Int { unsafe Int(XML_GetCurrentLineNumber(parser)) }

    func open(_ name: UnsafePointer<XML_Char>?, _ list: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?) {
        guard let name = unsafe name, open.count < XMLElement.depth else { return refuse("is nested too deep") }
        do { try budget.takeValues(line: line) } catch { return refuse("has more than 500000 elements") }
        var attributes: [String: String] = [:]
        var next = 0
        while let list = unsafe list, let key = unsafe list[next], let value = unsafe list[next + 1] {
            attributes[unsafe String(cString: key)] = unsafe String(cString: value)
            next += 2
        }
        let element = unsafe XMLElement(String(cString: name), attributes, line)
        if taken == nil, element.name == taker.name, !open.isEmpty {
            (taken, budgetOutside) = (open.count, budget)
        } else {
            open.last?.children.append(element)
        }
        if root == nil { root = element }
        open.append(element)
        text.append([])
    }

    func close() {
        let element = open.removeLast()
        element.text = String(decoding: text.removeLast(), as: UTF8.self)
        guard taken == open.count else { return }
        taker.take(element, open)
        // Its elements are free again; it counts as a record.
        (taken, budget) = (nil, budgetOutside)
        do { try budget.takeRecord(line: line) } catch { refuse("has more than 100000 records") }
    }

    func add(_ bytes: UnsafePointer<XML_Char>?, _ count: Int) {
        guard !text.isEmpty else { return }
        unsafe text[text.count - 1] += UnsafeRawBufferPointer(start: bytes, count: count)
    }

    func refuse(_ what: Phrase) {
        if refusal == nil { refusal = what }
        unsafe XML_StopParser(parser, 0)
    }

    func error() -> MalformedText {
        if let refusal { return MalformedText(refusal, line: line) }
        let text = unsafe XML_ErrorString(XML_GetErrorCode(parser)).map { unsafe String(cString: $0) } ?? ""
        return MalformedText("no XML: \(text)", line: line)
    }
}
