import CivilTime
import DiskRecording
import Injection
import KeyValue
import LabSupport

/// Runs races at every system call of their first process.
final class OpeningRaces {
    private let pool: ChildPool
    private let scratch: String
    private let coverage: Coverage
    private let injectionPoint: InjectionPoint?
    /// Whether the store has a commit log.
    private let isLogged: Bool
    private(set) var violations: [CrashViolation] = []
    /// The number of races run.
    private(set) var runs = 0
    /// The largest number of system calls of a first process.
    private(set) var steps = 0

    init(
        width: Int, clock: any TimeSource, scratch: String, coverage: Coverage, injectionPoint: InjectionPoint?,
        isLogged: Bool = false
    ) {
        self.isLogged = isLogged
        // One child runs all steps of a race; its processes have separate time limits.
        pool = ChildPool(width: width, clock: clock, timeLimitMicroseconds: 300_000_000)
        self.scratch = scratch
        self.coverage = coverage
        self.injectionPoint = injectionPoint
    }

    /// Runs races as long as the closure allows, and one of each kind in any case: on a busy machine the time may be over before
    /// the first race. Returns whether all of them were run.
    ///
    /// - Parameter seed: determines their order, so that short runs cover all of them over time.
    @discardableResult
    func run(_ races: [some SteppedRace], seed: UInt64, while shouldContinue: () -> Bool) throws -> Bool {
        var bits = SeededGenerator(seed: seed)
        let order = races.map { ($0, bits.next()) }.sorted { $0.1 < $1.1 }.map(\.0).firstOfEach(\.kind)
        return try run(order, required: Set(order.map(\.kind)).count, stopsWhenBroken: false, while: shouldContinue)
    }

    /// Runs races, each to its first broken step, until something is found.
    func runControl(_ races: [some SteppedRace]) throws {
        try run(races, required: 0, stopsWhenBroken: true) { violations.isEmpty }
    }

    @discardableResult
    private func run(
        _ races: [some SteppedRace], required: Int, stopsWhenBroken: Bool, while shouldContinue: () -> Bool
    ) throws -> Bool {
        let base = try makeBase()
        for (index, race) in races.enumerated() {
            guard index < required || shouldContinue() else {
                try pool.finishAll()
                return false
            }
            try pool.start { slot, reporter in
                DiskLog.detach()
                let folder = "\(self.scratch)/race-\(slot)"
                for step in 1... {
                    reporter.report("stage", "running \(race.reproducer(step: step))")
                    try FolderFiles.replace(folder, with: base)
                    let path = "\(folder)/\(Recording.storePath)"
                    switch try race.run(step: step, at: path, injectionPoint: self.injectionPoint) {
                    case .held: reporter.report("held", "\(step)")
                    case .broken(let problem):
                        reporter.report("broken", "\(race.reproducer(step: step)) \(problem)")
                        if stopsWhenBroken || problem.hasPrefix(OpeningRace.alone) { return }
                    case .pastTheEnd: return
                    }
                }
            } then: { ending in
                self.take(ending, of: race)
            }
        }
        try pool.finishAll()
        return true
    }

    /// Runs one step of one race.
    func replay(_ race: some SteppedRace, step: Int) throws {
        let base = try makeBase()
        let folder = "\(scratch)/race-replayed"
        try FolderFiles.replace(folder, with: base)
        let ending = try pool.run { _, reporter in
            DiskLog.detach()
            let path = "\(folder)/\(Recording.storePath)"
            if case .broken(let problem) = try race.run(step: step, at: path, injectionPoint: self.injectionPoint) {
                reporter.report("broken", "\(race.reproducer(step: step)) \(problem)")
            }
        }
        take(ending, of: race)
    }

    private func take<Race: SteppedRace>(_ ending: ChildPool.Ending, of race: Race) {
        let broken = ending.values(of: "broken")
        let count = ending.values(of: "held").count + broken.count
        runs += count
        steps = max(steps, count)
        coverage.count(Race.group, race.kind, count)
        violations += broken.map { line in
            // A reproducer has no spaces.
            let parts = line.split(separator: " ", maxSplits: 1)
            return CrashViolation(reproducer: String(parts[0]), problem: parts.count > 1 ? String(parts[1]) : "")
        }
        if let failure = ending.failure {
            violations.append(CrashViolation(reproducer: race.reproducer(step: count + 1), problem: failure))
        }
    }

    private func makeBase() throws -> DiskImage {
        let folder = "\(scratch)/race-base"
        try FolderFiles.replace(folder, with: DiskImage(folders: ["home"]))
        try pool.perform("base store of races") { _ in
            DiskLog.detach()
            try OpeningRace.makeBase(at: "\(folder)/\(Recording.storePath)", isLogged: self.isLogged)
        }
        // Includes the lock file of the last process, as in a store that was open before.
        return try FolderFiles.image(of: folder)
    }
}
