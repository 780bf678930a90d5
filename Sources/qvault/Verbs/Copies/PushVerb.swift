import VaultFormat
import VaultIO
import VaultStore

extension Verb {
    static let push = Verb.at(
        name: "push", summary: "bring a copy of the vault to its newest save, sending only what is new",
        operands: "[PLACE]",
        options: [
            .vault, Option(.create, help: "make a new copy, also where one was at the last push and is gone"),
            .ssh, .dryRun, .wait, .noProgress, .json,
        ] + Option.password,
        example: "qvault push backup.example.org:documents.qvault -f documents.qvault",
        note:
            "by ssh, with qvault on the other side; a path works too. No password is asked for, but after a compaction"
    ) { path, arguments in
        let locked = try LockedVault(path, in: Machine.store)
        let id = locked.header.vaultID
        var copies = PushedCopies(of: id)
        let place = try CopyPlace.named("push", arguments.operands.first, copies.places, of: path)
        try place.check(isNot: path)
        let judging = ReplicaSource.Judging(mayCreate: arguments.has(.create) || !copies.places.contains(place.name)) {
            Messages.note(
                "the vault was written anew since the last push: its key tells whether the copy is older, and all is sent"
            )
            return try Session.open(path, arguments, isSource: true).follows($0)
        }
        let isDry = arguments.has(.dryRun)
        let update = try Progress.showing("sent", arguments) { progress in
            let source = try ReplicaSource(locked)
            return try place.explaining("push", path) {
                guard let other = place.other else {
                    let target = try withVault(place.path) {
                        try ReplicaTarget(place.path, in: Machine.store, timeout: arguments.wait())
                    }
                    return try source.update(target, isDry: isDry, judging: judging, progress: progress)
                }
                return try other.speak(by: arguments.text(.ssh), as: .sends) {
                    try $0.send(source, isDry: isDry, judging: judging, progress: progress)
                }
            }
        }
        if !isDry {
            copies.note(place.name)
            Upkeep.note(.backup, id)
        }
        return try Messages.tellOf(update, "push", save: locked.header.sequence, place, path, arguments)
    }

    static let pull = Verb.at(
        name: "pull", summary: "bring the vault to the newest save of a copy, fetching only what is new",
        operands: "[PLACE]",
        options: [.vault, .ssh, .dryRun, .wait, .noProgress, .json] + Option.use,
        example: "qvault pull backup.example.org:documents.qvault -f documents.qvault",
        note: "where no vault is yet, this makes one; saves that only this side has are refused: 'merge' joins them"
    ) { path, arguments in
        let isThere = try Machine.store.files.exists(path)
        let key = try VaultSecret(path, arguments)
        // Nobody is to type a password while others wait for the lock. Older than this machine has seen it may be.
        let mine = try isThere ? Session.reading(path) { try $0.open(master: key.unlock($0)) } : nil
        let known = mine.map { PushedCopies(of: $0.id).places } ?? []
        let place = try CopyPlace.named("pull", arguments.operands.first, known, of: path)
        try place.check(isNot: path)
        let target = try ReplicaTarget(path, in: Machine.store, timeout: arguments.wait())
        let before = try target.newest
        func admit(_ arrival: ReplicaTarget.Arrival) throws {
            guard let whole = arrival.whole else {
                // A vault that another program made here meanwhile was not opened, and nothing could be told of what came.
                guard let mine else { throw VaultError.exists(path) }
                return try arrival.authenticate(with: mine)
            }
            let vault = try mine.flatMap { try whole.open(like: $0) } ?? whole.open(master: key.unlock(whole))
            if let before, try !vault.follows(before) { throw ReplicaRefusal.forked(vault.sequence) }
            if let worst = try vault.verify().worst {
                throw Failure(worst.exitCode, "\(place.shown): not sound; nothing was taken from it")
            }
        }
        let judging = ReplicaSource.Judging(mayCreate: true, follows: nil)
        let isDry = arguments.has(.dryRun)
        let update = try Progress.showing("fetched", arguments) { progress in
            try place.explaining("pull", path) {
                guard let other = place.other else {
                    let source = try withVault(place.path) {
                        try ReplicaSource(LockedVault(place.path, in: Machine.store))
                    }
                    return try source.update(target, isDry: isDry, judging: judging, progress: progress, admit: admit)
                }
                return try other.speak(by: arguments.text(.ssh), as: .receives) { wire in
                    do {
                        return try wire.receive(into: target, isDry: isDry, progress: progress, admit: admit)
                    } catch let error as FormatError where error != ReplicaWire.ended {
                        throw Failure(error.code.exitCode, "\(place.shown): \(error.message)")
                    }
                }
            }
        }
        var save = update?.sequence ?? before?.sequence ?? 0
        if !isDry, update != nil { Saving.note() }
        if !isDry { save = try Session.open(path, key, arguments, isSource: !isThere).sequence }
        return try Messages.tellOf(update, "pull", save: save, place, path, arguments)
    }
}

extension Messages {
    /// The result of a push or pull.
    fileprivate static func tellOf(
        _ update: ReplicaUpdate?, _ verb: String, save: UInt64, _ place: CopyPlace, _ path: BytePath,
        _ arguments: Arguments
    ) throws -> ExitCode {
        let size = sizeText(update?.byteCount ?? 0)
        let isPush = verb == "push"
        let phrase: Phrase =
            switch (update, arguments.has(.dryRun)) {
            case (nil, _): "\(isPush ? place.shown : "\(path)") has all, up to save \(save)"
            case (_, true): isPush ? "would send \(size) to \(place.shown)" : "would fetch \(size) from \(place.shown)"
            case (_, false):
                isPush
                    ? "pushed save \(save) to \(place.shown) (\(size))"
                    : "pulled save \(save) from \(place.shown) (\(size))"
            }
        if arguments.has(.dryRun), !arguments.has(.json) {
            Messages.say(phrase)
            return .done
        }
        return try Messages.done(
            phrase, arguments,
            json: JSON(
                joining: .path(path), .path(BytePath(place.name), key: "place"),
                [
                    "save": save, "bytes": update?.byteCount ?? 0, "whole": update?.isWhole ?? false,
                    "dry_run": arguments.has(.dryRun),
                ]))
    }
}
