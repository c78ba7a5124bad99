import Daybook

extension Operation {
    /// The durable changes, each alone in its transaction.
    static let changes: [Operation] = [
        change("create", "create a task", budget: .milliseconds(50)) { store, round in
            try await store.daybook.tasks.create(
                "Task \(round), written down in a hurry", on: BenchStore.plannedDay)
        },
        change("create-shown", "create a task, until a live view has it", budget: .milliseconds(100)) { store, round in
            var views = store.daybook.tasks.changes(in: .today).makeAsyncIterator()
            let before = try await views.next()?.tasks.count
            try await store.daybook.tasks.create("Task \(round), to be seen at once", on: BenchStore.plannedDay)
            while try await views.next()?.tasks.count == before {}
        },
        change("change-state", "change a task's state", budget: .milliseconds(50)) { store, round in
            try await store.daybook.tasks.cycle(store.today[round % store.today.count])
        },
        change("reorder", "move a task in a list of 500", budget: .milliseconds(16)) { store, round in
            let list = store.list
            try await store.daybook.tasks.reorder(
                list[round % list.count], to: .before(list[(round * 7 + 250) % list.count]))
        },
        change("schedule", "schedule a task", budget: .milliseconds(100)) { store, round in
            try await store.daybook.tasks.schedule(
                store.today[round % store.today.count], on: round / store.today.count % 2 == 0 ? .tomorrow : .today)
        },
        Operation(
            name: "delete", title: "delete a task", budget: .milliseconds(100), floor: .flush, rounds: 200,
            isSteady: false,
            body: .change(
                { store, round in try await store.daybook.tasks.delete(store.list[round % store.list.count]) },
                after: { store, _ in try await store.daybook.tasks.undo() })),
        Operation(
            name: "undo", title: "undo a change of state", budget: .milliseconds(100), floor: .flush, rounds: 200,
            isSteady: false,
            body: .change(
                before: { store, round in
                    try await store.daybook.tasks.cycle(store.today[round % store.today.count])
                }, { store, _ in try await store.daybook.tasks.undo() })),
    ]

    private static func change(
        _ name: String, _ title: String, budget: Int64, _ change: @escaping Step
    ) -> Operation {
        Operation(
            name: name, title: title, budget: budget, floor: .flush, rounds: 200, isSteady: false, body: .change(change)
        )
    }
}
