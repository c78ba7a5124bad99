import CivilTime
import Testing

@testable import Snapshots

@Suite struct SnapshotRetentionTests {
    private static let zone = Zone.utc

    private static func instants(_ texts: [String]) throws -> [Instant] {
        try texts.map { try Instant($0) }
    }

    private static func kept(_ retention: SnapshotRetention, _ texts: [String], bases: [Int?]? = nil) throws -> Set<Int>
    {
        retention.kept(
            of: try instants(texts), bases: bases ?? Array(repeating: nil, count: texts.count), zone: zone,
            weekStart: .monday)
    }

    @Test("Of each of the latest days the newest snapshot stays")
    func days() throws {
        let texts = [
            "2026-02-08T09:00:00Z", "2026-02-10T09:00:00Z", "2026-02-10T21:00:00Z", "2026-02-11T00:00:00Z",
            "2026-02-11T08:00:00Z",
        ]
        #expect(try Self.kept(SnapshotRetention(days: 2), texts) == [2, 4])
        #expect(try Self.kept(SnapshotRetention(days: 3), texts) == [0, 2, 4])
    }

    @Test("Days without a snapshot do not count")
    func gaps() throws {
        let texts = ["2020-01-01T00:00:00Z", "2025-06-01T00:00:00Z", "2026-02-11T08:00:00Z"]
        #expect(try Self.kept(SnapshotRetention(days: 3), texts) == [0, 1, 2])
    }

    @Test("Weeks begin on the given weekday, months on the first")
    func weeksAndMonths() throws {
        // 2026-02-09 is a Monday.
        let texts = ["2026-01-31T09:00:00Z", "2026-02-08T09:00:00Z", "2026-02-09T09:00:00Z", "2026-02-10T09:00:00Z"]
        #expect(try Self.kept(SnapshotRetention(weeks: 2), texts) == [1, 3])
        #expect(try Self.kept(SnapshotRetention(months: 2), texts) == [0, 3])
        let sundays = SnapshotRetention(weeks: 2).kept(
            of: try Self.instants(texts), bases: [nil, nil, nil, nil], zone: Self.zone, weekStart: .sunday)
        #expect(sundays == [0, 3])
    }

    @Test("What a kept snapshot continues is kept, and the newest always")
    func chains() throws {
        let texts = ["2026-02-01T09:00:00Z", "2026-02-02T09:00:00Z", "2026-02-03T09:00:00Z", "2026-02-04T09:00:00Z"]
        #expect(try Self.kept(SnapshotRetention(days: 1), texts, bases: [nil, 0, 1, nil]) == [3])
        #expect(try Self.kept(SnapshotRetention(days: 2), texts, bases: [nil, 0, 1, nil]) == [0, 1, 2, 3])
        #expect(try Self.kept(SnapshotRetention(), texts, bases: [nil, 0, 1, nil]) == [3])
        #expect(try Self.kept(SnapshotRetention(days: 1), [], bases: []).isEmpty)
    }

    @Test("A circle of bases, which no snapshot can have honestly, ends")
    func circle() throws {
        let texts = ["2026-02-01T09:00:00Z", "2026-02-02T09:00:00Z"]
        #expect(try Self.kept(SnapshotRetention(days: 1), texts, bases: [1, 0]) == [0, 1])
    }
}
