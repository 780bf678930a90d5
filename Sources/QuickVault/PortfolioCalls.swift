import Portfolio

extension VaultFile {
    /// The assets, debts and policies of a family.
    public func household() async throws -> Household { try await read { try Household($0) } }

    /// Answers a call of Spec/api.md, as `qvault api` does: one that reads, or one that changes, with one save.
    ///
    /// - Parameters:
    ///   - method: `GET`, `POST`, `PUT`, `DELETE`.
    ///   - target: a path, perhaps with words behind a `?`.
    ///   - body: JSON; empty where the call takes none.
    ///   - surroundings: the day, the clock and the feeds of this machine.
    ///   - isPrivate: `****` in the place of each amount.
    /// - Returns: JSON, one line.
    /// - Throws: `APIProblem`, and nothing is saved; as `read` and `save`.
    public func answer(
        _ method: String, _ target: String, body: [UInt8] = [], _ surroundings: APISurroundings, isPrivate: Bool = false
    ) async throws -> String {
        let call = try PortfolioAPI(method, target)
        guard call.isChange else { return try await read { try call.answer($0, surroundings, isPrivate: isPrivate) } }
        return try await save { try call.answer(body, in: $0, surroundings, isPrivate: isPrivate) }
    }
}
