import CivilTime
import FoundationEssentials
import Tasks
import TestSupport
import Testing

@testable import Exchange

@Suite struct ImportBatchTests {
    @Test("Batches become as small as their time demands, and larger again in steps [C-AD9]")
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
        #expect((0..<8).map { _ in size(after: 0) } == [32, 64, 128, 256, 512, 1000, 1000, 1000])
        // In one step to what fits, from the first batch that was too long.
        #expect(size(after: 300_000) == 100)
        #expect((0..<4).map { _ in size(after: 300_000) } == [10, 4, 4, 4])
        #expect(size(after: 30_000) == 4 && size(after: 20_000) == 6 && size(after: 1000) == 12)
    }
}
