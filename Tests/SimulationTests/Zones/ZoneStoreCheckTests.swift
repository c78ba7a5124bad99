import Daybook
import Foundation
import TestSupport
import Testing

@testable import Simulation

@Suite("The zone check of a store") struct ZoneStoreCheckTests {
    private let selection = ZoneDaySelection.nearOddDays(within: 1)

    /// Checks a store after changing it.
    private func report(
        of days: ZoneDays, asked: ZoneDays? = nil, _ change: @Sendable (WriteTransaction) throws -> Void = { _ in }
    ) throws -> ZoneReport {
        let folder = TemporaryFolder(on: .memory)
        let content = ZoneStoreContent(for: [days], selection)
        let context = Context(
            clock: SettableClock(Instant(secondsSince1970: 0)), random: SeededRandomSource(seed: 0),
            currentZone: { .utc }, weekStart: .monday)
        let daybook = try DaybookStore.open(at: folder.store, context: context)
        try content.write(to: daybook) { _ in }
        try daybook.write(change)
        return ZoneStoreCheck(of: asked ?? days, selection, content: content).run(in: folder.store)
    }

    private func addCompletion(at instant: Instant, _ transaction: WriteTransaction) throws {
        try transaction.tasks.merge(
            Tombstone(
                id: UUID(), deletedAt: instant, completedAt: instant, completedZone: nil, completedOffsetSeconds: nil))
    }

    @Test(
        "A correct store passes",
        arguments: ["Pacific/Apia", "America/St_Johns", "Africa/Monrovia", "Africa/Cairo", "Pacific/Kiritimati"])
    func passes(zone: String) throws {
        let days = ZoneDays(of: try Zone(zone))
        let report = try report(of: days)
        #expect(report.findings == [])
        #expect(report.views == 2 * selection.indices(in: days).count)
        #expect(report.counts > 40)
    }

    @Test("An extra completion is found on its day and in the statistics")
    func wrongCount() throws {
        let days = ZoneDays(of: try Zone("Africa/Cairo"))
        // The last microsecond of a day that is followed by one that starts at one o'clock.
        let report = try report(of: days) { try addCompletion(at: Instant("2010-04-29T21:59:59.999999Z"), $0) }
        let total = try #require(report.findings.first { $0.subject == .dayTotal })
        #expect(total.description == "Africa/Cairo 2010-04-29: completions of the day: expected 2, found 3")
        #expect(report.findings.count { $0.subject == .dayTotal } == 1)
        #expect(report.findings.contains { $0.subject == .statistics })
    }

    @Test("A task on the wrong day is found on both days")
    func wrongTask() throws {
        let days = ZoneDays(of: try Zone("Pacific/Apia"))
        let day = try Day("2011-12-31")
        let report = try report(of: days) { transaction in
            // Only an import may schedule a task in the past.
            let instant = Instant(secondsSince1970: 1)
            try transaction.tasks.merge(
                ImportedTask(
                    id: ZoneStoreContent.id(of: day), text: "moved", createdAt: instant, updatedAt: instant,
                    scheduledDate: try Day("2011-12-29")))
        }
        #expect(report.findings.allSatisfy { $0.subject == .todayTasks })
        #expect(Set(report.findings.compactMap(\.day)) == [try Day("2011-12-29"), day])
    }

    @Test("Days of another zone are found in every view")
    func wrongZone() throws {
        let days = ZoneDays(of: try Zone("America/New_York"))
        let moved = ZoneDays(zone: try Zone("America/Chicago"), days: days.days, starts: days.starts)
        let report = try report(of: days, asked: moved)
        // The last microsecond of the day before is the same date in both.
        #expect(report.findingCount > report.views)
        #expect(report.findings.contains { $0.subject == .today })
        #expect(report.findings.contains { $0.subject == .todayEnd })
    }

    @Test("A store that cannot be opened is a finding")
    func noStore() throws {
        let folder = TemporaryFolder(on: .memory)
        let days = ZoneDays(of: .utc)
        let check = ZoneStoreCheck(of: days, selection, content: ZoneStoreContent(for: [days], selection))
        #expect(check.run(in: folder.store).findings.map(\.subject) == [.store])
    }

    @Test("The store's completions are exactly those on both sides of every boundary")
    func content() throws {
        let zones = [ZoneDays(of: .utc), ZoneDays(of: try Zone("Asia/Kathmandu"))]
        let content = ZoneStoreContent(for: zones, .every)
        // 24,838 ends of days in each; no end in one zone is one in the other.
        #expect(content.completions.count == 2 * 2 * 24_838)
        #expect(content.days.count == 24_838)
        #expect(content.completions == content.completions.sorted())
    }
}
