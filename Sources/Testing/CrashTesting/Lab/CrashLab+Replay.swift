import ByteStreams
import Injection
import KeyValue

extension CrashLab {
    /// The first violation with its log, and the shortest workload in which something breaks, if that is a shorter one.
    func explained(_ violations: [CrashViolation], _ recorder: Recorder) throws -> [CrashViolation] {
        guard var first = violations.first, let recipe = CrashRecipe(first.recipe) else { return violations }
        first.details = CrashExplanation(recipe: recipe, recording: try recorder.record(recipe.workload)).lines
        tell("shrinking")
        let shrunk = try Shrinker { workload in
            let explorer = self.explorer(Coverage())
            try explorer.explore(recorder.record(workload), of: workload, limits: .long) {
                explorer.violations.isEmpty
            }
            try self.pool.finishAll()
            return explorer.violations.first
        }.shrink(recipe.workload)
        return [first] + (shrunk.map { [$0] } ?? []) + violations.dropFirst()
    }

    // MARK: Replay

    /// The promises that can be broken on purpose.
    package static let sabotages =
        (InjectionPoint.harmful + InjectionPoint.ofProcesses).map(\.rawValue) + InjectionPoint.ofFiles.map(\.rawValue)

    /// Whether a text is a recipe that can be replayed.
    public static func isRecipe(_ text: String) -> Bool {
        CrashRecipe(text) != nil || FaultRecipe(text) != nil || BitRotTrial(text) != nil
            || Situation(recipe: text) != nil || ArchiveRecipe(text) != nil || OpeningRace.parse(text) != nil
    }

    /// Does again exactly what a recipe says, and returns what is wrong.
    public func replay(_ text: String) throws -> CrashReport {
        try withScratch { recorder in
            var report = CrashReport(options: options)
            report.violations = try violations(of: text, recorder)
            report.take(coverage, seconds: elapsedSeconds)
            return report
        }
    }

    private func violations(of text: String, _ recorder: Recorder) throws -> [CrashViolation] {
        if let recipe = CrashRecipe(text) {
            let recording = try recorder.record(recipe.workload)
            let explorer = explorer(coverage)
            try explorer.replay(recipe, of: recording)
            try pool.finishAll()
            return explorer.violations.map { violation in
                var violation = violation
                violation.details = CrashExplanation(recipe: recipe, recording: recording).lines
                return violation
            }
        }
        if let recipe = FaultRecipe(text) {
            let sweep = FaultSweep(pool: pool, recorder: recorder, scratch: options.scratch, coverage: coverage)
            try sweep.replay(recipe)
            return sweep.violations
        }
        if let trial = BitRotTrial(text) {
            return try BitRot.replay(
                trial, pool: pool, scratch: options.scratch, coverage: coverage, sabotage: sabotage, tell: tell)
        }
        if let situation = Situation(recipe: text) {
            return try meet(situation, recorder).map { [CrashViolation(recipe: text, problem: $0)] } ?? []
        }
        if let (race, step) = OpeningRace.parse(text) {
            let races = races(coverage, sabotage)
            try races.replay(race, step: step)
            return races.violations
        }
        if let recipe = ArchiveRecipe(text) { return try violations(of: recipe, recorder) }
        throw CrashLabError.badRecipe(text)
    }

    private func violations(of recipe: ArchiveRecipe, _ recorder: Recorder) throws -> [CrashViolation] {
        let explorer = ArchiveExplorer(recorder: recorder, coverage: coverage)
        switch recipe {
        case .crash(let operation, let sabotage, let point, let moment, let image):
            let recording = try explorer.record(operation, sabotage: sabotage)
            try explorer.replay(image, point: point, moment, of: recording)
            return explorer.violations
        case .fault(let operation, let fault):
            let sweep = ArchiveFaultSweep(recorder: recorder, explorer: explorer, coverage: coverage)
            try sweep.replay(operation, fault)
            return sweep.violations
        }
    }
}
