import Daybook
import Dispatch
import Threading

/// Compares every zone on every day from 1970 to 2037 with results of an independent program.
///
/// It first checks the zones alone: where days start, and the local day of instants around the ends of days and around
/// each change of offset. Then it checks a real store, with a task on each day and completions on both sides of all
/// midnights: the Today view and the counts, on both sides of each midnight in each zone. Zones with equal days are
/// checked once.
public struct ZoneCheck: Sendable {
    /// A phase of the check.
    public enum Phase: String, Sendable {
        /// The days of the zones.
        case rules = "days"
        /// Filling a store.
        case store = "store"
        /// Views and counts.
        case views = "views"
    }

    /// The independent results.
    public let truth: ZoneTruth
    /// The days for which the store is queried; the zones themselves are checked on every day.
    public let selection: ZoneDaySelection

    /// Creates a check.
    public init(against truth: ZoneTruth, asking selection: ZoneDaySelection = .every) {
        self.truth = truth
        self.selection = selection
    }

    /// Runs on all cores and blocks until it is done.
    ///
    /// - Parameters:
    ///   - folder: where to create the store: missing or empty, preferably in memory. The store remains there.
    ///   - progress: called with the current phase and its progress, from any thread, but never concurrently.
    /// - Throws: errors of the store.
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
        // No change is read again, so none needs to be retained.
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

/// Checks the days of one zone: where they start, and the local day of instants around their ends and around each
/// change of offset.
struct ZoneRulesCheck {
    let truth: ZoneTruth.Digest

    /// Returns the findings and the digest of the zone's days as found; nil if there is no such zone.
    func run() -> (report: ZoneReport, digest: String?) {
        var report = ZoneReport()
        report.zones = 1
        let days: ZoneDays
        do {
            days = ZoneDays(of: try Zone(truth.zone))
        } catch {
            report.add(ZoneFinding(zone: truth.zone, day: nil, what: .unusableZone, "a zone", "\(error)"))
            return (report, nil)
        }
        let digest = days.digest
        report.days = days.days.count
        report.expect(.dayCount, truth.dayCount, days.days.count, zone: days.zone, day: nil)
        report.expect(.digest, truth.hexadecimal, digest, zone: days.zone, day: nil)
        Self.checkBoundaries(of: days, into: &report)
        Self.checkTransitions(of: days, into: &report)
        return (report, digest)
    }

    static func checkBoundaries(of days: ZoneDays, into report: inout ZoneReport) {
        let zone = days.zone
        for (index, day) in days.days.enumerated() {
            let (start, end) = (days.starts[index], days.starts[index + 1])
            report.expect(.endOfDay, end, zone.end(of: day), zone: zone, day: day)
            let instants = [
                (start.advanced(byMicroseconds: -1), days.day(before: index)), (start, day),
                (start.advanced(byMicroseconds: 1), day), (end.advanced(byMicroseconds: -1), day),
            ]
            for (instant, expected) in instants {
                report.expect(.dayOfInstant, expected, zone.day(of: instant), zone: zone, day: day)
            }
            report.instants += instants.count
        }
    }

    static func checkTransitions(of days: ZoneDays, into report: inout ZoneReport) {
        for transition in days.transitions {
            report.transitions += 1
            for distance: Int64 in [-1, 0, 1] {
                let instant = transition.advanced(byMicroseconds: distance)
                guard let day = days.day(holding: instant) else { continue }
                report.instants += 1
                report.expect(.dayOfInstant, day, days.zone.day(of: instant), zone: days.zone, day: day)
            }
        }
    }
}

/// Computes values on all cores and returns them in order.
///
/// - Parameter progress: called with the number of values so far, never concurrently.
func inParallel<Value: Sendable>(
    _ count: Int, progress: @Sendable (Int) -> Void, _ compute: @Sendable (Int) -> Value
) -> [Value] {
    let values = ForkSafeMutex<(byIndex: [Value?], count: Int)>(([Value?](repeating: nil, count: count), 0))
    DispatchQueue.concurrentPerform(iterations: count) { index in
        let value = compute(index)
        values.withLock { values in
            values.byIndex[index] = value
            values.count += 1
            progress(values.count)
        }
    }
    return values.withLock { $0.byIndex.compactMap(\.self) }
}
