import CSystem
import Glibc
import Synchronization

/// The pages that are there. Each of them has a request open that waits for changes; a page that is closed says so.
final class Presence: Sendable {
    private struct State {
        var hasCome = false
        /// Pages that wait for changes.
        var waiting = 0
        /// When the last request came, in milliseconds of a clock that stands still while the machine sleeps.
        var last = now()
        var saidGoodbye = false
    }

    private let state = Mutex(State())

    /// Milliseconds for which nobody need come, by what is known of the page.
    private static let first: Int64 = 600_000, broken: Int64 = 60_000, closed: Int64 = 3_000

    func came() {
        state.withLock { state in
            (state.hasCome, state.last) = (true, now())
        }
    }

    /// A page is closed. Another one waits still, if there is one.
    func left() { state.withLock { ($0.last, $0.saidGoodbye) = (now(), true) } }

    /// Counts a page while it waits. Only this takes a goodbye back: other requests of a closed page may arrive behind it.
    func waiting<R>(_ body: () -> R) -> R {
        state.withLock { ($0.waiting, $0.saidGoodbye) = ($0.waiting + 1, false) }
        defer { state.withLock { ($0.waiting, $0.last) = ($0.waiting - 1, now()) } }
        return body()
    }

    /// True once no page is there any more.
    var isOver: Bool {
        state.withLock { state in
            let patience = !state.hasCome ? Self.first : state.saidGoodbye ? Self.closed : Self.broken
            return state.waiting == 0 && now() - state.last > patience
        }
    }
}

private func now() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}
