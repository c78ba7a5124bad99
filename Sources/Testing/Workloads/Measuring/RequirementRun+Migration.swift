import Daybook
import FormerVersions
import Measuring

extension RequirementRun {
    /// Times the first opening of a journal that version 1.0 has written: today's indexes and counts are built from its entries.
    func migration() throws -> [MeasuredRow] {
        let path = "\(folder)/requirements-migration"
        let former = try FormerJournal.version10.open(at: path)
        do {
            defer { former.close() }
            try FormerJournal.version10.fill(former, entries: 10..<(10 + scale.migrated)) { Self.text($0, words: 10) }
        }
        let context = BenchStore.context(at: BenchStore.plannedMoment)
        let elapsed = try Stopwatch.nanoseconds { try DaybookStore.open(at: path, context: context).close() }
        return [
            MeasuredRow(
                "J-MG4", "first opening of a journal of version 1.0 with \(scale.migrated) entries", .time(elapsed),
                limit: .time(.milliseconds(10_000)))
        ]
    }
}
