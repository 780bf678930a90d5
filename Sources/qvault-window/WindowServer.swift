import CSystem
import CWindow
import Glibc
import Synchronization
import Values

/// The server of the window: which request gets which answer (Spec/product/window.md, 2 and 3).
final class WindowServer: Sendable {
    /// Why there is no server: a number of the system.
    struct Problem: Error { let code: Int32 }

    private let access: Access
    private let command: VaultCommand
    private let vault: VaultBytes
    private let uploads = Uploads()
    private let presence = Presence()

    /// Bytes of a call at most; bytes and words of a verb.
    private static let callByteCount: UInt64 = 1 << 24, wordsByteCount: UInt64 = 1 << 22, wordCount = 4096
    /// Bytes of a command's output at most, where it comes as JSON.
    private static let outputByteCount: UInt64 = 1 << 26

    private init(_ command: String, _ vault: String) throws(Problem) {
        guard let access = try? Access() else { throw Problem(code: EIO) }
        self.access = access
        self.command = VaultCommand(command: command, vault: vault)
        self.vault = VaultBytes(path: vault)
    }

    /// Serves on 127.0.0.1 until no page is there any more, or a signal comes.
    ///
    /// - Parameters:
    ///   - command: the path of `qvault`.
    ///   - port: 0 for any that is free.
    ///   - begun: called with the address that opens the window.
    ///   - meanwhile: called again and again while it serves.
    static func run(
        command: String, vault: String, port: UInt16, begun: (String) -> Void, meanwhile: () -> Void
    ) throws(Problem) {
        let window = try WindowServer(command, vault)
        var plan = unsafe qv_server_plan(
            port: port, connections: 256, seconds: 20, most: Uploads.limit,
            admits: { context, exchange in
                guard let context = unsafe context, let exchange = unsafe exchange else { return false }
                return unsafe Unmanaged<WindowServer>.fromOpaque(context).takeUnretainedValue().admits(
                    Exchange(exchange))
            },
            answers: { context, exchange in
                guard let context = unsafe context, let exchange = unsafe exchange else { return }
                unsafe Unmanaged<WindowServer>.fromOpaque(context).takeUnretainedValue().answer(Exchange(exchange))
            }, context: Unmanaged.passUnretained(window).toOpaque())
        guard let server = unsafe qv_server_start(&plan) else { throw Problem(code: errno) }
        window.access.serve(on: unsafe qv_server_port(server))
        begun(window.access.address)
        while qv_interrupted() == 0, !window.presence.isOver {
            meanwhile()
            qv_pause(100)
        }
        window.isEnding.store(true, ordering: .relaxed)
        unsafe qv_server_stop(server)
        window.lock()
    }

    private let isEnding = Atomic(false)

    private func lock() {
        command.lock()
        uploads.dropAll()
    }

    /// Headers of every answer: it is not stored, its type is not guessed, it stands in no frame, and no other origin reads it.
    private static let headers = [
        ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
        ("X-Frame-Options", "DENY"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
    ]

    /// Looks at a request before its body is read; answers it where it is not allowed.
    private func admits(_ exchange: Exchange) -> Bool {
        for (name, value) in Self.headers { exchange.add(name, value) }
        guard access.isOwn(exchange) else {
            exchange.refuse(.foreign)
            return false
        }
        let route = Route(exchange)
        // The page itself has no secret.
        guard route == .page || route == .enter || access.isKnown(exchange) else {
            exchange.refuse(.ofAnotherBrowser)
            return false
        }
        guard let route else {
            exchange.refuse(.nothingHere)
            return false
        }
        let room = route == .file ? uploads.room : route == .run ? Self.wordsByteCount : Self.callByteCount
        guard exchange.allowBody(upTo: room) else {
            exchange.refuse(.tooLong(room: room))
            return false
        }
        return true
    }

    /// Gives the page its key for the token of the address.
    private func enter(_ exchange: Exchange) {
        guard let key = access.enter(with: exchange.header("X-Window") ?? "") else {
            return exchange.refuse(.usedAddress)
        }
        exchange.reply(["key": key])
    }

    private func answer(_ exchange: Exchange) {
        guard let route = Route(exchange) else { return exchange.refuse(.nothingHere) }
        // The page without the key is no visitor.
        if route != .goodbye, route != .page { presence.came() }
        switch route {
        case .page: page(exchange)
        case .enter: enter(exchange)
        case .state: exchange.reply(state)
        case .changes: changes(exchange)
        case .vault: vault.reply(to: exchange)
        case .unlock: unlock(exchange)
        case .create: create(exchange)
        case .lock:
            lock()
            exchange.reply(["is_unlocked": false])
        case .use:
            command.renew()
            exchange.reply(["is_unlocked": command.isUnlocked])
        case .file:
            guard let number = uploads.keep(exchange.body) else { return exchange.refuse(.tooMany) }
            exchange.reply(["file": number])
        case .run: run(exchange)
        case .api: api(exchange)
        case .folders: folders(exchange)
        case .forget:
            uploads.take(exchange.query("files") ?? "")?.forEach { close($0) }
            exchange.reply(204, "")
        case .goodbye:
            presence.left()
            exchange.reply(204, "")
        }
    }

    private var state: JSON { vault.json(isUnlocked: command.isUnlocked, room: uploads.room) }

    private func page(_ exchange: Exchange) {
        exchange.add("Content-Security-Policy", "frame-ancestors 'none'")
        exchange.add("Content-Type", "text/html; charset=utf-8")
        var count = 0
        let bytes = unsafe UnsafeBufferPointer(start: qv_window_page(&count), count: count)
        exchange.reply(200, unsafe bytes.span)
    }

    /// Milliseconds for which a page waits for changes, and between two looks.
    private static let waitMilliseconds = 25_000, lookMilliseconds: Int32 = 200
    /// Looks after which it is asked whether the session is there still.
    private static let looksOfSession = 10

    /// Answers once the file has changed or the session has ended, at the latest after a while.
    private func changes(_ exchange: Exchange) {
        let seen = exchange.query("version") ?? ""
        let wasUnlocked = command.isUnlocked
        presence.waiting {
            for look in 0..<(Self.waitMilliseconds / Int(Self.lookMilliseconds)) {
                if look % Self.looksOfSession == Self.looksOfSession - 1 { command.lookAtSession() }
                guard vault.version == seen, command.isUnlocked == wasUnlocked, exchange.isOpen,
                    !isEnding.load(ordering: .relaxed)
                else { break }
                qv_pause(Self.lookMilliseconds)
            }
        }
        exchange.reply(state)
    }

    /// Opens the vault with the secret in the body.
    private func unlock(_ exchange: Exchange) {
        guard let keyfiles = uploads.take(exchange.query("keyfile") ?? "") else {
            return exchange.refuse(.noFile)
        }
        let options: [String]? =
            switch exchange.query("kind") {
            case "password": ["--password-fd={0}"] + (keyfiles.isEmpty ? [] : ["--keyfile=/dev/fd/{1}"])
            case "recovery": ["--recovery-key-file=/dev/fd/{0}"]
            case "identity": ["--identity-file=/dev/fd/{0}"]
            default: nil
            }
        let secret = VaultCommand.Secret(options ?? [], [exchange.body] + keyfiles)
        guard options != nil else { return exchange.refuse(.malformed("kind=password, recovery, identity")) }
        reply(exchange, command.unlock(secret, language: exchange.language))
    }

    /// Answers with the folders in one of this machine.
    private func folders(_ exchange: Exchange) {
        guard command.isUnlocked else { return exchange.refuse(.locked) }
        exchange.reply(Folders.json(exchange.query("path") ?? ""))
    }

    private func create(_ exchange: Exchange) {
        reply(exchange, command.create(exchange.body, language: exchange.language))
    }

    /// Runs a verb whose words are the body, each ended by NUL.
    private func run(_ exchange: Exchange) {
        guard command.isUnlocked else { return exchange.refuse(.locked) }
        let body = MemoryFile(taking: exchange.body).bytes(upTo: Int(Self.wordsByteCount))
        guard body.count(where: { $0 == 0 }) <= Self.wordCount else { return exchange.refuse(.notAllowed) }
        let words = body.split(separator: 0, omittingEmptySubsequences: false).dropLast()
            .map { String(decoding: $0, as: UTF8.self) }
        guard let files = uploads.take(exchange.query("files") ?? "") else { return exchange.refuse(.noFile) }
        defer { files.forEach { close($0) } }
        guard let input = uploads.take(exchange.query("input") ?? "") else { return exchange.refuse(.noFile) }
        defer { input.forEach { close($0) } }
        let paths = VaultCommand.paths(of: files)
        // Without the secret such a verb would fail as a session does that is over.
        guard let call = AllowedVerbs.call(words, paths: paths, hasInput: !input.isEmpty),
            !call.wantsSecret || exchange.query("secret") != nil
        else { return exchange.refuse(.notAllowed) }
        var secret: VaultCommand.Secret?
        if let numbers = exchange.query("secret") {
            guard let passwords = uploads.take(numbers) else { return exchange.refuse(.noFile) }
            let options = ["--password-fd={0}", "--new-password-fd={1}"]
            secret = VaultCommand.Secret(Array(options.prefix(passwords.count)), passwords)
        }
        let outcome = command.run(
            call, input: input.first, files: files, again: secret, language: exchange.language)
        reply(exchange, outcome, asBytes: exchange.query("answer") == "bytes")
    }

    /// Answers with what a command did: as JSON, or with what it printed where it was done.
    private func reply(_ exchange: Exchange, _ outcome: consuming VaultCommand.Outcome?, asBytes: Bool = false) {
        guard let outcome else { return exchange.refuse(.noCommand) }
        let (exit, length) = (outcome.exit, outcome.output.byteCount)
        if asBytes, exit == 0 {
            exchange.add("Content-Type", "application/octet-stream")
            return exchange.reply(200, file: outcome.output.reader, length: length)
        }
        guard length <= Self.outputByteCount else { return exchange.refuse(.longOutput) }
        let texts = [outcome.output.bytes(upTo: Int(length)), outcome.said.bytes(upTo: 1 << 16)]
            .map { String(decoding: $0, as: UTF8.self) }
        exchange.reply(["exit": exit, "output": texts[0], "said": texts[1]])
    }

    /// A target of a call without the word that is for the server.
    private static func withoutLanguage(_ target: String) -> String {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = parts.dropFirst().first?.split(separator: "&").filter { !$0.hasPrefix("lang=") } ?? []
        return parts[0] + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    /// The calls of Spec/api.md, as `qvault api` answers them.
    private func api(_ exchange: Exchange) {
        guard command.isUnlocked else { return exchange.refuseCall(.locked) }
        let body = MemoryFile(taking: exchange.body)
        let call = AllowedVerbs.Call(
            verb: ["api"], options: [], operands: [exchange.method, Self.withoutLanguage(exchange.target)])
        guard let outcome = command.run(call, input: body.descriptor, language: exchange.language) else {
            return exchange.refuseCall(.noCommand)
        }
        let text = String(decoding: outcome.output.bytes(upTo: Int(Self.outputByteCount)), as: UTF8.self)
        guard outcome.exit != 0 else { return exchange.reply(200, text, type: "application/json") }
        // An error of the call says its status; of what goes wrong with the vault nothing is printed.
        if let status = try? JSON(parsing: Array(text.utf8))["status"]?.number {
            return exchange.reply(Int(status), text, type: "application/json")
        }
        let said = String(decoding: outcome.said.bytes(upTo: 1 << 16), as: UTF8.self)
        exchange.reply(["status": 500, "detail": said, "exit": outcome.exit], status: 500)
    }
}

/// What a request asks for.
private enum Route: String {
    case page = "GET /"
    case enter = "POST /enter"
    case state = "GET /state"
    case changes = "GET /changes"
    case vault = "GET /vault"
    case unlock = "POST /unlock"
    case create = "POST /create"
    case lock = "POST /lock"
    case use = "POST /use"
    case file = "POST /file"
    case folders = "GET /folders"
    case forget = "POST /forget"
    case run = "POST /run"
    case goodbye = "POST /goodbye"
    case api

    init?(_ exchange: Exchange) {
        let (method, path) = (exchange.method, exchange.path)
        if path.hasPrefix("/api/"), ["GET", "POST", "PUT", "DELETE"].contains(method) {
            self = .api
        } else if let route = Route(rawValue: "\(method) \(path)"), route != .api {
            self = route
        } else {
            return nil
        }
    }
}

extension Exchange {
    /// The language in which the command speaks.
    fileprivate var language: String { isChinese ? "zh" : "en" }
}
