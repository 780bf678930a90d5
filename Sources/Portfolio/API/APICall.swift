import Cards
public import Values
import VaultFormat
public import VaultStore

package enum APIMethod: String, CaseIterable, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"
}

/// An error in a call: a status of HTTP, and the error in words.
public struct APIProblem: Error, Sendable {
    /// 404: there is no such thing. 405: not with this method. 422: what was given is wrong.
    public let status: Int
    /// The error, with the field or the path that has it.
    public let what: String

    init(_ status: Int, _ what: String) { (self.status, self.what) = (status, what) }

    init(_ refusal: Refusal) {
        let status =
            switch refusal.reason {
            case .notFound: 404
            case .invalid, .misused: 422
            }
        self.init(status, (refusal.key.map { "\($0) " } ?? "") + refusal.what.description)
    }
}

/// The clock, the language and the feed of a call, which come from outside of the vault.
public struct APISurroundings: Sendable {
    /// Brings new prices of a fund into a transaction.
    public typealias Refresh = @Sendable (Fund, VaultTransaction) throws -> Void

    /// The day from which days are counted.
    public let today: Day
    /// Now.
    public let now: Timestamp
    /// The language of titles and sentences.
    public let language: Language
    /// Asks a feed; nil where there is none.
    public let refresh: Refresh?

    /// The clock, a language, and perhaps a feed.
    public init(today: Day, now: Timestamp, language: Language = .chinese, refresh: Refresh? = nil) {
        (self.today, self.now, self.language, self.refresh) = (today, now, language, refresh)
    }
}

/// The type of an answer, and how a value becomes one.
struct APIAnswer<Value>: Sendable {
    let type: APIType
    let json: @Sendable (Value) -> JSON

    static func object(_ shape: Shape<Value>) -> APIAnswer { APIAnswer(type: .object(shape.object)) { shape.json($0) } }

    /// A list of them.
    static func list<Item>(_ shape: Shape<Item>) -> APIAnswer where Value == [Item] {
        APIAnswer(type: .list(.object(shape.object))) { .list($0.map(shape.json)) }
    }

    static func json(_ type: APIType) -> APIAnswer where Value == JSON { APIAnswer(type: type) { $0 } }
}

/// One endpoint: what it takes, what it answers, and how.
package struct Endpoint: Sendable {
    /// An error that it answers with.
    typealias Fault = (status: Int, what: String)

    package let method: APIMethod
    /// The path, with words in braces for what differs.
    package let path: String
    /// Its purpose, as a sentence without the full stop.
    let summary: String
    let query: [APIField]
    /// The type of the body; nil where there is none.
    let request: APIType?
    package let response: APIType
    let errors: [Fault]
    let answer: @Sendable (APICall) throws -> JSON

    /// The error of a request whose fields are checked together.
    static let wrongField: Fault = (422, "a field is missing or wrong; all are named")

    init<Value>(
        _ method: APIMethod, _ path: String, _ summary: String, query: [APIField] = [], request: APIType? = nil,
        errors: [Fault] = [], _ answer: APIAnswer<Value>, of value: @escaping @Sendable (APICall) throws -> Value
    ) {
        (self.method, self.path, self.summary) = (method, path, summary)
        (self.query, self.request, self.errors, response) = (query, request, errors, answer.type)
        self.answer = { answer.json(try value($0)) }
    }

    /// The words in the place of the braces; nil where the path is another one.
    func parameters(of given: [String]) -> [String: String]? {
        let parts = path.split(separator: "/").map(String.init)
        guard parts.count == given.count else { return nil }
        var values: [String: String] = [:]
        for (part, word) in zip(parts, given) {
            if part.hasPrefix("{") {
                values[String(part.dropFirst().dropLast())] = word
            } else if part != word {
                return nil
            }
        }
        return values
    }
}

struct APIValues {
    /// Texts by field; null and what is left out have none.
    var known: [String: String] = [:]
    /// Fields that are null.
    var cleared: Set<String> = []
    /// Members that the object does not have.
    var unknown: [(String, JSON)] = []
    /// Fields that have to be given.
    var required: [String] = []
    /// The fields that are missing or have another type, in words.
    var complaints: [String] = []

    /// The same, where nothing is wrong.
    ///
    /// - Throws: `APIProblem` 422 naming all that is.
    func checked() throws -> APIValues {
        guard complaints.isEmpty else { throw APIProblem(422, complaints.joined(separator: "; ")) }
        return self
    }
}

/// A call that an endpoint answers.
package struct APICall {
    /// The words of the path that stand in the place of the braces.
    let parameters: [String: String]
    let query: [String: String]
    /// The body; null where there is none.
    let body: JSON
    /// The vault, before anything changes.
    let vault: Vault
    /// Where changes go; nil of a call that only reads.
    let transaction: VaultTransaction?
    let surroundings: APISurroundings

    var today: Day { surroundings.today }

    /// Where changes go.
    func change() throws -> VaultTransaction {
        guard let transaction else { throw APIProblem(405, "this call changes the vault: it needs a transaction") }
        return transaction
    }

    /// The body's values by field. What is missing or has another type is named by what takes them.
    ///
    /// - Throws: `APIProblem` 422 of a body that is no object.
    func values(_ object: APIObject, _ json: JSON? = nil) throws -> APIValues {
        guard let members = (json ?? body).members else { throw APIProblem(422, "the body is no JSON object") }
        var values = APIValues()
        values.required = object.required
        for field in object.fields {
            guard let value = members.last(where: { $0.0 == field.name })?.1, !value.isNull else {
                if members.contains(where: { $0.0 == field.name }) { values.cleared.insert(field.name) }
                if !field.isOptional { values.complaints.append("\(field.name) is missing") }
                continue
            }
            if let text = field.type.text(value) {
                values.known[field.name] = text
            } else {
                values.complaints.append("\(field.name) \(field.type.refusal)")
            }
        }
        values.unknown = members.filter { member in !object.fields.contains { $0.name == member.0 } }
        return values
    }

    func day(_ name: String) throws -> Day? {
        try query[name].map { text in
            guard let day = Day(stored: text) else { throw APIProblem(422, "\(name) is no day like 2026-01-31") }
            return day
        }
    }
}

extension APIType {
    fileprivate var refusal: String {
        guard case .word(let words) = self else { return "is no \(said)" }
        return "is none of \(words.joined(separator: ", "))"
    }

    /// A value of a request as text; nil where it has another type. Numbers may be texts, and have any places.
    fileprivate func text(_ value: JSON) -> String? {
        switch self {
        case .text, .note: value.text
        case .day: value.text.flatMap { Day(stored: $0) == nil ? nil : $0 }
        case .money, .percent, .number, .price, .part:
            value.decimal?.shortest.description
                ?? value.text.flatMap { ExactDecimal(printed: $0)?.shortest.description }
        case .word(let words): value.text.flatMap { words.contains($0) ? $0 : nil }
        case .any, .object, .list, .map: value.line
        case .id, .time, .flag, .integer: nil
        }
    }
}
