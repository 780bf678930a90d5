/// Types that carry names of SwiftUI and SwiftData, which an app imports beside the library.

/// As `SwiftUI.Path`.
public enum Path {}
/// As `SwiftUI.Environment`.
public enum Environment {}
/// As `SwiftUI.Transaction`.
public enum Transaction {}
/// As `SwiftUI.Label`.
public enum Label {}
/// As `SwiftData.Query`.
public enum Query {}
