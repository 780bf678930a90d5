/// The program that these sources are built into.
enum Product {
    static let name = "qvault"

    /// A message, with this program's name in the commands that it has.
    static func calling(_ message: String) -> String { message }
}
