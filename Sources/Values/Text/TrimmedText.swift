extension StringProtocol {
    /// Without the spaces around it.
    package var trimmed: String {
        let body = drop { $0 == " " }
        return String(body.prefix(body.count - body.reversed().prefix { $0 == " " }.count))
    }
}
