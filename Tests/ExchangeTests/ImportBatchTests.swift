import CivilTime
import FoundationEssentials
import Tasks
import TestSupport
import Testing

@testable import Exchange

@Suite struct ImportBatchTests {
    @Test("Batches become smaller while they take long, and larger again [C-AD9]")
    func batchSizes() {
        let tombstone = Tombstone(
            of: TaskItem(id: UUID(), text: "t", createdAt: Instant(secondsSince1970: 0)),
            deletedAt: Instant(secondsSince1970: 1))
        var batch = ImportBatch(format: .json, zone: .utc, now: Instant(secondsSince1970: 0))
        func size(after elapsed: Int64) -> Int {
            batch.removeAll(after: elapsed)
            while !batch.isFull { batch.append(.tombstone(tombstone)) }
            return batch.count
        }
        #expect((0..<5).map { _ in size(after: 0) } == [250, 500, 1000, 1000, 1000])
        #expect((0..<7).map { _ in size(after: 100_000) } == [500, 250, 125, 62, 31, 31, 31])
        #expect(size(after: 30_000) == 31 && size(after: 10_000) == 62)
    }
}
