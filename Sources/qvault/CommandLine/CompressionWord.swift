import Cards
import Values

extension Compression {
    /// As a person types it, as an option or a setting.
    init(typed word: String) throws {
        guard let compression = Compression(rawValue: word.lowercased()) else {
            throw Failure(.invalid, "'\(printable(word.utf8))' is no way to compress", hint: "auto or off")
        }
        self = compression
    }
}
