import Daybook

/// Creates beside work that writes much.
extension RequirementRun {
    func creates(duringImportInto path: String, _ place: String) async throws -> RequirementRow {
        // An import sizes its batches by the time that they take.
        let context = Context(
            clock: PacedClock(wall: BenchStore.plannedMoment), random: SystemRandomSource(),
            currentZone: { .utc }, weekStart: .monday)
        let daybook = try DaybookStore.open(at: path, context: context)
        defer { daybook.close() }
        var file = TaskImport()
        for task in History(taskCount: scale.imported, seed: 2, endingAt: BenchStore.historyEnd, in: context.zone) {
            file.tasks.append(task)
        }
        let records = file
        let times = try await timeCreates(in: daybook) { _ = try await daybook.files.import(records) }
        return RequirementRow(
            "C-AD9", "p99 of \(times.count) creates during an import of \(scale.imported) tasks \(place)",
            .time(Timings(times).percentile99), limit: Self.createLimit)
    }

    /// A compaction keeps all other writers waiting.
    func creates(duringCompactionOf daybook: DaybookStore) async throws -> RequirementRow {
        let times = try await timeCreates(in: daybook) { _ = try await daybook.compact() }
        return RequirementRow(
            "compaction", "the longest create during a compaction of a store of \(taskCount) tasks",
            .time(times.max() ?? 0))
    }

    /// Times creates until some work has ended.
    private func timeCreates(
        in daybook: DaybookStore, until work: @escaping @Sendable () async throws -> Void
    ) async throws -> [Int64] {
        let progress = WorkProgress()
        let working = Task.detached {
            defer { progress.end() }
            try await work()
        }
        var times: [Int64] = []
        while !progress.hasEnded || times.isEmpty { times += try await timeCreates(1, in: daybook) }
        try await working.value
        return times
    }
}
