import VaultFormat
import VaultStore
import VaultTesting

/// Every call of a save fails, once and from then on: with no space, with an I/O error, with a short write. What
/// is acknowledged is there; what is not is there wholly or not at all, also when the power fails at once. In the short
/// run the calls take turns with the errors.
func failEveryCall(_ kit: SoakRun) throws {
    let faults: [FaultyFileSystem.Fault] = [.error(28), .error(5), .shortWrite]
    for scenario in Scenario.all {
        let whole = try scenario.prepare()
        let counter = FaultyFileSystem(whole.fixture.files)
        try scenario.save(whole.fixture, counter)
        let judge = try whole.judge()
        let calls = counter.callCount
        let ways = kit.size(1, faults.count)
        kit.each(calls * ways * 2) { index in
            let (call, way) = (index / (ways * 2), index / 2 % ways)
            let plan = FaultyFileSystem.Plan(
                first: call, isForEver: index % 2 == 1, fault: faults[kit.isFull ? way : (call + index) % faults.count])
            let run = try scenario.prepare()
            let files = FaultyFileSystem(run.fixture.files, plan: plan)
            var isAcknowledged = true
            do { try scenario.save(run.fixture, files) } catch { isAcknowledged = false }
            kit.count("failed calls")
            kit.count(isAcknowledged ? "acknowledged all the same" : "refused")
            let found = run.fixture.files.node(VaultFixture.vault)?.content
            if let violation = try judge.violation(found, isAcknowledged: isAcknowledged) {
                kit.violate("\(scenario.name), \(plan): \(violation)")
            }
            // The bytes that a failed sync leaves to chance.
            var random = Seeded(index)
            let trace = Trace(before: run.before, operations: files.trace)
            try trace.disks(after: files.trace.count, limit: kit.size(1, 8), random: &random) { disk in
                kit.count("disks after a failure")
                if let violation = try judge.violation(disk[VaultFixture.vault], isAcknowledged: isAcknowledged) {
                    kit.violate("\(scenario.name), \(plan), power lost: \(violation)")
                }
            }
            // And when another saves before that, who does not know of the failure.
            guard !isAcknowledged, !scenario.isReplaced else { return }
            let later = FaultyFileSystem(run.fixture.files)
            try Scenario.put("later", pattern(300), run.fixture, later)
            let both = Trace(before: run.before, operations: files.trace + later.trace)
            let laterJudge = judge.adding("later", pattern(300))
            try both.disks(after: both.operations.count, limit: kit.size(1, 8), random: &random) { disk in
                kit.count("disks after a failure and a save")
                if let violation = try laterJudge.violation(disk[VaultFixture.vault], isAcknowledged: false) {
                    kit.violate("\(scenario.name), \(plan), saved again, power lost: \(violation)")
                }
            }
        }
    }
}

/// A disk that acknowledges a write and loses it, or writes it elsewhere; that gives back what stood in a place before the
/// last write, or what stands elsewhere: every record that is read was saved once; if an acknowledged save is missing, a check or
/// the next writer finds it.
func lieInEveryCall(_ kit: SoakRun) throws {
    let faults: [FaultyFileSystem.Fault] = [.lostWrite, .misdirectedWrite, .staleRead, .misdirectedRead]
    for scenario in Scenario.all {
        let whole = try scenario.prepare()
        let counter = FaultyFileSystem(whole.fixture.files)
        try scenario.save(whole.fixture, counter)
        let judge = try whole.judge()
        kit.each(counter.callCount * faults.count) { index in
            let plan = FaultyFileSystem.Plan(
                first: index / faults.count, isForEver: false, fault: faults[index % faults.count])
            let run = try scenario.prepare()
            let files = FaultyFileSystem(run.fixture.files, plan: plan)
            var isAcknowledged = true
            do { try scenario.save(run.fixture, files) } catch { isAcknowledged = false }
            let isRead = plan.fault == .staleRead || plan.fault == .misdirectedRead
            guard isRead || !files.trace.isEmpty && files.trace != counter.trace else { return }
            kit.count(isRead ? "reads stale or misdirected" : "writes lost or misdirected")
            kit.count(isAcknowledged ? "acknowledged" : "noticed by the writer")
            let found = run.fixture.files.node(VaultFixture.vault)?.content ?? []
            if let violation = judge.violationOfLostWrite(found, isAcknowledged: isAcknowledged) {
                kit.violate("\(scenario.name), \(plan): \(violation)")
            }
        }
    }
}

extension ScenarioJudge {
    /// What a vault on such a disk must not be.
    fileprivate func violationOfLostWrite(_ bytes: [UInt8], isAcknowledged: Bool) -> String? {
        var isNewest = false
        var classes: [String] = []
        for (index, judge) in states.enumerated() {
            let image = Image(bytes, master: judge.master)
            classes.append(outcome { try image.open().verify().worst })
            classes.append(outcome { try image.keyless().worst })
            guard let content = try? image.open().content() else { continue }
            // Damage of several pages may show an earlier save.
            let isSaved = content.allSatisfy { path, bytes in judge.states.contains { $0[path] == bytes } }
            if !isSaved { return "reads what nobody saved" }
            // A save that is whole behind the one that the pages name is adopted by the next writer.
            let next = Image(bytes, master: judge.master)
            try? next.repair()
            let adopted = (try? next.open().content()) ?? content
            isNewest = isNewest || index == states.count - 1 && [content, adopted].contains(judge.states.last)
        }
        if isNewest || !isAcknowledged || classes.contains(where: { $0 != "ok" }) { return nil }
        return "an acknowledged save is lost, and no check tells"
    }
}
