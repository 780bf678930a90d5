/// The program that these sources make.
public enum Program {
    /// Its version.
    public static let version = "0.1.0"
    /// What each commit says of who wrote it.
    package static let writer = "qvault \(version)"
}
