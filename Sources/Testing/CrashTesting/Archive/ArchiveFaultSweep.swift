/// Lets every call of the operations on files fail in every way, one after the other, until a run meets no failure.
final class ArchiveFaultSweep {
    private let recorder: Recorder
    private let explorer: ArchiveExplorer
    private let coverage: Coverage
    private(set) var violations: [CrashViolation] = []
    private var waiting: [Trial] = []

    private struct Trial {
        var fault: DiskFault
        let recording: ArchiveRecording
        let states: Set<UInt64>
    }

    init(recorder: Recorder, explorer: ArchiveExplorer, coverage: Coverage) {
        self.recorder = recorder
        self.explorer = explorer
        self.coverage = coverage
    }

    /// Tries everything; stops early when told to.
    func run(while goesOn: () -> Bool) throws {
        for operation in ArchiveOperation.all { try add(operation, DiskFault.archiveKinds) }
        // The last first: a trial that met its call is followed by that of the next call.
        waiting.reverse()
        while goesOn() {
            if let trial = waiting.popLast() {
                try start(trial)
            } else if try !recorder.pool.finishOne() {
                return
            }
        }
        try recorder.pool.finishAll()
    }

    /// Replays one fault.
    func replay(_ operation: ArchiveOperation, _ fault: DiskFault) throws {
        try add(operation, [fault])
        if let trial = waiting.popLast() { try start(trial) }
        try recorder.pool.finishAll()
    }

    private func add(_ operation: ArchiveOperation, _ faults: [DiskFault]) throws {
        let recording = try explorer.record(operation)
        var states: Set<UInt64> = []
        if case .store = operation.promise {
            states = Set(try recorder.record(LabWorkload(imports: true)).states.keys)
        }
        waiting += faults.map { Trial(fault: $0, recording: recording, states: states) }
    }

    private func start(_ trial: Trial) throws {
        try recorder.pool.start { [recorder] slot, voice in
            DiskLog.leave()
            try ArchiveFaultRun(
                recording: trial.recording, fault: trial.fault, states: trial.states,
                place: ArchivePlace(folder: "\(recorder.scratch)/image-\(slot)"), voice: voice
            ).run()
        } then: { [self] ending in
            take(ending, of: trial)
        }
    }

    private func take(_ ending: ChildPool.Ending, of trial: Trial) {
        let operation = trial.recording.operation
        if let failure = ending.failure {
            let recipe = ArchiveRecipe.fault(operation, trial.fault).text
            violations.append(CrashViolation(recipe: recipe, problem: failure))
        }
        // Without a call that was struck, every call of the run has been.
        guard ending.value(of: "hit") != nil else { return }
        coverage.count("file faults", trial.fault.name)
        coverage.count("file faults by operation", operation.name)
        coverage.count("answers to file faults", ending.value(of: "told") ?? "none")
        var next = trial
        next.fault.first += 1
        waiting.append(next)
    }
}
