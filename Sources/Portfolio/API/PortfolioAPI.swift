import Cards
import VaultFormat
public import VaultStore

/// The objects of Spec/api.md: paths and JSON, without a socket. Calls that read take a vault, calls that change one take a
/// transaction, which the caller commits.
public struct PortfolioAPI: Sendable {
    private let endpoint: Endpoint
    private let parameters: [String: String]
    private let query: [String: String]

    /// All endpoints, in the order of Spec/api.md.
    package static let endpoints: [Endpoint] = [
        Endpoint.dashboard, Endpoint.holdings, Endpoint.funds, Endpoint.portfolio, Endpoint.position, Endpoint.liquid,
        Endpoint.stable, Endpoint.insurance, Endpoint.diagnosis,
    ].flatMap(\.self)

    /// The call of a method and a path, perhaps with words behind a `?`.
    ///
    /// - Throws: `APIProblem` 404 of a path that is none, 405 of one with another method, 422 of a word that it does not take.
    public init(_ method: String, _ target: String) throws {
        let halves = target.split(separator: "?", maxSplits: 1).map(String.init)
        let words = (halves.first ?? "").split(separator: "/").map(\.percentDecoded)
        let known = Self.endpoints.compactMap { endpoint in endpoint.parameters(of: words).map { (endpoint, $0) } }
        guard !known.isEmpty else { throw APIProblem(404, "no path \(target); 'qvault api' lists them") }
        guard let found = known.first(where: { $0.0.method.rawValue == method.uppercased() }) else {
            let methods = known.map(\.0.method.rawValue).joined(separator: ", ")
            throw APIProblem(405, "\(target) takes \(methods), and not \(method)")
        }
        (endpoint, parameters) = found
        var query: [String: String] = [:]
        for word in halves.dropFirst().first?.split(separator: "&") ?? [] {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(\.percentDecoded)
            guard endpoint.query.contains(where: { $0.name == parts[0] }) else {
                throw APIProblem(422, "\(parts[0]) is no parameter of \(endpoint.path)")
            }
            query[parts[0]] = parts.count > 1 ? parts[1] : ""
        }
        self.query = query
    }

    /// Method and path, as Spec/api.md has them.
    package var name: String { "\(endpoint.method.rawValue) \(endpoint.path)" }
    /// True if it changes the vault: it takes a transaction.
    public var isChange: Bool { endpoint.method != .get }
    /// True if it asks a feed.
    public var asksFeed: Bool { endpoint.path.hasSuffix("/refresh") }
    /// True if it takes a body.
    public var takesBody: Bool { endpoint.request != nil }

    /// The answer to a call that reads.
    ///
    /// - Parameter isPrivate: `****` in the place of each amount.
    /// - Returns: JSON, one line.
    /// - Throws: `APIProblem`; all that reading a vault throws.
    public func answer(_ vault: Vault, _ surroundings: APISurroundings, isPrivate: Bool = false) throws -> String {
        try answer([], vault, nil, surroundings, isPrivate: isPrivate)
    }

    /// The answer to a call that changes, with its body.
    ///
    /// - Returns: JSON, one line.
    /// - Throws: `APIProblem`, and nothing is to be committed; all that storing throws.
    public func answer(
        _ body: [UInt8], in transaction: VaultTransaction, _ surroundings: APISurroundings, isPrivate: Bool = false
    ) throws -> String {
        try answer(body, transaction.before, transaction, surroundings, isPrivate: isPrivate)
    }

    private func answer(
        _ body: [UInt8], _ vault: Vault, _ transaction: VaultTransaction?, _ surroundings: APISurroundings,
        isPrivate: Bool
    ) throws -> String {
        var json = JSON.null
        if takesBody {
            do { json = try JSON(parsing: body) } catch let error as MalformedText {
                throw APIProblem(422, "the body, line \(error.line): \(error.what)")
            }
        }
        let call = APICall(
            parameters: parameters, query: query, body: json, vault: vault, transaction: transaction,
            surroundings: surroundings)
        let answer: JSON
        do { answer = try endpoint.answer(call) } catch let refusal as Refusal { throw APIProblem(refusal) }
        return (isPrivate ? endpoint.response.hidden(answer) : answer).line
    }

    /// The first thing in an answer that its declaration does not allow; nil if there is none.
    package func complaint(aboutAnswer line: String, isPrivate: Bool = false) throws -> String? {
        endpoint.response.complaint(about: try JSON(parsing: Array(line.utf8)), isHidden: isPrivate)
    }
}
