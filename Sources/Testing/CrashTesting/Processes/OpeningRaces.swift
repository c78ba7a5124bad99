import CivilTime
import Injection
import KeyValue

/// Runs every opening race at every system call of its first process.
final class OpeningRaces {
    private let pool: ChildPool
    private let scratch: String
    private let coverage: Coverage
    private let sabotage: InjectionPoint?
    private(set) var violations: [CrashViolation] = []
    /// Races that were run, each from the beginning.
    private(set) var runs = 0
    /// The most system calls that a first process made.
    private(set) var steps = 0

    init(width: Int, clock: any TimeSource, scratch: String, coverage: Coverage, sabotage: InjectionPoint?) {
        // One child runs a race at every step of it; its processes have time limits of their own.
        pool = ChildPool(width: width, clock: clock, timeLimitMicroseconds: 300_000_000)
        self.scratch = scratch
        self.coverage = coverage
        self.sabotage = sabotage
    }

    /// Runs races, as long as the closure allows another one. Whether all of them were run.
    ///
    /// - Parameter stopsWhenBroken: whether a race ends at its first step that breaks.
    @discardableResult
    func run(
        _ races: [OpeningRace], stopsWhenBroken: Bool = false, while shouldContinue: () -> Bool
    ) throws -> Bool {
        let base = try makeBase()
        for race in races {
            guard shouldContinue() else {
                try pool.finishAll()
                return false
            }
            try pool.start { slot, voice in
                DiskLog.leave()
                let folder = "\(self.scratch)/race-\(slot)"
                for step in 1... {
                    voice.say("stage", "running \(race.recipe(step: step))")
                    try FolderFiles.replace(folder, with: base)
                    let path = "\(folder)/\(Recording.storePath)"
                    switch try race.run(step: step, at: path, sabotage: self.sabotage) {
                    case .held: voice.say("held", "\(step)")
                    case .broken(let problem):
                        voice.say("broken", "\(race.recipe(step: step)) \(problem)")
                        if stopsWhenBroken { return }
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
    func replay(_ race: OpeningRace, step: Int) throws {
        let base = try makeBase()
        let folder = "\(scratch)/race-replayed"
        try FolderFiles.replace(folder, with: base)
        let ending = try pool.run { _, voice in
            DiskLog.leave()
            let path = "\(folder)/\(Recording.storePath)"
            if case .broken(let problem) = try race.run(step: step, at: path, sabotage: self.sabotage) {
                voice.say("broken", "\(race.recipe(step: step)) \(problem)")
            }
        }
        take(ending, of: race)
    }

    private func take(_ ending: ChildPool.Ending, of race: OpeningRace) {
        let broken = ending.values(of: "broken")
        let count = ending.values(of: "held").count + broken.count
        runs += count
        steps = max(steps, count)
        coverage.count("opening races", race.kind, count)
        violations += broken.map { line in
            // A recipe has no spaces.
            let parts = line.split(separator: " ", maxSplits: 1)
            return CrashViolation(recipe: String(parts[0]), problem: parts.count > 1 ? String(parts[1]) : "")
        }
        if let failure = ending.failure {
            violations.append(CrashViolation(recipe: race.recipe(step: count + 1), problem: failure))
        }
    }

    private func makeBase() throws -> DiskImage {
        let folder = "\(scratch)/race-base"
        try FolderFiles.replace(folder, with: DiskImage(folders: ["home"]))
        let ending = try pool.run { _, _ in
            DiskLog.leave()
            try OpeningRace.makeBase(at: "\(folder)/\(Recording.storePath)")
        }
        if let failure = ending.failure { throw CrashLabError.workloadFailed("base store of races", failure) }
        // With the lock file that the last process left, as a store has it that was open before.
        return try FolderFiles.image(of: folder)
    }
}
