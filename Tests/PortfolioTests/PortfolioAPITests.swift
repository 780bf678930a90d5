import Foundation
import Testing

import Portfolio

/// The declarations of Spec/api.md against the recorded calls. Tests/CommandTests/ApiTests makes the calls.
struct PortfolioAPITests {
    private struct Recorded {
        let method: String
        let target: String
        let answer: String
    }

    private static let recorded: [Recorded] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "TestVectors/api")
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return files.compactMap { file in
            let lines = (try? String(contentsOf: file, encoding: .utf8))?.components(separatedBy: "\n") ?? []
            let words = lines.first?.split(separator: " ", maxSplits: 1).map(String.init) ?? []
            return lines.count > 2 && words.count == 2
                ? Recorded(method: words[0], target: words[1], answer: lines[2]) : nil
        }
    }()

    @Test func everyCallIsRecorded() throws {
        #expect(PortfolioAPI.endpoints.count == 44)
        let answered = Self.recorded.filter { !$0.answer.hasPrefix(#"{"status":4"#) }
        let calls = Set(answered.compactMap { try? PortfolioAPI($0.method, $0.target).name })
        let missing = PortfolioAPI.endpoints.map { "\($0.method.rawValue) \($0.path)" }.filter { !calls.contains($0) }
        #expect(missing == ["POST /api/funds/{code}/refresh"], "a feed is another machine's; ApiTests has one")
    }

    @Test func answersAreAsDeclared() throws {
        #expect(Self.recorded.count > 60)
        for recorded in Self.recorded where !recorded.answer.hasPrefix(#"{"status":4"#) {
            let complaint = try PortfolioAPI(recorded.method, recorded.target).complaint(aboutAnswer: recorded.answer)
            #expect(complaint == nil, "\(recorded.method) \(recorded.target)")
        }
    }

    @Test(
        arguments: [
            (#"{"status":"fine"}"#, "$.status"), (#"{"state":"ok"}"#, "no Health"), ("[]", "no Health"),
            (#"{"status":null}"#, "$.status"),
        ]) func anotherAnswerIsNoticed(_ line: String, _ said: String) throws
    {
        let complaint = try PortfolioAPI("GET", "/api/health").complaint(aboutAnswer: line)
        #expect(complaint?.contains(said) ?? false, "\(complaint ?? "")")
    }

    @Test(
        arguments: [
            ("GET", "/api/none", 404), ("GET", "api", 404), ("DELETE", "/api/health", 405),
            ("GET", "/api/liquid?x=1", 422),
            ("GET", "", 404),
        ]) func callsThatAreNone(_ method: String, _ target: String, _ status: Int)
    {
        #expect { _ = try PortfolioAPI(method, target) } throws: { ($0 as? APIProblem)?.status == status }
    }
}
