/// The program that these sources are built into, as what it says calls it.
enum Product {
    static let name = "qvault"

    /// A message with the commands in it that this program has.
    static func calling(_ message: String) -> String { message }
}
