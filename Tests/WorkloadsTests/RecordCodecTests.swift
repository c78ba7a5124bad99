import Daybook
import Testing
import Workloads

@Suite struct RecordCodecTests {
    @Test("What it encodes is read back as the same records")
    func whatItEncodesIsReadBackAsTheSameRecords() throws {
        let end = Instant(secondsSince1970: 1_770_739_200)
        let tasks = History(taskCount: 300, seed: 3, endingAt: end, in: .utc).map(\.task)
        var read: [TaskItem] = []
        for task in tasks {
            var key = KeyBytes()
            task.id.encode(into: &key)
            try TaskItem.append(decoding: key.bytes, RecordCodec.encode(task).span.bytes, to: &read)
        }
        #expect(read == tasks)
        #expect(tasks.count == 300)
    }
}
