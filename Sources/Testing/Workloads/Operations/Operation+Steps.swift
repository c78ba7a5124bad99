import Daybook
import FoundationEssentials
import Measuring

extension Operation {
    /// The views and counts through the library: decoded and verified.
    static let questions: [Operation] = [
        question(
            "list-500", "fetch a list of 500", budget: .milliseconds(10), requirements: ["C-AD4", "C-NFR8"],
            reads: .list
        ) { try $0.tasks.tasks(on: BenchStore.dayOfList).count },
        Operation(
            name: "order-preview", title: "order preview of a drag in a list of 500", budget: .frame,
            requirements: ["C-S3.10", "C-NFR4"], floor: .scan(.list), rounds: 300, isSteady: true, body: .preview),
        question(
            "inbox-100", "Inbox, first 100", budget: .milliseconds(16), requirements: ["C-NFR4"],
            reads: .inbox(limit: 100)
        ) {
            try $0.tasks.inbox(limit: 100).count
        },
        question(
            "today", "Today, 50 tasks", budget: .milliseconds(50), requirements: ["C-NFR5"],
            reads: .days(from: BenchStore.plannedDay, to: BenchStore.plannedDay.advanced(by: 1))
        ) { try $0.tasks.today().tasks.count },
        question(
            "upcoming", "Upcoming, 500 tasks", budget: .milliseconds(50), requirements: ["C-NFR5", "C-NFR8"],
            reads: .days(from: BenchStore.plannedDay.advanced(by: 1), to: .last)
        ) { try $0.tasks.upcoming().reduce(0) { $0 + $1.tasks.count } },
        question(
            "past-100", "Past, first 100", budget: .milliseconds(50), requirements: ["C-S3.10"],
            reads: .days(from: .first, to: BenchStore.plannedDay, limit: 100)
        ) { try $0.tasks.past(limit: 100).count },
        page(1, floor: .scan(.days(from: .first, to: BenchStore.plannedDay, limit: BenchStore.pageLength))),
        page(1000, floor: .none),
        question(
            "views", "switch between Today, Upcoming and Inbox", budget: .milliseconds(50), requirements: ["C-NFR5"],
            reads: nil
        ) {
            let views = $0.tasks
            return try views.today().tasks.count + views.upcoming().count + views.inbox(limit: 100).count
        },
        question(
            "statistics", "statistics: today, week, month, trend", budget: .milliseconds(50),
            requirements: ["C-S6.2", "C-S6.3", "C-S6.4"], at: .historyEnd, reads: .oneCount
        ) {
            _ = try $0.tasks.statistics()
            return 1
        },
        question(
            "month-statistics", "statistics of a month, by day", budget: .milliseconds(300), requirements: ["C-S6.5"],
            at: .historyEnd, reads: .oneCount
        ) { try $0.tasks.statistics(of: BenchStore.lastMonth).days.count },
        question(
            "statistics-all", "all statistics, and those of a month by day", budget: .milliseconds(500),
            requirements: ["C-NFR6", "C-S6.6"], at: .historyEnd, reads: .oneCount
        ) {
            _ = try $0.tasks.statistics()
            return try $0.tasks.statistics(of: BenchStore.lastMonth).days.count
        },
    ]

    private static func page(_ number: Int, floor: Floor) -> Operation {
        Operation(
            name: "page-\(number)", title: "Past, page \(number) of 20", budget: .milliseconds(16), floor: floor,
            rounds: 400, isSteady: true, body: .page(number))
    }

    private static func question(
        _ name: String, _ title: String, budget: Int64, requirements: [String], at moment: Moment = .plannedDay,
        reads scan: RawScan?, _ question: @escaping @Sendable (ReadTransaction) throws -> Int
    ) -> Operation {
        Operation(
            name: name, title: title, budget: budget, requirements: requirements,
            floor: scan.map { .scan($0) } ?? .none,
            rounds: 400, isSteady: true, body: .question(at: moment, question))
    }
}

extension Int64 {
    /// The time of a frame at 60 a second.
    fileprivate static let frame: Int64 = 1_000_000_000 / 60
}

extension Operation {
    /// Operations without a budget, for comparisons with plain LMDB and for profilers.
    package static let unbudgeted: [Operation] = [
        direct("create-here", "create without a context switch") { store, round, tasks in
            try tasks.create("Task \(round), written down in a hurry", on: BenchStore.plannedDay)
        },
        direct("change-state-here", "change of state without a context switch") { store, round, tasks in
            try tasks.cycle(store.notStarted[round % store.notStarted.count])
        },
        direct("reorder-here", "reorder without a context switch") { store, round, tasks in
            // Each task moves to the place before the previously moved one, so that every move changes something.
            let ids = store.notStarted
            try tasks.reorder(ids[round % ids.count], to: .before(ids[(round + ids.count - 1) % ids.count]))
        },
        change("write-nothing", "an empty write", budget: 0) { store, _ in try await store.daybook.write { _ in } },
        Operation(
            name: "import", title: "import of 10,000 tasks into a new store", budget: 0, floor: .none, rounds: 5,
            isSteady: false,
            body: .change(
                before: { store, _ in try? FileManager.default.removeItem(atPath: store.path + "-imported") },
                { store, _ in
                    let daybook = try DaybookStore.open(
                        at: store.path + "-imported", context: BenchStore.context(at: BenchStore.historyEnd))
                    _ = try await daybook.files.import(importedFile)
                    daybook.close()
                })),
    ]

    private static let importedFile: TaskImport = {
        var file = TaskImport()
        file.tasks = Array(History(taskCount: 10_000, seed: 1, endingAt: BenchStore.historyEnd, in: .utc))
        return file
    }()

    /// Returns a durable change on the calling thread.
    private static func direct<Result>(
        _ name: String, _ title: String,
        _ work: @escaping @Sendable (BenchStore, _ round: Int, TaskTransaction) throws -> Result
    ) -> Operation {
        @Sendable func write(_ store: BenchStore, _ round: Int) throws {
            // Not in a closure that may suspend, since overload resolution prefers `await` there.
            _ = try store.daybook.write { try work(store, round, $0.tasks) }
        }
        return change(name, title, budget: 0) { store, round in try write(store, round) }
    }
}

extension RawScan {
    /// Returns the scan of days in the order of views.
    fileprivate static func days(from first: Day, to end: Day, limit: Int = .max) -> RawScan {
        RawScan(index: "tasks.byDay", records: "tasks", start: key(of: first), end: key(of: end), limit: limit)
    }

    /// The scan of the list of five hundred.
    fileprivate static let list = days(from: BenchStore.dayOfList, to: BenchStore.dayOfList.advanced(by: 1))

    /// Returns the scan of the Inbox, which precedes all days.
    fileprivate static func inbox(limit: Int) -> RawScan {
        RawScan(index: "tasks.byDay", records: "tasks", start: [0, 0, 0, 0], end: [0, 0, 0, 1], limit: limit)
    }

    /// A scan of one row of the completions roll-up.
    fileprivate static let oneCount = RawScan(
        index: "completions.counts", records: nil, start: [0], end: [0xFF], limit: 1)

    /// Returns a day as a key of the views: 32 bits, big-endian, with the sign inverted (Documentation/Format.md).
    private static func key(of day: Day) -> [UInt8] {
        let bits = UInt32(bitPattern: day.daysSince1970) ^ (1 << 31)
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> $0) }
    }
}

extension Operation {
    /// The durable changes, each in a separate transaction.
    static let changes: [Operation] = [
        change("create", "create a task", budget: .milliseconds(50), requirements: ["C-S1.11"]) { store, round in
            try await store.daybook.tasks.create(
                "Task \(round), written down in a hurry", on: BenchStore.plannedDay)
        },
        change(
            "create-shown", "create a task, until a live view has it", budget: .milliseconds(50),
            requirements: ["C-NFR2", "C-S1.11"]
        ) { store, round in
            var views = store.daybook.tasks.changes(in: .today).makeAsyncIterator()
            let before = try await views.next()?.tasks.count
            try await store.daybook.tasks.create("Task \(round), to be seen at once", on: BenchStore.plannedDay)
            while try await views.next()?.tasks.count == before {}
        },
        Operation(
            name: "live-past", title: "show a change in a live view of Past", budget: .milliseconds(1), floor: .flush,
            rounds: 200, isSteady: false,
            body: .change(
                before: { store, round in try await store.editPast(round) },
                { store, _ in try await store.showPast() })),
        change("change-state", "change a task's state", budget: .milliseconds(50), requirements: ["C-NFR3"]) {
            store, round in
            try await store.daybook.tasks.cycle(store.today[round % store.today.count])
        },
        change(
            "reorder", "move a task in a list of 500", budget: .milliseconds(16), requirements: ["C-NFR4", "C-NFR8"]
        ) { store, round in
            let list = store.list
            try await store.daybook.tasks.reorder(
                list[round % list.count], to: .before(list[(round * 7 + 250) % list.count]))
        },
        change("schedule", "schedule a task", budget: .milliseconds(50), requirements: ["L-NFR2"]) { store, round in
            try await store.daybook.tasks.schedule(
                store.today[round % store.today.count], on: round / store.today.count % 2 == 0 ? .tomorrow : .today)
        },
        Operation(
            name: "delete", title: "delete a task", budget: .milliseconds(50), requirements: ["L-NFR2"], floor: .flush,
            rounds: 200,
            isSteady: false,
            body: .change(
                { store, round in try await store.daybook.tasks.delete(store.list[round % store.list.count]) },
                after: { store, _ in try await store.daybook.tasks.undo() })),
        Operation(
            name: "undo", title: "undo a change of state", budget: .milliseconds(50), requirements: ["L-NFR2"],
            floor: .flush, rounds: 200,
            isSteady: false,
            body: .change(
                before: { store, round in
                    try await store.daybook.tasks.cycle(store.today[round % store.today.count])
                }, { store, _ in try await store.daybook.tasks.undo() })),
    ]

    private static func change(
        _ name: String, _ title: String, budget: Int64, requirements: [String] = [], _ change: @escaping Step
    ) -> Operation {
        Operation(
            name: name, title: title, budget: budget, requirements: requirements, floor: .flush, rounds: 200,
            isSteady: false, body: .change(change))
    }
}
