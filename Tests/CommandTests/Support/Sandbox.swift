import Foundation
import Pictures

/// A folder of its own and the built command in it. Gone when the test is over.
final class Sandbox {
    /// The result of a run of the command.
    struct Outcome: Equatable {
        /// The exit code; negative: ended by that signal.
        var code: Int32
        var out: Data
        var errors: String

        var text: String { String(decoding: out, as: UTF8.self) }
    }

    static let command: URL = {
        let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        return tests.deletingLastPathComponent().appending(path: "qvault")
    }()
    static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    static let password = "correct-horse-battery"

    let folder: URL
    /// The folder of the log: beside the sandbox's folder, which tests compare before and after.
    var state: URL { URL(filePath: folder.path + "-state") }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "qvault-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { for item in [folder, state] { try? FileManager.default.removeItem(at: item) } }

    /// The usual environment: the password by command, nothing of the person's own.
    var environment: [String: String] {
        [
            "PATH": "/usr/bin:/bin", "HOME": folder.path, "LANG": "C.UTF-8", "XDG_STATE_HOME": state.path,
            "QVAULT_PASSWORD_COMMAND": "printf %s \(Self.password)",
        ].merging(Self.profile) { $1 }
    }

    /// Where a command that is built for `make coverage` writes what it ran.
    private static let profile = ProcessInfo.processInfo.environment.filter { $0.key == "LLVM_PROFILE_FILE" }

    /// Runs `qvault` without a terminal.
    @discardableResult
    func qvault(_ arguments: String..., input: Data = Data(), environment: [String: String]? = nil) throws -> Outcome {
        // setsid: no controlling terminal, whatever the tests were started from.
        try run(["setsid", "-w", Self.command.path] + arguments, input: input, environment: environment)
    }

    /// A function for scripts: `session N` prints the day of the Nth session of Shanghai before the newest, whose prices
    /// begin at 9:15.
    private static let session = """
        session() {
            _left=$1; _day=$((($(date +%s) + 8 * 3600 - 33300) / 86400))
            while [ $(((_day + 3) % 7)) -ge 5 ] || [ $((_left -= 1)) -ge 0 ]; do _day=$((_day - 1)); done
            date -u -d @$((_day * 86400)) +%F
        }

        """

    /// Runs a shell script in the folder, with `$Q` as the command and the function `session`.
    @discardableResult
    package func shell(_ script: String, environment extra: [String: String] = [:]) throws -> Outcome {
        var environment = environment.merging(extra) { $1 }
        environment["Q"] = Self.command.path
        environment["REPOSITORY"] = Self.repository.path
        return try run(["setsid", "-w", "sh", "-c", Self.session + script], input: Data(), environment: environment)
    }

    private func run(_ words: [String], input: Data, environment: [String: String]?) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.currentDirectoryURL = folder
        process.environment = environment ?? self.environment
        let (inputFile, outFile, errorFile) = try (temporary(input), temporary(Data()), temporary(Data()))
        process.standardInput = try FileHandle(forReadingFrom: inputFile)
        process.standardOutput = try FileHandle(forWritingTo: outFile)
        process.standardError = try FileHandle(forWritingTo: errorFile)
        try process.run()
        process.waitUntilExit()
        defer { for file in [inputFile, outFile, errorFile] { try? FileManager.default.removeItem(at: file) } }
        let isSignal = process.terminationReason == .uncaughtSignal
        return Outcome(
            code: isSignal ? -process.terminationStatus : process.terminationStatus, out: try Data(contentsOf: outFile),
            errors: String(decoding: try Data(contentsOf: errorFile), as: UTF8.self))
    }

    private func temporary(_ content: Data) throws -> URL {
        let file = FileManager.default.temporaryDirectory.appending(path: "qvault-io-\(UUID().uuidString)")
        try content.write(to: file)
        return file
    }

    func write(_ name: String, _ content: Data) throws {
        let file = folder.appending(path: name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try content.write(to: file)
    }

    func write(_ name: String, _ text: String) throws { try write(name, Data(text.utf8)) }

    func read(_ name: String) throws -> Data { try Data(contentsOf: folder.appending(path: name)) }

    /// Changes bytes of a file in place.
    func patch(_ name: String, at offset: Int, _ change: (UInt8) -> UInt8) throws {
        var content = try read(name)
        content[offset] = change(content[offset])
        try write(name, content)
    }

    /// Everything in the folder, as relative paths in order.
    func listing() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
    }

    /// A JPEG of 600 by 400 pixels: red grows to the right, green downwards.
    static func jpeg() throws -> Data {
        var pixels: [UInt8] = []
        for y in 0..<400 {
            for x in 0..<600 { pixels += [UInt8(x / 3), UInt8(y / 2), 99] }
        }
        return Data(try Picture(width: 600, height: 400, pixels: pixels).jpeg(quality: 90))
    }
}

extension Sandbox {
    /// A sandbox with a vault `v.qvault`, which has a note `n`.
    static func withNote() throws -> Sandbox {
        let sandbox = try Sandbox()
        try sandbox.shell("$Q create v.qvault && $Q card add -f v.qvault note --title n text=old")
        return sandbox
    }
}
