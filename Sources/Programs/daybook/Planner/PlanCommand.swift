import ArgumentParser
import CommandSupport
import Daybook

struct ShowPlan: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Show the plan of a day: its regions, and their buckets with their caps.",
        discussion: """
            Regions are morning, afternoon, evening and backlog. A bucket takes a number of tasks that are not completed: \
            must 1, complementary 3, misc 5, each in each region of each day. Tasks without a region and a bucket are in the \
            backlog, unassigned. Sticky tasks come first.

            Examples:
              daybook plan
              daybook plan tomorrow
              daybook plan next friday
              daybook plan 2026-02-11 --json
            """)

    @Argument(help: .day) var day: [String] = []
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try options.session()
        let day = try day.isEmpty ? session.today : Day(parsing: day.joined(separator: " "), in: session.context)
        let plan = try session.read { try ShownPlan($0.tasks.plan(on: day), in: $0) } ?? ShownPlan(emptyOn: day)
        if options.json { return try Output.standard.json { plan.write(to: &$0) } }
        try Output.standard.write(PlanGrid(plan, isToday: day == session.today).text)
    }
}

/// The plan of a day with what JSON and listings show of its tasks.
struct ShownPlan {
    struct Region {
        let region: TaskRegion
        let open: Int
        let buckets: [Bucket]
    }

    struct Bucket {
        let bucket: TaskBucket
        let used: Int
        let tasks: [ShownTask]
    }

    let day: Day
    let regions: [Region]

    init(_ plan: DayPlan, in transaction: ReadTransaction) throws {
        // The plan has every task of the day once.
        let tasks = plan.regions.flatMap(\.buckets).flatMap(\.tasks)
        let shown = Dictionary(
            uniqueKeysWithValues: try transaction.shown(container: tasks).map { ($0.task.id, $0) })
        day = plan.day
        regions = plan.regions.map { region in
            Region(
                region: region.region, open: region.open,
                buckets: region.buckets.map { bucket in
                    Bucket(bucket: bucket.bucket, used: bucket.used, tasks: bucket.tasks.compactMap { shown[$0.id] })
                })
        }
    }

    init(emptyOn day: Day) {
        self.day = day
        regions = TaskRegion.ordered.map { region in
            Region(
                region: region, open: 0, buckets: TaskBucket.ordered.map { Bucket(bucket: $0, used: 0, tasks: []) })
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("date", day)
            writer.array("regions") { writer in
                for region in regions {
                    writer.object { writer in
                        writer.field("region", region.region.name)
                        writer.field("open", region.open)
                        writer.array("buckets") { writer in
                            for bucket in region.buckets { Self.write(bucket, to: &writer) }
                        }
                    }
                }
            }
        }
    }

    private static func write(_ bucket: Bucket, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("bucket", bucket.bucket.name)
            writer.field("used", bucket.used)
            writer.field("cap", bucket.bucket.cap)
            writer.field("tasks", bucket.tasks)
        }
    }
}
