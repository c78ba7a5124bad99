import Daybook
import Testing
import Workloads

@Suite struct RecordCodecTests {
    @Test func `what it encodes is read back as the same records`() throws {
        let end = Instant(secondsSince1970: 1_770_739_200)
        let tasks = History(taskCount: 300, seed: 3, endingAt: end, in: .utc).map { $0.task }
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

extension ImportedTask {
    fileprivate var task: TaskItem {
        var copy = self
        var found = TaskItem(id: UUID(), text: "", createdAt: Instant(secondsSince1970: 0))
        copy.edit { found = $0 }
        return found
    }
}
