import VaultFormat
import Cards
import Pictures
import VaultIO
import VaultStore
import Watermark

/// Attachments as a command line names them, and the files that become some.
enum AttachmentArguments {
    /// The attachments that the operands name and that `--find` finds; a card means all of its.
    static func attachments(_ arguments: Arguments, in vault: Vault) throws -> [Entry] {
        let asked = try QueryArguments.found(arguments, in: vault) { $0.isAttachment || $0.isCard }
        let owners = Set(asked.filter(\.isCard).map(\.id))
        var found =
            try asked.filter(\.isAttachment)
            + (owners.isEmpty
                ? [] : vault.entries().filter { $0.isAttachment && $0.parent.map(owners.contains) ?? false })
        for name in arguments.operands {
            do { found.append(try attachment(name, in: vault)) } catch let failure as Failure {
                let owner = try Names.record(name, in: vault).entry
                let files = try vault.attachments(of: owner)
                guard !files.isEmpty else { throw failure }
                found += files
            }
        }
        var seen: Set<RecordID> = []
        found = found.filter { seen.insert($0.id).inserted }
        guard !found.isEmpty else {
            throw Failure(
                .notFound, "what is found has no attachments", hint: "'qvault find has:attachment' finds what has")
        }
        return found
    }

    /// The attachment that a name means; the only one of a card may be named by the card.
    static func attachment(_ name: [UInt8], in vault: Vault) throws -> Entry {
        do {
            return try Names.record(name, among: Names.list(vault).selecting { $1.isAttachment }).entry
        } catch VaultError.noSuchRecord(let path) {
            guard let owner = try? Names.record(name, in: vault).entry, owner.isCard else {
                throw VaultError.noSuchRecord(path)
            }
            let files = try vault.attachments(of: owner)
            if files.count == 1 { return files[0] }
            let names = files.map { shellWord(owner.overview.title + [0x2F] + $0.overview.title) }
            throw Failure(
                .notFound, "'\(path)' is a card, and not an attachment",
                hint: files.isEmpty
                    ? "it has no attachment yet: 'qvault attach add' stores its pictures"
                    : "name one of its attachments: \(names.listed)")
        }
    }

    /// The attachment as it is shown, with its mark if it has one.
    static func shown(_ attachment: Entry, in vault: Vault, present: Vault) throws -> [UInt8] {
        do { return try vault.shownContent(of: attachment, present: present) } catch let error as MarkError {
            throw Failure(
                .invalid, "'\(printable(attachment.overview.title))' cannot be shown with its mark: it \(error.reason)",
                hint: "'qvault get' writes the original")
        }
    }

    /// A mark with this text, tried on all files.
    static func mark(_ text: String, on files: [NewAttachment]) throws -> MarkProfile {
        let profile = MarkProfile(text: text.replacing("\\n", with: "\n"))
        for file in files {
            do { try profile.attempt(on: file.content) } catch let error as MarkError {
                throw error.failure(printable(file.name), file.content)
            }
        }
        return profile
    }

    /// The names that files get: their own, or what they show with their own ending.
    ///
    /// - Throws: `Failure` where there are more or fewer words than files, or one is no name.
    static func names(_ paths: [BytePath], _ words: [[UInt8]]) throws -> [[UInt8]] {
        guard !words.isEmpty else { return paths.map(\.lastComponent) }
        guard words.count == paths.count else {
            throw Failure(.usage, "attach add: --as is given \(words.count) times for \(paths.count) files")
        }
        return try paths.enumerated().map { place, path in
            let own = path.lastComponent
            let ending = own.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > 0 ? own[$0...] : nil } ?? []
            let named = words[place] + (words[place].suffix(ending.count) == ending ? [] : ending)
            let word = String(decoding: words[place], as: UTF8.self)
            guard TreeName.isValid(named), terminalSafe(word) == word, word.trimmed == word, !word.isEmpty,
                !word.hasPrefix(".")
            else {
                throw Failure(
                    .usage,
                    "--as takes a name of up to 255 bytes without slashes, control characters and a point at its start, and not '\(printable(words[place]))'"
                )
            }
            return named
        }
    }

    /// A file to attach, read whole.
    static func attachment(_ path: BytePath, as name: [UInt8]? = nil, limit: UInt64) throws -> NewAttachment {
        let file = try Machine.store.files.openFile(path, writing: false)
        let status = try file.status()
        guard status.size <= limit else {
            throw Failure(
                .invalid, "\(path): \(sizeText(status.size)) are more than the \(sizeText(limit)) of an attachment",
                hint: "attachment-limit in the configuration file raises it; 'put' stores files of any size")
        }
        let content = try file.bytes(at: 0, count: Int(limit) + 1)
        guard content.count <= limit else { throw Failure(.invalid, "\(path): grew while it was read") }
        guard let new = NewAttachment(name: name ?? path.lastComponent, content: content, modified: status.modified)
        else {
            throw Failure(
                .invalid, "\(path): is no JPEG, PNG, HEIC, WebP, TIFF or PDF, whatever its name says",
                hint: "'qvault put' stores files of any kind")
        }
        return new
    }

    static func json(_ entry: Entry, _ path: BytePath, hasThumbnail: Bool) -> JSON {
        JSON(
            joining: ["id": entry.id, "card": entry.parent], .path(path),
            .path(BytePath(entry.overview.title), key: "name"),
            [
                "type": entry.overview.mediaType, "size": entry.length, "thumbnail": hasThumbnail,
                "created": entry.created, "updated": entry.updated,
            ])
    }
}

extension Arguments {
    /// The places of `--corners`: X and Y of four corners in pixels.
    func corners() throws -> [Double]? {
        guard let text = text(.corners) else { return nil }
        let numbers = text.split(omittingEmptySubsequences: false) { ",，".contains($0) }.map { Double($0) }
        guard numbers.count == 8, let all = numbers as? [Double], all.allSatisfy({ abs($0) < 100_000 }) else {
            throw Failure(.usage, "--corners takes 8 numbers: x and y of four corners, clockwise from the upper left")
        }
        return all
    }
}
