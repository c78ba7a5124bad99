import Daybook
import Testing

/// The example of README.md.
@Suite struct ReadmeExample {
    let temporary = TemporaryFolder()

    @Test("The library in ten lines")
    func keepsATaskList() async throws {
        let folder = temporary.file("store")
        let store = try DaybookStore.open(at: folder)  // created if it is missing
        let task = try await store.tasks.create("Review chapter 3")  // durable when the call returns
        try await store.tasks.schedule(task.id, on: .tomorrow)
        try await store.tasks.complete(task.id)
        for task in try store.tasks.today() { print(task.state, task.text) }  // one range scan, no await
        let completed = try store.tasks.statistics().month  // a few small reads at any size
        try await store.write { transaction in  // several steps, all or nothing
            let trip = try transaction.tasks.create("Plan trip")
            try transaction.tasks.schedule(trip.id, on: .today)
        }

        #expect(completed == 1)
        #expect(try store.tasks.today().map(\.text) == ["Plan trip"])
        #expect(try store.tasks.upcoming().flatMap(\.tasks).map(\.text) == ["Review chapter 3"])
    }
}
