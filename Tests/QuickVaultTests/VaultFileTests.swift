import VaultIO
import VaultStore
import Cards
import Pictures
import Foundation
import QuickVault
import Testing
import VaultCrypto

/// The library as an app uses it.
struct VaultFileTests {
    private final class VaultFixture {
        let folder = FileManager.default.temporaryDirectory.appending(path: "quickvault-\(UUID().uuidString)")
        var vault: String { folder.appending(path: "v.qvault").path }

        init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(at: folder) }
    }

    private func card(_ kind: String, _ title: String, _ values: [(key: String, value: String)]) throws -> Card {
        var card = Card(
            schema: try #require(Schema.named(kind)), overview: Overview(title: Array(title.utf8)),
            fields: RecordFields())
        #expect(card.set(values).isEmpty)
        return card
    }

    @Test func cardsComeAndGo() async throws {
        let fixture = try VaultFixture()
        let key = try VaultKey(password: "correct-horse-battery")
        let vault = try await VaultFile.create(at: fixture.vault, with: key, memory: fixture.folder.path + "/seen")
        let id = try await vault.add(card("text", "家", [("text", "文三路1号")]))
        try await vault.add(card("contact", "招商", [("name", "Li")]))
        #expect(try await vault.search("zhsh").map(\.entry.overview.title) == [Array("招商".utf8)])
        try await vault.update(id, to: card("text", "家", [("text", "文三路2号")]))
        let home = try #require(try await vault.cards().first { $0.entry.id == id })
        #expect(home.card.fields.texts["text"] == "文三路2号" && home.entry.revision == 2)
        let picture: [UInt8] = Array("%PDF-1.7".utf8)
        let attached = try await vault.attach(picture, named: "a.pdf", to: home.entry)
        let attachment = try #require(try await vault.attachments(of: home.entry).first)
        #expect(attachment.id == attached.id)
        #expect(try await vault.content(of: attachment) == picture)
        #expect(try await vault.verify().worst == nil)
        try await vault.remove([home.entry])
        #expect(try await vault.cards().count == 1)
        // Another handle sees what this one saved, and the other way round.
        let other = try await VaultFile.open(fixture.vault, with: key)
        try await other.add(card("note", "n", [("own", "x")]))
        #expect(try await vault.cards().count == 2)
    }

    /// A change of keys alone is a save.
    @Test func keyChangesAreSaved() async throws {
        let fixture = try VaultFixture()
        let key = try VaultKey(password: "correct-horse-battery")
        let vault = try await VaultFile.create(at: fixture.vault, with: key)
        try await vault.save { save in
            let password = try Credential(password: Secret(copying: Array("another-horse".utf8).span))
            try save.setSlot(2, for: password, .init(label: "leaver"))
        }
        _ = try await VaultFile.open(fixture.vault, with: VaultKey(password: "another-horse"))
        try await vault.save { try $0.removeSlot(2, besides: 1) }
        await #expect {
            try await VaultFile.open(fixture.vault, with: VaultKey(password: "another-horse"))
        } throws: { ($0 as? FormatError)?.code == .wrongKey }
    }

    @Test func whatIsWrongIsSaid() async throws {
        let fixture = try VaultFixture()
        let key = try VaultKey(password: "correct-horse-battery")
        let vault = try await VaultFile.create(at: fixture.vault, with: key)
        await #expect(throws: VaultError.exists(BytePath(fixture.vault))) {
            try await VaultFile.create(at: fixture.vault, with: key)
        }
        await #expect {
            try await VaultFile.open(fixture.vault, with: VaultKey(password: "another-horse-battery"))
        } throws: { ($0 as? FormatError)?.code == .wrongKey }
        let empty = Card(
            schema: try #require(Schema.named("invoice")), overview: Overview(title: []), fields: RecordFields())
        await #expect { try await vault.add(empty) } throws: { ($0 as? CardProblem)?.complaints.count == 3 }
        let text = try card("text", "t", [("text", "x")])
        let id = try await vault.add(text)
        let entry = try #require(try await vault.cards().first { $0.entry.id == id }).entry
        await #expect { try await vault.attach([1, 2], named: "a.jpg", to: entry) } throws: {
            ($0 as? FormatError)?.code == .invalid
        }
    }

    @Test func keysThatAreNoneAreRefused() throws {
        let tries: [() throws -> VaultKey] = [
            { try VaultKey(password: "") }, { try VaultKey(password: "a\0b") }, { try VaultKey(recoveryKey: "") },
            { try VaultKey(recoveryKey: "1 AAAA") }, { try VaultKey(deviceKey: [1, 2, 3].span) },
        ]
        for key in tries { #expect { try key() } throws: { ($0 as? FormatError)?.code == .invalid } }
    }

    @Test func errorsSayWhatIsWrong() {
        #expect("\(VaultError.exists(BytePath("v.qvault")))" == "v.qvault: exists and would be overwritten")
        #expect("\(VaultError.rollback(.older(seen: 3)))" == "older than this machine has seen: it was at save 3")
        #expect("\(FormatError(.damaged, "page A", at: 12))" == "damaged at byte 12: page A")
        #expect("\(IOError("open", BytePath("v"), code: 2))" == "v: cannot open: No such file or directory")
    }

    /// A save that is given up leaves nothing, and an older file in the vault's place is told.
    @Test func nothingIsHalfDone() async throws {
        struct Stop: Error {}
        let fixture = try VaultFixture()
        let key = try VaultKey(password: "correct-horse-battery")
        let memory = fixture.folder.path + "/seen"
        let vault = try await VaultFile.create(at: fixture.vault, with: key, memory: memory)
        let old = try Data(contentsOf: URL(filePath: fixture.vault))
        let text = try card("text", "t", [("text", "x")])
        await #expect(throws: Stop.self) {
            try await vault.save { transaction in
                try transaction.put(text, as: transaction.makeID())
                throw Stop()
            }
        }
        #expect(try await vault.cards().isEmpty)
        try await vault.add(text)
        try old.write(to: URL(filePath: fixture.vault))
        await #expect(throws: VaultError.rollback(.older(seen: 2))) {
            try await VaultFile.open(fixture.vault, with: key, memory: memory)
        }
    }

    @Test func workIsCancelled() async throws {
        let fixture = try VaultFixture()
        let vault = try await VaultFile.create(at: fixture.vault, with: VaultKey(password: "correct-horse-battery"))
        let file = fixture.folder.appending(path: "large")
        try Data(count: 1).write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: 4 << 30)
        let before = try Data(contentsOf: URL(filePath: fixture.vault))
        let (pieces, stored) = AsyncStream.makeStream(of: UInt64.self)
        let task = Task {
            try await vault.save { transaction in
                let work = try transaction.treeImport { _ in }
                work.progress = { stored.yield($0) }
                try work.add(BytePath(file.path), as: BytePath("large"))
            }
        }
        for await _ in pieces { break }
        task.cancel()
        await #expect(throws: VaultError.cancelled) { try await task.value }
        #expect(try Data(contentsOf: URL(filePath: fixture.vault)) == before)
        try handle.truncate(atOffset: 1 << 20)
        let report = try await vault.store([file.path])
        #expect(report.count.files == 1 && report.problems.isEmpty)
    }

    @Test func longWorkTellsItsProgress() async throws {
        let fixture = try VaultFixture()
        let vault = try await VaultFile.create(at: fixture.vault, with: VaultKey(password: "correct-horse-battery"))
        let file = fixture.folder.appending(path: "large")
        let random = try #require(FileHandle(forReadingAtPath: "/dev/urandom"))
        try random.readData(ofLength: 20 << 20).write(to: file)
        _ = try await vault.store([file.path])
        let work = vault.verification()
        var told: [UInt64] = []
        for await bytes in work.progress { told.append(bytes) }
        #expect(told == told.sorted() && told.last ?? 0 >= 20 << 20)
        // The list, the pieces and their key.
        #expect(try await work.value.recordCount > 10)
        let copy = vault.backup(to: fixture.folder.path + "/b.qvault")
        try await copy.value
        await #expect(throws: VaultError.exists(BytePath(fixture.folder.path + "/b.qvault"))) {
            try await vault.backUp(to: fixture.folder.path + "/b.qvault")
        }
        let parity = BytePath(fixture.folder.path + "/p.qvault"), repaired = fixture.folder.path + "/r.qvault"
        try await vault.backUp(to: parity.description, parity: 10)
        let whole = try Data(contentsOf: URL(fileURLWithPath: parity.description))
        let handle = try #require(FileHandle(forWritingAtPath: parity.description))
        try handle.seek(toOffset: 1_000_000)
        try handle.write(contentsOf: Data(count: 1_000_000))
        #expect(try await VaultFile.repair(parity.description, to: repaired).value?.findings.isEmpty == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: repaired)) == whole)
        let cancelled = vault.verification()
        cancelled.cancel()
        await #expect(throws: VaultError.cancelled) { try await cancelled.value }
    }

    @Test func changesTellOfEverySave() async throws {
        let fixture = try VaultFixture()
        let key = try VaultKey(password: "correct-horse-battery")
        let vault = try await VaultFile.create(at: fixture.vault, with: key)
        let other = try await VaultFile.open(fixture.vault, with: key)
        // A save from before is no news.
        try await vault.add(card("text", "before", [("text", "x")]))
        var changes = vault.changes(checkedEvery: .milliseconds(5)).makeAsyncIterator()
        try await Task.sleep(for: .milliseconds(50))
        try await vault.add(card("text", "mine", [("text", "x")]))
        #expect(try await changes.next() == 3)
        try await other.add(card("text", "theirs", [("text", "x")]))
        #expect(try await changes.next() == 4)
        try FileManager.default.removeItem(atPath: fixture.vault)
        await #expect(throws: IOError.self) { while try await changes.next() != nil {} }
    }

    @Test func pagesHaveAllCardsInOrder() async throws {
        let fixture = try VaultFixture()
        let vault = try await VaultFile.create(at: fixture.vault, with: VaultKey(password: "correct-horse-battery"))
        let text = try card("text", "t", [("text", "x")])
        try await vault.save { transaction in
            for _ in 0..<25 { try transaction.put(text, as: transaction.makeID()) }
        }
        var pages: [[CardItem]] = []
        for try await page in vault.cardPages(of: 10) {
            pages.append(page)
            // Cards that go meanwhile are left out.
            if pages.count == 1 { try await vault.remove(vault.cards().suffix(5).map(\.entry)) }
        }
        #expect(pages.map(\.count) == [10, 10])
        #expect(try await pages.joined().map(\.entry.id) == vault.cards().map(\.entry.id))
    }

    /// README's example, as it stands there.
    @Test func theReadmesExampleIsInTheSources() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let source = try String(
            contentsOf: root.appending(path: "Tests/QuickVaultTests/Example.swift"), encoding: .utf8)
        let example = try #require(page.components(separatedBy: "```swift\n").dropFirst().first)
            .components(separatedBy: "```")[0]
        for line in example.split(separator: "\n") {
            #expect(source.contains(line.trimmingCharacters(in: .whitespaces)), "\(line)")
        }
    }

    @Test func theReadmesExampleRuns() async throws {
        let fixture = try VaultFixture()
        let picture = fixture.folder.appending(path: "id-front.jpg")
        try Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 0]).write(to: picture)
        #expect(try await example(fixture.vault, picture: Array(Data(contentsOf: picture))) == ["家"])
    }
}
