import Daybook
import FoundationEssentials
import Measuring

extension RequirementRun {
    /// Times durable operations on a task, each after a plain create, in turns, and compares the 99th percentiles.
    func operations(in daybook: DaybookStore) async throws -> [MeasuredRow] {
        let tasks = daybook.tasks
        let (today, now) = (daybook.context.today, daybook.context.clock.wall)
        let list = try await tasks.createList("Operations")
        let blocker = try await tasks.create("Blocker")
        let daily = try RecurrenceRule(.daily)
        let operations: [(name: String, perform: @Sendable (UUID) async throws -> Void)] = [
            ("start", { try await tasks.start($0) }),
            ("schedule", { try await tasks.schedule($0, on: today) }),
            ("edit", { try await tasks.edit($0) { $0.text += ", changed" } }),
            ("move to a list", { try await tasks.move([$0], toList: list.id) }),
            ("due", { try await tasks.due([$0], .day(today)) }),
            ("remind", { try await tasks.remind($0, at: now.advanced(bySeconds: 3600)) }),
            ("place", { try await tasks.place($0, region: .evening) }),
            ("sticky", { try await tasks.setSticky([$0], to: true) }),
            ("auto-carry", { try await tasks.setAutoCarry([$0], to: true) }),
            ("expires", { try await tasks.setExpiry([$0], to: now.advanced(bySeconds: 7200)) }),
            ("reorder", { try await tasks.reorder($0, to: .first) }),
            ("block", { try await tasks.block($0, by: blocker.id) }),
            ("unblock", { try await tasks.unblock($0, by: blocker.id) }),
            ("complete", { try await tasks.complete($0) }),
            ("reopen", { try await tasks.reopen($0) }),
            ("repeat", { try await tasks.repeat($0, by: daily) }),
            ("complete one that repeats", { try await tasks.complete($0) }),
            ("delete", { try await tasks.delete($0) }),
            ("undo", { _ in try await tasks.undo() }),
        ]
        var creates: [Int64] = []
        var times = operations.map { _ in [Int64]() }
        for number in 0..<max(scale.rounds, 1) {
            let task = try await tasks.create("Task \(number) that is worked on").id
            for (index, operation) in operations.enumerated() {
                // One create for each operation: a disk that is slow for a while is slow for both.
                creates.append(
                    try await Stopwatch.nanosecondsAwaiting {
                        _ = try await tasks.create("Task \(number).\(index) beside it")
                    })
                times[index].append(try await Stopwatch.nanosecondsAwaiting { try await operation.perform(task) })
            }
        }
        let beside = Timings(creates)
        return zip(operations, times).map { operation, times in
            MeasuredRow(
                "L-NFR2", "p99 of \(times.count) times \(operation.name) against a create",
                .ratio(Timings(times).ratio(to: beside)), limit: .ratio(1.3))
        }
    }

    /// Times the opening of a store with 5,000 tasks, half of them in lists, up to the Inbox and the lists with their counts.
    func opening() async throws -> [MeasuredRow] {
        let path = "\(folder)/requirements-opening"
        let context = BenchStore.context(at: BenchStore.plannedMoment)
        do {
            let daybook = try DaybookStore.open(at: path, context: context)
            defer { daybook.close() }
            let lists = try await [daybook.tasks.createList("One"), daybook.tasks.createList("Two")]
            let new = (0..<scale.opened).map { number in
                var task = NewTask("Task \(number) of a store that is opened")
                task.list = number % 4 < 2 ? lists[number % 4].id : nil
                return task
            }
            try await daybook.tasks.create(new)
        }
        let elapsed = try Stopwatch.nanoseconds {
            let daybook = try DaybookStore.open(at: path, context: context)
            defer { daybook.close() }
            _ = try (daybook.tasks.inbox(), daybook.tasks.lists())
        }
        return [
            MeasuredRow(
                "L-NFR1", "opening a store of \(scale.opened) tasks, its Inbox and its lists", .time(elapsed),
                limit: .time(.milliseconds(400)))
        ]
    }
}
