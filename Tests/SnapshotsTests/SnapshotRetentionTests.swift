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

    @Test("The newest snapshot of each of the latest days is kept")
    func days() throws {
        let texts = [
            "2026-02-08T09:00:00Z", "2026-02-10T09:00:00Z", "2026-02-10T21:00:00Z", "2026-02-11T00:00:00Z",
            "2026-02-11T08:00:00Z",
        ]
        #expect(try Self.kept(SnapshotRetention(days: 2), texts) == [2, 4])
        #expect(try Self.kept(SnapshotRetention(days: 3), texts) == [0, 2, 4])
    }

    @Test("Days without a snapshot are not counted")
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

    @Test("The bases of kept snapshots are kept, and the newest snapshot always is")
    func chains() throws {
        let texts = ["2026-02-01T09:00:00Z", "2026-02-02T09:00:00Z", "2026-02-03T09:00:00Z", "2026-02-04T09:00:00Z"]
        #expect(try Self.kept(SnapshotRetention(days: 1), texts, bases: [nil, 0, 1, nil]) == [3])
        #expect(try Self.kept(SnapshotRetention(days: 2), texts, bases: [nil, 0, 1, nil]) == [0, 1, 2, 3])
        #expect(try Self.kept(SnapshotRetention(), texts, bases: [nil, 0, 1, nil]) == [3])
        #expect(try Self.kept(SnapshotRetention(days: 1), [], bases: []).isEmpty)
    }

    @Test("A cycle of bases, which only forged headers can have, terminates")
    func circle() throws {
        let texts = ["2026-02-01T09:00:00Z", "2026-02-02T09:00:00Z"]
        #expect(try Self.kept(SnapshotRetention(days: 1), texts, bases: [1, 0]) == [0, 1])
    }
}
