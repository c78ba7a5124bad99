import Daybook

/// Checks every zone on every day from 1970 to 2037 against what another program found out.
///
/// First the zones by themselves: where days start, and which day the instants around their ends and around each change
/// of the offset belong to. Then a real store, with a task on each day and completions on both sides of all midnights: what
/// Today shows and what is counted, on both sides of each midnight in each zone. Zones with the same days share that part.
public struct ZoneCheck: Sendable {
    /// What the check is doing.
    public enum Phase: String, Sendable {
        /// The days of the zones by themselves.
        case rules = "days"
        /// Filling the store.
        case store = "store"
        /// The views and the counts.
        case views = "views"
    }

    /// The truth.
    public let truth: ZoneTruth
    /// The days that the store is asked about; the zones by themselves are always checked on every day.
    public let selection: ZoneDaySelection

    /// A check against a truth.
    public init(against truth: ZoneTruth, asking selection: ZoneDaySelection = .every) {
        self.truth = truth
        self.selection = selection
    }

    /// Runs on all cores, and blocks until it is done.
    ///
    /// - Parameters:
    ///   - folder: where to make the store: missing or empty, best in memory; the store stays there.
    ///   - progress: told often what is being done, and how much of it; from any thread, but never from two at once.
    /// - Throws: what the store says when it cannot be made.
    public func run(
        in folder: String, progress: @escaping @Sendable (Phase, _ done: Int, _ total: Int) -> Void = { _, _, _ in }
    ) throws -> ZoneReport {
        var report = ZoneReport()
        for hardCase in truth.hardCases { hardCase.check(version: truth.version, into: &report) }

        let digests = truth.digests
        let results = inParallel(digests.count, progress: { progress(.rules, $0, digests.count) }) { index in
            ZoneRulesCheck(truth: digests[index]).run()
        }
        var names: [String: String] = [:]
        for (truth, result) in zip(digests, results) {
            report.add(result.report)
            if let digest = result.digest, names[digest] == nil { names[digest] = truth.zone }
        }
        let zones = names.values.sorted().compactMap { try? Zone($0) }
        report.add(try checkStore(of: zones, in: folder, progress: progress))
        return report
    }

    private func checkStore(
        of zones: [Zone], in folder: String, progress: @escaping @Sendable (Phase, _ done: Int, _ total: Int) -> Void
    ) throws -> ZoneReport {
        var report = ZoneReport()
        let days = inParallel(zones.count, progress: { _ in }) { ZoneDays(of: zones[$0]) }
        let content = ZoneStoreContent(for: days, selection)
        report.completions = content.completions.count
        let context = Context(
            clock: SettableClock(Instant(secondsSince1970: 0)), random: SeededRandomSource(seed: 0),
            currentZone: { .utc }, weekStart: .monday)
        // No change is ever asked for again, so none need be kept.
        let options = StoreOptions(retention: ChangeLogRetention(maximumBytes: 0))
        let daybook = try DaybookStore.open(at: folder, context: context, options: options)
        try content.write(to: daybook) { progress(.store, $0, content.completions.count) }
        let parts = inParallel(days.count, progress: { progress(.views, $0, days.count) }) { index in
            ZoneStoreCheck(of: days[index], selection, content: content).run(in: folder)
        }
        for part in parts { report.add(part) }
        return report
    }
}
