import Foundation
import Testing

/// The pages of `qvault help TOPIC`.
struct GuideTests {
    /// The topics as `qvault help` lists them, behind the verbs.
    private static let topics: [String] = {
        let help = (try? Sandbox().qvault("--lang", "en", "help").text) ?? ""
        let list = help.components(separatedBy: "topics, for 'qvault help TOPIC':\n\n").last ?? ""
        return list.components(separatedBy: "\n\n")[0].split(separator: "\n").compactMap {
            $0.split(separator: " ").first.map(String.init)
        }
    }()

    private func page(_ topic: String, _ language: String) throws -> String {
        let outcome = try Sandbox().qvault("--lang", language, "help", topic)
        #expect(outcome.code == 0)
        return outcome.text
    }

    /// The words of each command that a page shows, without the comment.
    private func commands(_ page: String) -> [[String]] {
        page.split(separator: "\n").compactMap { line in
            let line = line.replacing("ExecStart=qvault", with: "    qvault")
            guard line.hasPrefix("    qvault ") else { return nil }
            return line.prefix { $0 != "#" }.split(separator: " ").map(String.init)
        }
    }

    @Test func thereAreTopics() throws {
        #expect(
            Self.topics.starts(with: ["start", "window", "cards", "finding", "pictures"]) && Self.topics.count >= 11)
    }

    /// Both languages show the same commands, and the command knows each verb and option.
    @Test(arguments: topics) func commandsAreKnown(_ topic: String) throws {
        let sandbox = try Sandbox()
        let shown = try commands(page(topic, "en"))
        // The list of all verbs has placeholders, which each language says: as many of them, behind the same words.
        let chinese = try commands(page(topic, "zh"))
        if topic == "reference" {
            let verbs = shown.map { Array($0.prefix { !$0.contains(where: \.isUppercase) }) }
            #expect(chinese.map(\.count) == shown.map(\.count))
            #expect(zip(chinese, verbs).allSatisfy { $0.starts(with: $1) } && verbs.allSatisfy { $0.count > 1 })
        } else {
            #expect(chinese == shown)
        }
        // A bare 'qvault' lists the cards.
        for words in shown where words.count > 1 {
            let kin = [
                "app", "card", "due", "settings", "attach", "config", "watermark", "key", "rekey", "fund", "asset",
                "policy", "parity",
                "holding", "diagnosis", "position",
            ]
            let isPair = kin.contains(words[1]) && words.count > 2 && !words[2].hasPrefix("-")
            let verb = words.dropFirst().prefix(isPair ? 2 : 1).joined(separator: " ")
            let help = try sandbox.shell("$Q \(verb) --help")
            #expect(help.code == 0, "\(words)")
            for option in words where option.hasPrefix("--") {
                #expect(help.text.contains("\(option) ") || help.text.contains("\(option)\n"), "\(words): \(option)")
            }
        }
    }

    /// A page is Markdown for a terminal: it has a title, and no line is longer than 120 columns.
    @Test(arguments: topics, ["en", "zh"]) func pagesFitATerminal(_ topic: String, _ language: String) throws {
        let text = try page(topic, language)
        #expect(text.hasPrefix("# ") && text.hasSuffix("\n"))
        for line in text.split(separator: "\n") where !line.contains("|") && topic != "exit-codes" {
            #expect(line.count <= 120, "\(line)")
        }
    }
}
