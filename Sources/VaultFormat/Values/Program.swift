/// The program that these sources make.
public enum Program {
    /// Its version.
    public static let version = "0.3.0"
    /// The writer's name in each commit.
    package static let writer = "qvault \(version)"
}
