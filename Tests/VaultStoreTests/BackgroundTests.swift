import Testing
import VaultIO

/// Work on a second thread.
struct BackgroundTests {
    /// Whoever waited has all that the work touched to himself: a file that only the work still held would keep its lock.
    @Test func workIsGoneWhenItWasWaitedFor() throws {
        final class Held {}
        let background = Background()
        for round in 0..<20_000 {
            weak var held: Held?
            do {
                let object = Held()
                held = object
                background.start { withExtendedLifetime(object) {} }
            }
            try background.wait()
            try #require(held == nil, "round \(round)")
        }
    }

    /// An error is thrown once.
    @Test func anErrorIsThrownOnce() throws {
        struct Failed: Error {}
        let background = Background()
        background.start { throw Failed() }
        #expect(throws: Failed.self) { try background.wait() }
        try background.wait()
        background.start {}
        try background.wait()
    }
}
