import Daybook
import Workloads

/// A typical task: a line of text, planned for a day and completed, without notes.
enum SampleTask {
    static func make() throws -> TaskItem {
        let history = History(taskCount: 1000, seed: 1, endingAt: BenchmarkFolder.now, in: try Zone("Europe/Berlin"))
        for task in history.lazy.map(\.task)
        where task.isCompleted && task.scheduledDate != nil && task.notes == nil {
            return task
        }
        throw MissingSample()
    }

    private struct MissingSample: Error {}
}
