import VaultFormat
import Cards
import VaultStore

/// What the last word of a command line may become: kinds, fields, settings, and names of an unlocked vault.
enum Candidates {
    /// At most this many are offered.
    private static let limit = 1000

    /// - Parameter words: those behind `qvault`; the last one is being typed.
    /// - Returns: the candidates that begin with it; none where a file is wanted, or the vault is locked.
    static func of(_ words: ArraySlice<[UInt8]>, _ index: VerbIndex) -> [[UInt8]] {
        guard let current = words.last, let (verb, rest) = try? index.named(words) else { return [] }
        let (given, operands, option) = split(rest.dropLast(), verb)
        let found =
            if let option { values(of: option) } else if current.first == UInt8(ascii: "-") {
                [[UInt8]]()
            } else { operand(verb, operands, given, index) }
        return Array(found.filter { $0.starts(with: current) && !$0.contains(0x0A) }.prefix(limit))
    }

    /// The words before the last: the vault that is named, the operands, and the option that the last one belongs to.
    private static func split(
        _ words: ArraySlice<[UInt8]>, _ verb: Verb
    ) -> (vault: [UInt8]?, operands: [[UInt8]], option: Option?) {
        var (vault, operands, open) = ([UInt8]?.none, [[UInt8]](), Option?.none)
        for word in words {
            if let option = open {
                if option.name == .vault { vault = word }
                open = nil
            } else if word.first == UInt8(ascii: "-") {
                let option = verb.allOptions.first { $0.names.contains(String(decoding: word, as: UTF8.self)) }
                open = option?.value == nil ? nil : option
            } else {
                operands.append(word)
            }
        }
        return (vault, operands, open)
    }

    private static func values(of option: Option) -> [[UInt8]] {
        switch option.name {
        case .kind: kinds
        case .field: Set(Schema.cards.flatMap { $0.fields.map(\.key) }).sorted().map { Array($0.utf8) }
        case .lang: ["en", "zh"].map { Array($0.utf8) }
        default: []
        }
    }

    private static var kinds: [[UInt8]] { Schema.cards.map { Array($0.name.utf8) } }

    /// The operand that the verb's declaration names at this place.
    private static func operand(
        _ verb: Verb, _ operands: [[UInt8]], _ vault: [UInt8]?, _ index: VerbIndex
    ) -> [[UInt8]] {
        if verb.name.hasPrefix("settings") {
            return operands.isEmpty ? Config.Key.allCases.map { Array($0.rawValue.utf8) } : []
        }
        let names = verb.operands.split { !($0.isLetter || $0 == "=" || $0 == "…") }.map(String.init)
        guard let last = names.last else { return [] }
        let name = operands.count < names.count ? names[operands.count] : last.hasSuffix("…") ? last : names[0]
        switch name.filter({ $0 != "…" }) {
        case "KIND": return kinds
        case "KEY=VALUE": return keys(verb, operands[0], vault)
        case "CARD",
            "NAME" where verb.name.hasPrefix("card ") || ["copy", "otp"].contains(verb.name):
            return records(vault) { Schema.of($0) != nil }
        case "NAME": return records(vault) { !$0.isPart || $0 == .attachment }
        case "ATTACHMENT": return records(vault) { $0 == .attachment }
        case "VERB": return index.all.map { Array($0.name.utf8) }
        default: return []
        }
    }

    /// The fields of a kind, or of the kind that a card is of.
    private static func keys(_ verb: Verb, _ first: [UInt8], _ vault: [UInt8]?) -> [[UInt8]] {
        let schema =
            verb.name == Verb.cardAdd.name
            ? try? CardArguments.schema(first)
            : open(vault).flatMap { try? CardArguments.titled(first, in: $0) }.flatMap { Schema.of($0.kind) }
        return schema.map { $0.fields.map { Array("\($0.key)=".utf8) } } ?? []
    }

    private static func records(_ vault: [UInt8]?, where isWanted: @escaping (Entry.Kind) -> Bool) -> [[UInt8]] {
        guard let vault = open(vault), let list = try? RecordList(vault) else { return [] }
        return list.lazy.filter { isWanted($0.record.kind) }.map(\.path.bytes)
    }

    /// The vault, if nobody needs to be asked.
    private static func open(_ name: [UInt8]?) -> Vault? {
        let words = name.map { [Array("-f".utf8), $0] } ?? []
        guard let arguments = try? Arguments(words, for: .list), let path = try? Session.vaultPath(arguments),
            let locked = try? LockedVault(path, in: Machine.store), Keyring.timeLeft(locked.header) != nil,
            let master = Keyring.master(for: locked.header)
        else { return nil }
        return try? locked.open(master: master)
    }
}
