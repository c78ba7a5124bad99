import ArgumentParser
import CommandSupport
import Daybook

struct Review: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look back at a week: what was completed, carried and left open.",
        discussion: """
            "Completed" counts the tasks that were completed in the week, "carried" those that were carried to another day \
            from one of the week last, "overdue" the open ones of its past days. The completion rate is the part of the \
            tasks scheduled in the week that is completed.

            Examples:
              daybook review
              daybook review --week 2026-02-11
              daybook review --week-start sunday --json
            """)

    @Option(help: ArgumentHelp("A day of the week. Default: today.", valueName: "day")) var week: String?
    @OptionGroup var reading: ReadingOptions

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try reading.session(options)
        let day = try week.map { try Day(parsing: $0, today: session.today) } ?? session.today
        let review = try session.read { try $0.tasks.review(ofWeekContaining: day) }
        let days = review?.days ?? Self.emptyDays(of: day.week(startingOn: session.context.weekStart))
        if options.json {
            return try Output.standard.json { Self.write(review, days, to: &$0) }
        }
        var text = """
            Week of \(days[0].day): \(review?.completed ?? 0) completed, \(review?.carried ?? 0) carried, \
            \(review?.overdue ?? 0) overdue

            """
        if let rate = review?.completionRate {
            text += "\(Int((rate * 100).rounded())) % of the tasks scheduled in the week are completed\n"
        }
        for day in days {
            text +=
                "\(day.day.heading)  \(day.completed) completed, \(day.scheduledAndCompleted) of \(day.scheduled) scheduled\n"
        }
        try Output.standard.write(text)
    }

    private static func write(_ review: WeekReview?, _ days: [WeekReview.DayReview], to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("weekStart", days[0].day)
            writer.field("completed", review?.completed ?? 0)
            writer.field("carried", review?.carried ?? 0)
            writer.field("overdue", review?.overdue ?? 0)
            writer.field("completionRate", review?.completionRate)
            writer.array("days") { writer in
                for day in days {
                    writer.object { writer in
                        writer.field("date", day.day)
                        writer.field("completed", day.completed)
                        writer.field("scheduled", day.scheduled)
                        writer.field("scheduledAndCompleted", day.scheduledAndCompleted)
                        writer.field("carried", day.carried)
                        writer.field("overdue", day.overdue)
                    }
                }
            }
        }
    }

    /// The days while there is no store.
    private static func emptyDays(of week: Range<Day>) -> [WeekReview.DayReview] {
        week.map { WeekReview.DayReview(emptyOn: $0) }
    }
}
