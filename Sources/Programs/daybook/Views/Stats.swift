import ArgumentParser
import CommandSupport
import Daybook

struct Stats: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Count completed tasks: today, this week, this month, last month.",
        discussion: """
            On a terminal it draws a bar for each day of the month.

            Examples:
              daybook stats
              daybook stats --week-start sunday --json
              daybook stats --month 2018-04
            """)

    @Option(help: ArgumentHelp("Show the days of one month, such as 2018-04.", valueName: "yyyy-mm"))
    var month: String?

    @OptionGroup var reading: ReadingOptions

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try reading.session(options)
        if let month {
            try showMonth(Month(month), in: session)
        } else {
            try showSummary(in: session)
        }
    }

    private func showSummary(in session: Session) throws {
        let thisMonth = session.today.monthOfYear
        let read = try session.read { transaction in
            (try transaction.tasks.statistics(), try transaction.tasks.statistics(of: thisMonth))
        }
        let summary = read.map { Summary($0.0) } ?? Summary(emptyFor: session)
        if options.json { return try Output.standard.json { summary.write(to: &$0) } }
        var text = """
            \(Self.line(ofToday: summary.today))
            \(summary.week) this week, which began on \(summary.weekStart)
            \(summary.month) this month
            \(summary.lastMonth) last month
            \(summary.sentence)

            """
        if Terminal.standardOutput.isTerminal, let days = read?.1.days {
            text += "\n" + BarChart(days: days.filter { $0.day <= session.today }).text
        }
        try Output.standard.write(text)
    }

    /// The number of completions of today, in words that distinguish it from the number in the view of Today.
    static func line(ofToday count: Int) -> String {
        let tasks = count == 1 ? "1 task" : "\(count) tasks"
        return "\(tasks) completed today, whatever day \(count == 1 ? "it was" : "they were") planned for"
    }

    private func showMonth(_ month: Month, in session: Session) throws {
        let statistics = try session.read { try $0.tasks.statistics(of: month) }
        let days = statistics?.days.map { ($0.day, $0.completed) } ?? month.allDays.map { ($0, 0) }
        let completed = statistics?.completed ?? 0
        let previous = statistics?.previousMonth ?? 0
        if options.json {
            return try Output.standard.json { writer in
                writer.object { writer in
                    writer.field("month", month.description)
                    writer.field("zone", session.context.zone.identifier)
                    writer.field("completed", completed)
                    writer.field("previousMonth", previous)
                    writer.array("days") { writer in
                        for (day, count) in days {
                            writer.object { writer in
                                writer.field("date", day)
                                writer.field("completed", count)
                            }
                        }
                    }
                }
            }
        }
        var text = "\(month): \(completed) completed, \(previous) the month before\n"
        if let statistics, Terminal.standardOutput.isTerminal {
            text += BarChart(days: statistics.days).text
        } else {
            text += days.map { "\($0)  \($1)\n" }.joined()
        }
        try Output.standard.write(text)
    }
}

/// The numbers of `stats`, all zero while there is no store.
private struct Summary {
    let day: Day
    let zone: String
    let weekStart: Day
    var today = 0
    var week = 0
    var month = 0
    var lastMonth = 0
    var trend = CompletionStatistics.Trend.noData
    var sentence: String

    init(_ statistics: CompletionStatistics) {
        day = statistics.day
        zone = statistics.zone.identifier
        weekStart = statistics.weekStart
        today = statistics.today
        week = statistics.week
        month = statistics.month
        lastMonth = statistics.lastMonth
        trend = statistics.trend
        sentence = statistics.sentence
    }

    init(emptyFor session: Session) {
        day = session.today
        zone = session.context.zone.identifier
        weekStart = day.week(startingOn: session.context.weekStart).lowerBound
        sentence = "No data available yet"
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("date", day)
            writer.field("zone", zone)
            writer.field("today", today)
            writer.field("week", week)
            writer.field("month", month)
            writer.field("lastMonth", lastMonth)
            writer.field("trend", trend.rawValue)
            writer.field("sentence", sentence)
            writer.field("weekStart", weekStart)
        }
    }
}

/// A bar for each day, the longest as wide as the terminal allows.
private struct BarChart {
    let days: [MonthStatistics.DayCount]

    var text: String {
        let terminal = Terminal.standardOutput
        let most = max(days.map(\.completed).max() ?? 0, 1)
        let room = max(min((terminal.width ?? 80) - 24, 60), 8)
        return days.map { day in
            let length = (day.completed * room + most - 1) / most
            let bar = terminal.styled(String(repeating: "█", count: length), .bar)
            return "\(day.day.heading)  \(bar)\(length > 0 ? " " : "")\(day.completed)\n"
        }.joined()
    }
}

extension Month {
    fileprivate var allDays: [Day] { days.map { $0 } }
}
