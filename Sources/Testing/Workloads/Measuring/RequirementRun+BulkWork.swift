import Daybook
import Measuring

/// Creates beside work that writes much, or reads much.
extension RequirementRun {
    /// The longest time that a compaction may keep a writer waiting.
    private static let waitLimit = MeasuredRow.Value.time(.milliseconds(50))
    /// How many times as long a create may take beside work in the background, of a hundred all but one.
    private static let backgroundLimit = MeasuredRow.Value.ratio(2)
    private static let backgroundRounds = 5

    /// Opens a store with a clock by which work sizes its steps and its pauses.
    private func openPaced(_ path: String) throws -> DaybookStore {
        let context = Context(
            clock: PacedClock(wall: BenchStore.plannedMoment), random: SystemRandomSource(),
            currentZone: { .utc }, weekStart: .monday)
        return try DaybookStore.open(at: path, context: context)
    }

    func creates(duringImportInto path: String, _ place: String) async throws -> MeasuredRow {
        let daybook = try openPaced(path)
        defer { daybook.close() }
        var file = TaskImport()
        file.tasks = Array(
            History(taskCount: scale.imported, seed: 2, endingAt: BenchStore.historyEnd, in: daybook.context.zone))
        let times = try await timeCreates(in: daybook) { [file] in _ = try await daybook.files.import(file) }
        return MeasuredRow(
            "C-AD9", "p99 of \(times.count) creates during an import of \(scale.imported) tasks \(place)",
            .time(Timings(times).percentile99), limit: Self.createLimit)
    }

    /// Writers go on during a compaction, and wait at its end.
    func creates(duringCompactionOf path: String) async throws -> [MeasuredRow] {
        let daybook = try openPaced(path)
        defer { daybook.close() }
        let alone = Timings(try await timeCreates(scale.besides, in: daybook))
        let times = try await timeCreates(in: daybook) { _ = try await daybook.compact() }
        let longest = MeasuredRow(
            "compaction", "the longest of \(times.count) creates during a compaction of \(taskCount) tasks",
            .time(times.max() ?? 0), limit: Self.waitLimit)
        // Of fewer it would be the longest one again.
        guard times.count >= scale.besides else { return [longest] }
        return [
            longest,
            MeasuredRow(
                "compaction", "p99 of a create during a compaction, against alone",
                .ratio(Timings(times).ratio(to: alone)), limit: Self.backgroundLimit),
        ]
    }

    /// Creates beside work in the background that lets them go first, in rounds that alternate with creates alone.
    func creates(besideBackgroundWorkIn path: String) async throws -> [MeasuredRow] {
        let daybook = try openPaced(path)
        defer { daybook.close() }
        let snapshot = "\(path)-beside\(SnapshotFile.suffix)"
        let works: [(name: String, work: @Sendable () throws -> Void)] = [
            ("snapshots", { try daybook.files.snapshot(to: snapshot, options: SnapshotOptions(overwrite: true)) }),
            ("scrubs", { try daybook.scrub(bytes: .max) }),
        ]
        var rows: [MeasuredRow] = []
        for (name, work) in works {
            var ratios: [Double] = []
            for _ in 0..<Self.backgroundRounds {
                let alone = Timings(try await timeCreates(scale.besides, in: daybook))
                ratios.append(try await timeCreates(in: daybook, beside: work).ratio(to: alone))
            }
            rows.append(
                MeasuredRow(
                    "background", "p99 of a create beside \(name) of \(taskCount) tasks, against alone",
                    .ratio(PairedRatio(ratios).median), limit: Self.backgroundLimit))
        }
        return rows
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
