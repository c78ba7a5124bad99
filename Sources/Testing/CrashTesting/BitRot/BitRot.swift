import DiskRecording
import Injection
import KeyValue

/// Damages the pages of a store one at a time and judges how the store responds.
final class BitRot {
    private let pool: ChildPool
    private let scratch: String
    private let coverage: Coverage
    private let store: BitRotStore
    private let recordCount: Int
    private let injectionPoint: InjectionPoint?
    private(set) var violations: [CrashViolation] = []
    /// The first example of each noteworthy response.
    private(set) var samples: [String: String] = [:]
    private var fewestReadable: Int?
    private var sumOfReadable = 0
    private var damagesRead = 0
    private var salvages = (
        count: 0, complete: 0, untouchedComplete: 0, records: 0, untouched: 0, notes: [String: Int]()
    )
    /// The number of damaged stores judged so far.
    private(set) var trials = 0

    /// So many are tried of each domain in any case.
    static let trialsPerChild = 50
    /// Includes about 2,000 flipped bits, since every fourth damage is of another kind.
    static let defaultTrials = 2_720

    init(
        seed: UInt64, of pack: LabPack = .tasks, pool: ChildPool, scratch: String, coverage: Coverage,
        injectionPoint: InjectionPoint? = nil
    ) throws {
        self.pool = pool
        self.scratch = scratch
        self.coverage = coverage
        self.injectionPoint = injectionPoint
        let store = try BitRotStore(seed: seed, of: pack, scratch: scratch, pool: pool)
        self.store = store
        let ending = try pool.run { slot, reporter in
            DiskLog.detach()
            let check = try BitRotCheck(store, in: "\(scratch)/rot-\(slot)", reporter: reporter, injectionPoint: nil)
            reporter.report("records", "\(check.undamaged.records.count)")
        }
        guard let count = ending.value(of: "records").flatMap({ Int($0) }) else {
            throw CrashLabError.workloadFailed("bit rot", ending.failure ?? "no answer")
        }
        recordCount = count
    }

    /// Applies `count` damages, as long as the closure allows, and at least the first few of them.
    func run(trials count: Int = defaultTrials, while shouldContinue: () -> Bool) throws -> [CrashViolation] {
        for start in stride(from: 0, to: count, by: Self.trialsPerChild) where start == 0 || shouldContinue() {
            try examine((start..<min(start + Self.trialsPerChild, count)).map(store.damage))
        }
        try pool.finishAll()
        try settle()
        countReadable()
        return violations
    }

    /// Damages values, or whole pages, until a violation is found.
    func runControl(trials count: Int, onPages: Bool = false) throws -> NegativeControlResult {
        let damages = (0..<count).map(onPages ? store.lostLeaf : store.valueFlip)
        for start in stride(from: 0, to: count, by: 8) where violations.isEmpty && suspects.isEmpty {
            try examine(Array(damages[start..<min(start + 8, count)]))
            try pool.finishAll()
        }
        try settle()
        return NegativeControlResult(
            name: injectionPoint?.name ?? "none", trialsUntilFound: violations.isEmpty ? nil : trials,
            finding: violations.first?.problem ?? "not found")
    }

    /// Applies one damage again.
    static func replay(
        _ trial: BitRotTrial, pool: ChildPool, scratch: String, coverage: Coverage,
        injectionPoint: InjectionPoint? = nil,
        reportProgress: (String) -> Void
    ) throws -> [CrashViolation] {
        let rot = try BitRot(
            seed: trial.seed, of: trial.pack, pool: pool, scratch: scratch, coverage: coverage,
            injectionPoint: injectionPoint)
        try rot.examine([trial.damage])
        try pool.finishAll()
        try rot.settle()
        rot.countReadable()
        for (name, text) in rot.samples.sorted(by: { $0.key < $1.key }) { reportProgress("\(name): \(text)") }
        return rot.violations
    }

    // MARK: Children

    /// Damages that a child process has yet to examine.
    private struct Batch {
        var verdicts: [BitRotVerdict]
        /// The stage at which the first one resumes.
        var first = BitRotStage.looking
        /// Whether it is a single damage, examined in a separate process.
        var isAlone = false
    }

    private var waiting: [Batch] = []
    /// Apparent violations. Each is examined again in a separate process before it counts, since damaged pages can
    /// corrupt the memory of the process that reads them.
    private var suspects: [BitRotVerdict] = []

    private func examine(_ damages: [PageDamage]) throws {
        waiting.append(
            Batch(verdicts: damages.map { BitRotVerdict(BitRotTrial(seed: store.seed, pack: store.pack, damage: $0)) }))
        while let batch = waiting.popLast() {
            try start(batch)
        }
    }

    private func start(_ batch: Batch) throws {
        try pool.start { [scratch, store, injectionPoint] slot, reporter in
            DiskLog.detach()
            BitRotCheck.limitMemory()
            let check = try BitRotCheck(
                store, in: "\(scratch)/rot-\(slot)", reporter: reporter, injectionPoint: injectionPoint)
            for (index, verdict) in batch.verdicts.enumerated() {
                reporter.report("trial", "\(index)")
                try check.run(verdict.trial.damage, from: index == 0 ? batch.first : .looking)
            }
        } then: { [self] ending in
            finish(batch, ending)
        }
    }

    /// Judges the examined damages; the rest of a batch whose child died is queued again.
    private func finish(_ batch: Batch, _ ending: ChildPool.Ending) {
        var batch = batch
        var index = -1
        // A child may die before its first stage.
        var stage = batch.first
        for line in ending.lines {
            let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? String(parts[1]) : ""
            switch parts[0] {
            case "trial":
                index += 1
                if index > 0 { stage = .looking }
            case "stage": stage = BitRotStage.allCases.first { $0.name == value } ?? stage
            default: if index >= 0 { batch.verdicts[index].take(String(parts[0]), value) }
            }
        }
        guard ending.way != .finished else {
            for verdict in batch.verdicts { judge(verdict, isAlone: batch.isAlone) }
            return
        }
        index = max(index, 0)
        batch.verdicts[index].ended(stage, ending)
        for verdict in batch.verdicts[..<index] { judge(verdict, isAlone: batch.isAlone) }
        let rest = Array(batch.verdicts[index...])
        if let next = BitRotStage(rawValue: stage.rawValue + 1), next <= .salvaging {
            waiting.append(Batch(verdicts: rest, first: next, isAlone: batch.isAlone))
        } else {
            judge(rest[0], isAlone: batch.isAlone)
            if rest.count > 1 { waiting.append(Batch(verdicts: Array(rest.dropFirst()))) }
        }
    }

    /// Examines every suspect again, alone.
    private func settle() throws {
        while !waiting.isEmpty || !suspects.isEmpty {
            while let batch = waiting.popLast() { try start(batch) }
            let trials = suspects.map(\.trial)
            suspects = []
            for trial in trials { try start(Batch(verdicts: [BitRotVerdict(trial)], isAlone: true)) }
            try pool.finishAll()
        }
    }

    // MARK: Judging

    private func judge(_ verdict: BitRotVerdict, isAlone: Bool) {
        let problem = verdict.problem(
            isInsideValue: isInsideValue(verdict),
            bringsStaleData: store.bringsStaleData(verdict.trial.damage), recordCount: recordCount)
        guard problem == nil || isAlone else { return suspects.append(verdict) }
        trials += 1
        coverage.count(
            "bit rot", "\(verdict.trial.damage.name), \(store.map.kinds[verdict.trial.damage.page].rawValue)")
        coverage.count("bit rot: answers", verdict.answer)
        coverage.count("bit rot: domains", store.pack.rawValue)
        coverage.imagesOpened += 1
        note(verdict)
        if let problem {
            violations.append(CrashViolation(reproducer: Reproducer.damage(verdict.trial).text, problem: problem))
        }
    }

    private func isInsideValue(_ verdict: BitRotVerdict) -> Bool {
        guard case .flip(let page, let byte, _) = verdict.trial.damage else { return false }
        return store.map.isInsideValue(page: page, byte: byte)
    }

    /// Counts responses that violate no promise but are worth knowing.
    private func note(_ verdict: BitRotVerdict) {
        noteSalvage(verdict)
        func note(_ name: String, _ text: String) {
            coverage.count("bit rot: notes", name)
            if samples[name] == nil { samples[name] = "\(Reproducer.damage(verdict.trial).text): \(text)" }
        }
        if verdict.isCorruptedByWriting {
            note("later writes corrupt the store: \(store.map.kinds[verdict.trial.damage.page].rawValue)", "")
        }
        if verdict.isPageCountOnly { note("only LMDB's page count is wrong", "") }
        if verdict.isEarlierState { note("\(verdict.trial.damage.name): an earlier state, complete", "") }
        if verdict.isHarmless {
            if verdict.isFound { note("harmless, but reported", verdict.firstProblem) }
            return
        }
        if let undone = verdict.undoErrors.first {
            note("\(verdict.trial.damage.name): undo does not revert the last operation", undone)
        }
        if let wrong = verdict.wrong.first {
            note("\(verdict.trial.damage.name): stale data is returned, verify finds it", wrong)
        }
        if let miscount = verdict.miscounts.first {
            note("\(verdict.trial.damage.name): a count is wrong, verify finds it", miscount)
        }
        for (stage, signal) in verdict.signals { note("\(stage.name) ended by signal \(signal)", "") }
        coverage.count("bit rot: rebuild", verdict.rebuilt)
        if let readable = verdict.readable {
            fewestReadable = min(readable, fewestReadable ?? readable)
            sumOfReadable += readable
            damagesRead += 1
        }
    }

    private func noteSalvage(_ verdict: BitRotVerdict) {
        guard let (salvaged, untouched) = verdict.salvaged else { return }
        salvages.count += 1
        if salvaged >= recordCount { salvages.complete += 1 }
        if untouched >= recordCount { salvages.untouchedComplete += 1 }
        salvages.records += salvaged
        salvages.untouched += untouched
        func note(_ name: String, _ text: String) {
            salvages.notes[name, default: 0] += 1
            if samples[name] == nil { samples[name] = "\(Reproducer.damage(verdict.trial).text): \(text)" }
        }
        if let wrong = verdict.salvageWrong { note("salvage: \(wrong)", "") }
        if salvaged < untouched { note("salvage: fewer than on untouched pages", "\(salvaged) of \(untouched)") }
        let isStale = store.bringsStaleData(verdict.trial.damage)
        if salvaged < recordCount, !isStale { note("salvage: not everything back", "\(salvaged) of \(recordCount)") }
    }

    /// What salvages brought back, beside what the untouched pages hold.
    private func countSalvages() {
        guard salvages.count > 0, recordCount > 0 else { return }
        let group = "bit rot: salvage, \(store.pack.rawValue)"
        func perMille(_ part: Int, of whole: Int) -> Int { (part * 10_000 / max(whole, 1) + 5) / 10 }
        coverage.count(group, "damages", salvages.count)
        coverage.count(group, "everything back, of 1,000", perMille(salvages.complete, of: salvages.count))
        coverage.count(
            group, "everything on untouched pages, of 1,000", perMille(salvages.untouchedComplete, of: salvages.count))
        let all = salvages.count * recordCount
        coverage.count(group, "records back, of 100,000", salvages.records * 100_000 / all)
        coverage.count(group, "records on untouched pages, of 100,000", salvages.untouched * 100_000 / all)
        for (note, count) in salvages.notes.sorted(by: { $0.key < $1.key }) { coverage.count(group, note, count) }
    }

    private func countReadable() {
        countSalvages()
        guard let fewestReadable, damagesRead > 0 else { return }
        let group = "bit rot: records readable by key, \(store.pack.rawValue)"
        coverage.count(group, "of", recordCount)
        coverage.count(group, "at the fewest", fewestReadable)
        coverage.count(group, "on average", sumOfReadable / damagesRead)
    }
}
