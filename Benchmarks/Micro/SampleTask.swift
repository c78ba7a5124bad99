import Daybook
import Workloads

/// A task as most are: a line of text, planned for a day and completed, without notes.
enum SampleTask {
    static func make() throws -> TaskItem {
        let history = History(taskCount: 1000, seed: 1, endingAt: BenchmarkFolder.now, in: try Zone("Europe/Berlin"))
        for imported in history {
            var found: TaskItem?
            var copy = imported
            copy.edit { found = $0 }
            if let found, found.isCompleted, found.scheduledDate != nil, found.notes == nil { return found }
        }
        throw MissingSample()
    }

    private struct MissingSample: Error {}
}
