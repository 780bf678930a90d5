import VaultFormat
import VaultStore

extension Verb {
    /// All verbs, in the order of the help.
    static let all: [Verb] = [
        .create, .pack, .unpack, .list, .cat, .get, .put, .move, .remove, .undelete, .purge, .history,
        .cardAdd, .cardShow, .cardEdit, .cardRemove, .cardList, .cardKinds, .search, .copy, .oneTimePassword, .due,
        .dueSnooze, .dueDone,
        .attachAdd, .attachList, .attachShow, .attachRemove,
        .configGet, .configSet, .configUnset, .configList, .configPut,
        .watermarkSet, .watermarkShow, .watermarkEdit, .watermarkRemove, .watermarkFile, .share, .shares, .export,
        .importing, .pin, .tag,
        .group,
        .compact, .diff, .merge, .verify, .backup, .restore, .salvage, .info, .destroy,
        .unlock, .lock, .status, .keyList, .keyAdd, .keyRemove, .keyRecovery, .keyAudit, .keyGenerate,
        .rekeyPassword, .rekeyIterations, .rekeyRotate, .forget, .log, .completion, .manual,
    ]

    /// The verb that the first word names, or the first two (`key list`), and the words behind it.
    static func named(_ words: ArraySlice<[UInt8]>) throws -> (verb: Verb, rest: ArraySlice<[UInt8]>) {
        let name = words.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
        let both = words.prefix(2).map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
        if let verb = all.first(where: { $0.name == both }) { return (verb, words.dropFirst(2)) }
        if let verb = all.first(where: { $0.name == name }) { return (verb, words.dropFirst()) }
        let kin = all.filter { $0.name.hasPrefix(name + " ") }
        if !kin.isEmpty {
            let second = words.dropFirst().first.map { String(decoding: $0, as: UTF8.self) } ?? ""
            let names = kin.map { String($0.name.dropFirst(name.count + 1)) }
            let near = nearest(second, among: names).map { "\(name) \($0)" }
            throw Failure(
                .usage, "\(name): one of \(names.joined(separator: ", "))",
                hint: near.map { "did you mean \($0)?" } ?? "'qvault \(name) \(names[0]) --help' says more")
        }
        let near = nearest(name, among: all.map(\.name))
        let shown = printable(name.utf8)
        throw Failure(
            .usage, name.hasPrefix("-") ? "a verb comes first, not '\(shown)'" : "unknown verb '\(shown)'",
            hint: near.map { "did you mean \($0)?" } ?? "'qvault --help' lists the verbs")
    }
}
