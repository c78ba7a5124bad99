import Daybook

/// Keeps readings of sensors beside a task list, in one store.
@main
enum Greenhouse {
    static func main() async throws {
        let folder = CommandLine.arguments.dropFirst().first ?? "greenhouse-store"
        let store = try DaybookStore.open(at: folder, records: Schema().adding(Reading.collection))
        let readings = Readings(store: store)
        let today = store.context.today

        try await readings.measure(21.5, by: "north bench")
        try await readings.measure(36, by: "south bench")
        for reading in try readings.all(on: today) { print(reading.takenAt, reading.sensor, reading.celsius) }
        print("\(try readings.count(on: today)) readings today")

        let task = try store.tasks.today()[0]
        try await store.tasks.complete(task.id)
        print("\(try store.tasks.statistics().today) task completed today: \(task.text)")

        let report = try store.verify()
        print("verified \(report.records) records, \(report.problems.count) problems")
    }
}
