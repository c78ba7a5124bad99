/// Lets every call of some operations fail in every way, one after the other, until a run meets no failure.
final class FaultSweep {
    private let pool: ChildPool
    private let recorder: Recorder
    private let scratch: String
    private let coverage: Coverage
    private(set) var violations: [CrashViolation] = []
    /// What to try next: for each workload and kind of fault, one call after the other.
    private var waiting: [Trial] = []

    private struct Trial {
        let name: String
        var recipe: FaultRecipe
        let reference: Recording
    }

    private static let workloads: [(name: String, workload: LabWorkload)] = [
        ("creation", LabWorkload(base: .nothing)),
        ("creation after one that died", LabWorkload(base: .abandoned)),
        ("opening", LabWorkload(base: .small)),
        ("migration", LabWorkload(base: .older)),
        ("create", LabWorkload(steps: [LabStep(.create)])),
        ("complete", LabWorkload(steps: [LabStep(.complete)])),
        ("reorder", LabWorkload(steps: [LabStep(.reorder)])),
        ("delete", LabWorkload(steps: [LabStep(.delete)])),
        ("undo", LabWorkload(steps: [LabStep(.create), LabStep(.undo)])),
        ("group commit", LabWorkload(steps: [LabStep(.pair)])),
        ("import", LabWorkload(steps: [LabStep(.importing)])),
        ("overflow value", LabWorkload(steps: [LabStep(.large)])),
        (
            "growth",
            LabWorkload(
                base: .nothing, steps: [LabStep(.bulk), LabStep(.bulk), LabStep(.large, draw: 19_000)],
                mapSize: 1 << 18)
        ),
    ]

    init(pool: ChildPool, recorder: Recorder, scratch: String, coverage: Coverage) {
        self.pool = pool
        self.recorder = recorder
        self.scratch = scratch
        self.coverage = coverage
    }

    /// Tries everything; stops early when told to. Returns whether everything was tried.
    func run(while goesOn: () -> Bool) throws -> Bool {
        for (name, workload) in Self.workloads {
            let reference = try reference(for: workload)
            waiting += DiskFault.kinds.map { fault in
                Trial(name: name, recipe: FaultRecipe(workload: workload, fault: fault), reference: reference)
            }
        }
        // The last first: a trial that met its call is followed by that of the next call.
        waiting.reverse()
        while true {
            if let trial = waiting.popLast() {
                guard goesOn() else { break }
                try start(trial)
            } else if try !pool.finishOne() {
                return true
            }
        }
        try pool.finishAll()
        return false
    }

    /// Replays one fault.
    func replay(_ recipe: FaultRecipe) throws {
        try start(Trial(name: "replay", recipe: recipe, reference: reference(for: recipe.workload)))
        try pool.finishAll()
    }

    private func reference(for workload: LabWorkload) throws -> Recording {
        var workload = workload
        workload.steps.append(FaultRun.afterwards)
        return try recorder.record(workload)
    }

    private func start(_ trial: Trial) throws {
        try pool.start { [scratch] slot, voice in
            DiskLog.leave()
            let folder = "\(scratch)/image-\(slot)"
            try FaultRun(recipe: trial.recipe, reference: trial.reference, folder: folder, voice: voice).run()
        } then: { [self] ending in
            take(ending, of: trial)
        }
    }

    private func take(_ ending: ChildPool.Ending, of trial: Trial) {
        if let failure = ending.failure {
            violations.append(CrashViolation(recipe: trial.recipe.text, problem: failure))
        }
        // Without a call that was struck, every call of the run has been.
        guard ending.value(of: "hit") != nil else { return }
        coverage.count("faults", trial.recipe.fault.name)
        coverage.count("faults by operation", trial.name)
        coverage.count("answers to faults", ending.value(of: "told") ?? "none")
        coverage.imagesOpened += ending.value(of: "cuts").flatMap { Int($0) } ?? 0
        var next = trial
        next.recipe.fault.first += 1
        waiting.append(next)
    }
}
