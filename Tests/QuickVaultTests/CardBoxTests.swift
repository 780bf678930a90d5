import Foundation
import Testing

/// The app of the tutorial, run as a person runs it.
struct CardBoxTests {
    private func run(_ folder: URL, _ words: [String], password: String = "correct-horse-battery") throws -> String {
        let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let process = Process()
        process.executableURL = tests.deletingLastPathComponent().appending(path: "cardbox")
        process.arguments = [folder.appending(path: "v.qvault").path] + words
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data("\(password)\n".utf8))
        try input.fileHandleForWriting.close()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: text, as: UTF8.self)
    }

    @Test func theAppOfTheTutorialWorks() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "cardbox-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try run(folder, ["add", "text", "家", "text=文三路1号"]).hasPrefix("stored "))
        #expect(try run(folder, ["add", "address", "家"]).hasPrefix("cardbox: name is missing; phone is missing"))
        #expect(try run(folder, ["find", "wensan"]) == "家\n")
        #expect(try run(folder, ["list"]) == "text\t家\n")
        #expect(try run(folder, ["check"]).hasSuffix("sound\n"))
        #expect(
            try run(folder, ["list"], password: "another-horse") == "cardbox: this password does not open the vault\n")
        #expect(try run(folder, ["list"], password: "") == "cardbox: an empty password\n")
    }
}
