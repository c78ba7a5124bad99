import Daybook
import Measuring
import TestSupport
import Testing

@testable import Workloads

@Suite struct RequirementTests {
    @Test(
        "Every requirement about work beside other work is measured [C-AD9] [C-NFR7] [C-NFR10] [C-S6.6] [C-S7.6] [F-13] [P-OP8]"
    )
    func rows() async throws {
        let folder = TemporaryFolder()
        var scale = RequirementRun.Scale()
        (scale.imported, scale.creates, scale.besides, scale.idle) = (300, 40, 20, 20_000_000)
        (scale.carried, scale.listed, scale.rounds, scale.opened) = (60, 40, 3, 40)
        (scale.synced, scale.stream) = (60, 40)
        (scale.threads, scale.entries, scale.longThread, scale.migrated) = (3, 20, 200, 60)
        let rows = try await RequirementRun(in: folder.path, taskCount: 50, scale: scale).run()
        #expect(
            Set(rows.map(\.requirement)) == [
                "C-AD9", "C-NFR7", "C-NFR10", "C-S6.6", "C-S7.6", "F-13", "J-MG4", "J-OP7", "J-PF2", "J-PF3", "J-PF4",
                "J-PF5", "J-PF6", "L-DM4", "L-NFR1", "L-NFR2", "L-NFR23", "P-OP8", "P-OP9", "background",
                "compaction", "log", "salvage", "scrub", "sync",
            ])
        #expect(rows.count { $0.limit != nil } >= 8)
        // RESULTS.md has them.
        for line in rows.markdown.split(separator: "\n") { #expect(line.count <= 132, "\(line)") }
        #expect(Set(rows.map(\.title)).count == rows.count)
    }

    @Test("While an import is measured, days stand still, and the time by which it sizes its batches goes on")
    func pacedClock() {
        let pace = SettableClock(Instant(secondsSince1970: 1_800_000_000))
        let clock = PacedClock(wall: BenchStore.plannedMoment, pace: pace)
        let start = clock.monotonic
        pace.advance(byMicroseconds: 30_000)
        #expect(clock.monotonic.microseconds(since: start) == 30_000)
        #expect(clock.wall == BenchStore.plannedMoment)
    }

    @Test("A value above its limit misses it, and one without a limit has no verdict")
    func verdict() {
        let rows = [
            MeasuredRow("X", "time", .time(2), limit: .time(2)), MeasuredRow("X", "later", .time(3), limit: .time(2)),
            MeasuredRow("X", "ratio", .ratio(2.1), limit: .ratio(2)), MeasuredRow("X", "bytes", .bytes(1 << 40)),
        ]
        #expect(rows.map(\.holds) == [true, false, false, nil])
        #expect(rows.missed == Array(rows[1...2]))
        #expect(
            rows.markdown.contains("| X: later | 2 ns | 3 ns | **missed** |\n| X: ratio | 2.00 | 2.10 | **missed** |\n")
        )
        #expect(rows.markdown.hasSuffix("| X: bytes | - | 1.1 TB | - |\n"))
    }
}
