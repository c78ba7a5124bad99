import Daybook

/// Keeps sensors and their readings beside a task list, in one store.
@main
enum Greenhouse {
    static func main() async throws {
        let folder = CommandLine.arguments.dropFirst().first ?? "greenhouse-store"
        let store = try DaybookStore.open(at: folder, records: Readings.schema)
        let readings = Readings(store: store)
        let today = store.context.today
        var maximum = readings.maximumOfToday().makeAsyncIterator()

        try await readings.measure(21.5, by: "north bench")
        try await readings.measure(36, by: "south bench")
        for reading in try readings.all(on: today) { print(reading.takenAt, reading.celsius) }
        for sensor in try readings.countsBySensor() { print("\(sensor.name): \(sensor.count) readings") }
        print("sensors in the north: \(try readings.sensors(beginning: "NORTH"))")
        if let hottest = try await maximum.next()?.value { print("at most \(hottest) degrees today") }

        let task = try store.tasks.today()[0]
        try await store.tasks.complete(task.id)
        print("\(try store.tasks.statistics().today) task completed today: \(task.text)")

        try await readings.retire("South Bench")
        print("\(try readings.count(on: today)) readings today without the south bench")
        let report = try store.verify()
        print("verified \(report.records) records, \(report.problems.count) problems")
    }
}
