import Daybook
import FoundationEssentials
import Measuring

extension RequirementRun {
    /// Times the timeline of a store in which tasks are due all day long, and the deletion of a list with many tasks, and its
    /// undo.
    func lists(in daybook: DaybookStore) async throws -> [MeasuredRow] {
        let now = daybook.context.clock.wall
        let due = (1...40).map { number in
            var task = NewTask("Task \(number) that is due soon")
            task.due = .at(now.advanced(bySeconds: Int64(number) * 1800))
            return task
        }
        try await daybook.tasks.create(due)
        let timelines = try Timings(rounds: scale.besides) { _ = try daybook.tasks.timeline() }
        let path = "\(folder)/requirements-lists"
        try await BenchStore.make(at: path, .history(taskCount: 1, seed: 4))
        let store = try BenchStore(at: path)
        defer { store.close() }
        let tasks = store.daybook.tasks
        let list = try await tasks.createList("List")
        let new = (0..<scale.listed).map { number in
            var task = NewTask("Task \(number) of a long list")
            task.list = list.id
            return task
        }
        try await tasks.create(new)
        let deletion = try await Stopwatch.nanosecondsAwaiting { _ = try await tasks.deleteList(list.id) }
        let undo = try await Stopwatch.nanosecondsAwaiting { _ = try await tasks.undo() }
        return [
            MeasuredRow(
                "L-NFR23", "median of a timeline of \(taskCount) tasks with 40 that are due in it",
                .time(timelines.median), limit: .time(.milliseconds(1))),
            MeasuredRow(
                "L-DM4", "deletion of a list with \(scale.listed) tasks", .time(deletion),
                limit: .time(.milliseconds(2000))),
            MeasuredRow("L-DM4", "undo of that deletion", .time(undo)),
        ]
    }
}
