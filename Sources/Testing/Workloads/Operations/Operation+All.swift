import Daybook

extension Operation {
    /// Everything that has a budget. Questions come before the changes, which make the views longer.
    public static let all = questions + wholes + changes

    /// The operation of a name, nil when there is none.
    public static func named(_ name: String) -> Operation? { all.first { $0.name == name } }

    /// What takes a whole store.
    private static let wholes = [
        Operation(
            name: "open", title: "cold open + Today", budget: .milliseconds(400), floor: .none, rounds: 20,
            isSteady: true,
            body: .start { store in
                let daybook = try store.openedAnew()
                _ = try daybook.tasks.today()
                daybook.close()
            }),
        Operation(
            name: "export", title: "JSON export", budget: .milliseconds(2000), floor: .none, rounds: 5, isSteady: false,
            body: .whole { store in try store.daybook.export(as: .json) { _ in } }),
        Operation(
            name: "snapshot", title: "snapshot, verified", budget: .milliseconds(500), floor: .scan(.allTasks),
            rounds: 5,
            isSteady: false, body: .whole { store in try store.snapshot() }),
        Operation(
            name: "restore", title: "restore of a snapshot, verified", budget: .milliseconds(500), floor: .flush,
            rounds: 5, isSteady: false,
            body: .whole(
                before: { store in
                    try store.snapshot()
                    try store.removeRestored()
                }, { store in try store.restoreSnapshot() })),
    ]

    /// The budget in a store of so many tasks: what takes a whole store may take longer in a larger one.
    public func budget(forTasks taskCount: Int) -> Int64 {
        if case .whole = body { budget * Int64(max(taskCount / 1000, 1)) } else { budget }
    }
}

extension RawScan {
    /// The records of all tasks: what a snapshot has to read.
    fileprivate static let allTasks = RawScan(
        index: "tasks", records: nil, start: [0], end: [UInt8](repeating: 0xFF, count: 17), limit: .max)
}
