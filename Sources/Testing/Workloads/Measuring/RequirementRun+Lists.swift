import Daybook
import FoundationEssentials

extension RequirementRun {
    /// Times the timeline of a store in which tasks are due all day long, and the deletion of a list with many tasks, and its
    /// undo.
    func lists(in daybook: DaybookStore) async throws -> [RequirementRow] {
        let now = daybook.context.clock.wall
        let due = (1...40).map { number in
            var task = NewTask("Task \(number) that is due soon")
            task.due = .at(now.advanced(bySeconds: Int64(number) * 1800))
            return task
        }
        try await daybook.tasks.create(due)
        let clock = ContinuousClock()
        var timelines: [Int64] = []
        for _ in 0..<max(scale.besides, 1) {
            timelines.append(try clock.measure { _ = try daybook.tasks.timeline() }.nanoseconds)
        }
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
        let deletion = try await clock.measure { _ = try await tasks.deleteList(list.id) }
        let undo = try await clock.measure { _ = try await tasks.undo() }
        return [
            RequirementRow(
                "L-NFR23", "median of a timeline of \(taskCount) tasks with 40 that are due in it",
                .time(Timings(timelines).median), limit: .time(.milliseconds(1))),
            RequirementRow(
                "L-DM4", "deletion of a list with \(scale.listed) tasks", .time(deletion.nanoseconds),
                limit: .time(.milliseconds(2000))),
            RequirementRow("L-DM4", "undo of that deletion", .time(undo.nanoseconds)),
        ]
    }
}
