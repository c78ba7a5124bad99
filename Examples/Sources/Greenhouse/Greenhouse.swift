import Daybook

/// Keeps readings of sensors beside a task list, in one store.
@main
enum Greenhouse {
    static func main() async throws {
        let folder = CommandLine.arguments.dropFirst().first ?? "greenhouse-store"
        let daybook = try Daybook.open(at: folder, records: Schema().adding(Reading.collection))
        let now = daybook.context.clock.wall

        // Readings and the task that follows from them appear together or not at all.
        try await daybook.write { transaction in
            for minute in 0..<96 {
                let reading = Reading(
                    id: transaction.identifiers.next(), sensor: "north bench",
                    takenAt: now.advanced(bySeconds: Int64(-15 * 60 * minute)), celsius: 18 + Double(minute % 12))
                try transaction.put(reading)
            }
            try transaction.tasks.create("Open the north vents", on: transaction.context.today)
        }

        let (recent, today) = try daybook.read { transaction in
            let hourAgo = now.advanced(bySeconds: -3600)
            let zone = transaction.context.zone
            return (
                try transaction[Reading.byTime].range(from: hourAgo),
                try transaction[Reading.perDay].count(on: transaction.context.today, in: zone)
            )
        }
        for reading in recent { print(reading.takenAt, reading.sensor, reading.celsius) }
        print("\(today) readings today")

        let task = try daybook.tasks.today()[0]
        try await daybook.tasks.complete(task.id)
        print(try daybook.tasks.statistics().sentence)

        let report = try daybook.verify()
        print("verified \(report.records) records, \(report.problems.count) problems")
    }
}
