import Daybook

/// Keeps readings of sensors beside a task list, in one store.
@main
enum Greenhouse {
    static func main() async throws {
        let folder = CommandLine.arguments.dropFirst().first ?? "greenhouse-store"
        let daybook = try DaybookStore.open(at: folder, records: Schema().adding(Reading.collection))
        let readings = Readings(daybook: daybook)
        let today = daybook.context.today

        try await readings.measure(21.5, by: "north bench")
        try await readings.measure(36, by: "south bench")
        for reading in try readings.all(on: today) { print(reading.takenAt, reading.sensor, reading.celsius) }
        print("\(try readings.count(on: today)) readings today")

        let task = try daybook.tasks.today()[0]
        try await daybook.tasks.complete(task.id)
        print(EnglishTaskTexts().summary(of: try daybook.tasks.statistics()))

        let report = try daybook.verify()
        print("verified \(report.records) records, \(report.problems.count) problems")
    }
}
