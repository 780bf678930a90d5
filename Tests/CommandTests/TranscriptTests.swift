import Foundation
import Testing

/// Plays the files of Tests/transcripts: commands as a person types them, and all that they answer.
///
/// A line `$ …` is a command for the shell; the lines behind it are its output, with `! ` before those of standard
/// error; `? N` is the exit status where it is not 0, and `= …` the files that are there afterwards, in order. `…`
/// stands for what is different every time. Lines that begin with `#` are for people. With UPDATE_TRANSCRIPTS=1 in the
/// environment the answers are written down in the place of being compared.
struct TranscriptTests {
    private static let folder = Sandbox.repository.appending(path: "Tests/transcripts")

    static let names: [String] =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { $0.hasSuffix(".txt") }
        .sorted()

    /// A command and its answer.
    private struct Step {
        var comment: [String] = []
        var command = ""
        var answer: [String] = []
    }

    @Test(arguments: names) func transcript(_ name: String) throws {
        let file = Self.folder.appending(path: name)
        let steps = Self.steps(try String(contentsOf: file, encoding: .utf8))
        let sandbox = try Sandbox()
        let isUpdate = ProcessInfo.processInfo.environment["UPDATE_TRANSCRIPTS"] != nil
        var written = ""
        for step in steps {
            let answer = try Self.play(step.command, sandbox)
            if !isUpdate {
                #expect(answer == step.answer, "\(name): $ \(step.command)\n\(answer.joined(separator: "\n"))")
            }
            written += (step.comment + ["$ " + step.command] + answer).map { $0 + "\n" }.joined()
        }
        #expect(!steps.isEmpty)
        if isUpdate { try written.write(to: file, atomically: true, encoding: .utf8) }
    }

    private static func steps(_ text: String) -> [Step] {
        var (steps, comment): ([Step], [String]) = ([], [])
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("$ ") {
                steps.append(Step(comment: comment, command: String(line.dropFirst(2))))
                comment = []
            } else if line.hasPrefix("#") || line.isEmpty {
                comment.append(line)
            } else if !steps.isEmpty {
                steps[steps.count - 1].answer.append(line)
            }
        }
        return steps
    }

    private static func play(_ command: String, _ sandbox: Sandbox) throws -> [String] {
        let outcome = try sandbox.shell("qvault() { \"$Q\" \"$@\"; }\n\(command)")
        let files = try sandbox.shell("find . -type f -printf '%P\\n' | LC_ALL=C sort").text
        func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }
        let status = outcome.code == 0 ? [] : ["? \(outcome.code)"]
        // The folder of the tests does not matter.
        let errors = lines(outcome.errors).filter { !$0.contains("kept in memory") && !$0.contains("存放在内存") }
        let answer = lines(outcome.text) + errors.map { "! " + $0 } + status
        return (answer + ["= " + lines(files).joined(separator: " ")]).map(mask)
    }

    /// Ids, hashes, sizes of times and the like become `…`.
    private static func mask(_ line: String) -> String {
        line.replacing(
            /\b[0-9a-f]{32,64}\b|\b([a-z]{5}-){7}[a-z]{5}\b|\b[0-9a-f]{8}(?=  )|\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?Z?)?/,
            with: "…"
        )
        .replacing(/"milliseconds":\d+/, with: "\"milliseconds\":…")
        .replacing(/[^ ]*\/qvault-test-[0-9A-F-]+/, with: "…")
    }

}
