/// Lets every call of some operations fail in every way, one after the other, until a run meets no failure.
struct FaultSweep {
    let pool: ChildPool
    let recorder: Recorder
    let scratch: String
    let coverage: Coverage

    static let workloads: [(name: String, workload: LabWorkload)] = [
        ("creation", LabWorkload(base: .nothing)),
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
        ("growth", LabWorkload(base: .nothing, steps: [LabStep(.bulk), LabStep(.bulk), LabStep(.large, draw: 19_000)], mapSize: 1 << 18)),
    ]

    /// Returns what was found wrong; stops early when told to.
    func run(while goesOn: () -> Bool) throws -> [CrashViolation] {
        var violations: [CrashViolation] = []
        for (name, workload) in Self.workloads {
            let reference = try reference(for: workload)
            for fault in DiskFault.kinds {
                guard goesOn() else { return violations }
                try sweep(fault, workload, named: name, reference, into: &violations)
            }
        }
        return violations
    }

    /// Counts the calls up until one too many was asked for.
    private func sweep(
        _ fault: DiskFault, _ workload: LabWorkload, named name: String, _ reference: Recording,
        into violations: inout [CrashViolation]
    ) throws {
        for first in 1...500 {
            var fault = fault
            fault.first = first
            let recipe = FaultRecipe(workload: workload, fault: fault)
            let ending = try pool.run { try strike(recipe, reference, $0, $1) }
            guard take(ending, recipe, named: name, into: &violations) else { return }
        }
    }

    /// Replays one fault.
    func replay(_ recipe: FaultRecipe) throws -> [CrashViolation] {
        var violations: [CrashViolation] = []
        let reference = try reference(for: recipe.workload)
        let ending = try pool.run { try strike(recipe, reference, $0, $1) }
        _ = take(ending, recipe, named: "replay", into: &violations)
        return violations
    }

    private func reference(for workload: LabWorkload) throws -> Recording {
        var workload = workload
        workload.steps.append(FaultRun.afterwards)
        return try recorder.record(workload)
    }

    private func strike(_ recipe: FaultRecipe, _ reference: Recording, _ slot: Int, _ voice: ChildVoice) throws {
        DiskLog.leave()
        try FaultRun(recipe: recipe, reference: reference, folder: "\(scratch)/image-\(slot)", voice: voice).run()
    }

    /// Whether the fault met a call.
    private func take(
        _ ending: ChildPool.Ending, _ recipe: FaultRecipe, named name: String, into violations: inout [CrashViolation]
    ) -> Bool {
        let isHit = ending.value(of: "hit") != nil
        if let failure = ending.failure { violations.append(CrashViolation(recipe: recipe.text, problem: failure)) }
        guard isHit else { return false }
        coverage.count("faults", recipe.fault.name)
        coverage.count("faults by operation", name)
        coverage.count("answers to faults", ending.value(of: "told") ?? "none")
        coverage.imagesOpened += ending.value(of: "cuts").flatMap { Int($0) } ?? 0
        return true
    }
}
