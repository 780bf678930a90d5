import CSystem
import Portfolio
import VaultFormat
import VaultIO

extension Verb {
    static let fundFeeds = Verb(
        name: "fund feeds",
        summary: "the feeds of this machine; 'check' tries what each can reach, 'add' sets one up",
        operands: "[check|add [EXAMPLE]]", operandCount: 0...2, options: [.vault, .json],
        example: "qvault fund feeds check",
        note: "feeds run without files, keys and processes of yours, as far as the kernel lets it"
    ) { arguments in
        if arguments.words.first == "add" { return try FeedExample.add(arguments) }
        guard arguments.operands.isEmpty || arguments.words == ["check"] else {
            throw Failure(.usage, "fund feeds: check, add EXAMPLE, or nothing")
        }
        let feeds = try FundFeeds.configured().map { key, feed -> (key: String, feed: Feed, reached: FeedReach?) in
            let isAsked = !arguments.operands.isEmpty
            return (key, feed, isAsked ? try FeedReach(feed, vault: Session.vaultPath(arguments)) : nil)
        }
        let layers = qv_sandbox_layers()
        let isSandboxed = try Config.flag(.feedSandbox)
        try StandardOutput.list(feeds, arguments) { key, feed, reached in
            [
                "feed": key, "command": feed.command, "sandbox": isSandboxed,
                "files_kept": isSandboxed && layers & 1 != 0, "calls_kept": isSandboxed && layers & 2 != 0,
                "reached": reached?.names,
            ]
        } text: { key, feed, reached in
            "\(key)  \(printable(feed.command.utf8))" + (reached.map { "\n  \($0.said.said)" } ?? "")
        }
        if feeds.isEmpty {
            Messages.say("no feed is set on this machine")
            Messages.hint("'qvault fund feeds add' lists examples that are installed")
        }
        if !isSandboxed {
            Messages.say("feed-sandbox is no: a feed can do all that you can")
        } else if layers != 3 {
            Messages.say("this kernel has no Landlock or no seccomp: no feed is run")
        }
        return feeds.contains { $0.reached?.isAnything ?? false } ? .inPart : .done
    }
}

/// What a feed can reach of the person's things: a shell script tries it where the feed would run.
private struct FeedReach {
    /// The things that were reached.
    let names: [String]

    init(_ feed: Feed, vault: BytePath) throws {
        let home = environment("HOME") ?? "/root"
        let absolute = (try? Machine.store.files.resolve(vault)) ?? vault
        let probe = """
            q() { "$@" >/dev/null 2>&1; }
            q head -c1 \(quoted(absolute.description)) && echo vault
            q ls \(quoted(home)) && echo home
            q touch \(quoted(home + "/.qvault-feed-probe")) && echo write && rm -f \(quoted(home + "/.qvault-feed-probe"))
            q ls /proc/1 && echo processes
            q chmod u+r \(quoted(absolute.description)) && echo 'modes of files'
            q prlimit --pid $PPID --nofile && echo 'limits of processes'
            true
            """
        let output = try feed.running(probe).output(for: [])
        names = String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    var isAnything: Bool { !names.isEmpty }

    var said: Phrase {
        isAnything
            ? "reaches: \(names.listed)"
            : "reaches neither the vault, nor the home folder, nor other processes"
    }
}

/// A word for a shell.
private func quoted(_ text: String) -> String { "'" + text.replacing("'", with: #"'\''"#) + "'" }
