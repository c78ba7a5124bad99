import Daybook
import Measuring

extension Operation {
    /// The operations on complete stores.
    static let wholes = [
        Operation(
            name: "open", title: "cold open + Today", budget: .milliseconds(400), requirements: ["C-NFR1", "L-NFR1"],
            floor: .none, rounds: 20, isSteady: true,
            body: .start { store in
                let daybook = try store.openedAnew()
                _ = try daybook.tasks.today()
                daybook.close()
            }),
        Operation(
            name: "export", title: "JSON export", budget: .milliseconds(2000), requirements: ["C-S7.6"], floor: .none,
            rounds: 5, isSteady: false, body: .whole { store in try store.daybook.files.export(as: .json) { _ in } }),
        Operation(
            name: "snapshot", title: "snapshot, verified", budget: .milliseconds(500), floor: .scan(.allTasks),
            rounds: 5, isSteady: false, body: .whole { store in try store.snapshot() }),
        Operation(
            name: "restore", title: "restore of a snapshot, verified", budget: .milliseconds(500), floor: .flush,
            rounds: 5, isSteady: false,
            body: .whole(
                before: { store in
                    try store.makeSnapshotIfMissing()
                    try store.removeRestored()
                }, { store in try store.restoreSnapshot() })),
    ]

    /// The operations on stores beside the measured one, which are made when they are first needed.
    static let others = [
        Operation(
            name: "open-killed", title: "cold open + Today after a kill, with the longest commit log",
            budget: .milliseconds(1000), requirements: ["C-NFR1"], floor: .flush, rounds: 20, isSteady: false,
            body: .whole(
                isOther: true,
                before: { store in try store.leaveKilledStore() },
                { store in
                    let daybook = try DaybookStore.open(
                        at: store.killedPath, context: BenchStore.context(at: BenchStore.plannedMoment))
                    _ = try daybook.tasks.today()
                    daybook.close()
                })),
        export(of: 10, budget: .milliseconds(500)),
        export(of: 500, budget: .milliseconds(1000)),
        Operation(
            name: "open-journal", title: "cold open + the list of 100 threads", budget: .milliseconds(1000),
            requirements: ["J-PF1"], floor: .none, rounds: 20, isSteady: false,
            body: .whole(
                isOther: true,
                before: { store in try store.makeJournalIfMissing() },
                { store in
                    let daybook = try DaybookStore.open(
                        at: store.journalPath, context: BenchStore.context(at: BenchStore.plannedMoment))
                    _ = try daybook.journals.threads()
                    daybook.close()
                })),
    ]

    private static func export(of taskCount: Int, budget: Int64) -> Operation {
        Operation(
            name: "export-\(taskCount)", title: "JSON export of a store of \(taskCount) tasks, opened for it",
            budget: budget, requirements: ["C-S7.6"], floor: .none, rounds: 20, isSteady: false,
            body: .whole(
                isOther: true,
                before: { store in try await store.makeSmallStoreIfMissing(taskCount: taskCount) },
                { store in
                    let daybook = try DaybookStore.open(
                        at: store.smallPath(taskCount: taskCount),
                        context: BenchStore.context(at: BenchStore.plannedMoment))
                    try daybook.files.export(as: .json) { _ in }
                    daybook.close()
                }))
    }
}

extension RawScan {
    /// The scan of all tasks' records, which a snapshot must read.
    fileprivate static let allTasks = RawScan(
        index: "tasks", records: nil, start: [0], end: [UInt8](repeating: 0xFF, count: 17), limit: .max)
}
