import Cards
import VaultFormat
import VaultStore

extension Option {
    fileprivate static let newGroup = Option(.group, value: "NAME", help: "put it into this group")
    fileprivate static let ungroup = Option(.ungroup, help: "take it out of its group")
    fileprivate static let newTag = Option(
        .tag, value: "TAG", help: "add a tag; may be given more than once", repeats: true)
    fileprivate static let untag = Option(
        .untag, value: "TAG", help: "take a tag away; may be given more than once", repeats: true)
}

/// The changes of a card's group and tags that a command line asks for.
struct CardPlacing {
    static let options: [Option] = [.newGroup, .ungroup, .newTag, .untag]

    private let group: String?
    private let isUngrouped: Bool
    private let added: [String], removed: [String]

    /// - Throws: `Refusal` of what is no name of a group.
    init(_ arguments: Arguments) throws {
        (group, isUngrouped) = (try arguments.name(.group), arguments.has(.ungroup))
        guard group == nil || !isUngrouped else {
            throw Failure(.usage, "--group and --ungroup do not go together")
        }
        (added, removed) = (arguments.texts(.tag), arguments.texts(.untag))
    }

    /// True where nothing is changed.
    var isEmpty: Bool { group == nil && !isUngrouped && added.isEmpty && removed.isEmpty }

    /// - Throws: `Refusal` of what is no tag.
    func apply(to overview: inout Overview, in vault: Vault) throws {
        if isUngrouped { overview.group = nil }
        if let group { overview.group = try CardArguments.group(group, in: vault) }
        overview.tags = try Card.tags(added, "--tag", besides: overview.tags.filter { !removed.contains($0) })
    }
}
