import Charts
import Daybook

/// The completions of a month: a bar for each day.
struct MonthFigure {
    let statistics: MonthStatistics
    let today: Day

    private static let height = 150.0

    var figure: Figure {
        let month = statistics.month
        let title = "Completed in \(month.title): \(Figure.tasks(statistics.completed))"
        return Figure(
            title: title, note: "\(statistics.completed) completed, \(statistics.previousMonth) the month before.",
            svg: Figure.svg("month", height: Self.height + 24, title: title, drawing),
            columns: ["Day", "Completed"], rows: statistics.days.map { [$0.day.description, "\($0.completed)"] },
            previous: month.previous?.description, next: month < today.monthOfYear ? month.next?.description : nil)
    }

    private var drawing: String {
        let axis = CountAxis(largest: statistics.days.map(\.completed).max() ?? 0)
        let width = 1 / Double(statistics.days.count)
        let bars = statistics.days.enumerated().map { index, day in
            let x = Double(index) * width
            let y = axis.y(day.completed, height: Self.height)
            let name = day.day == today ? "bar today" : "bar"
            let bar =
                day.completed == 0
                ? ""
                : Drawing.box(
                    name, x + width * 0.12, y, width: width * 0.76, height: Self.height - y,
                    title: "\(day.day): \(Figure.tasks(day.completed))")
            let isMarked = day.day.day == 1 || day.day.day.isMultiple(of: 5)
            return bar + (isMarked ? Figure.label("\(day.day.day)", x + width / 2, Self.height + 18) : "")
        }
        return axis.drawing(height: Self.height) + bars.joined()
    }
}

/// The completions of a year: a column for each week, a cell for each day.
struct YearFigure {
    struct DayCount {
        let day: Day
        let completed: Int
    }

    let year: Int
    let weekStart: Weekday
    let days: [DayCount]

    private static let cell = 13.0
    private static let top = 18.0

    var figure: Figure {
        let completed = days.reduce(0) { $0 + $1.completed }
        let busy = days.filter { $0.completed > 0 }
        let title = "Completed in \(year): \(Figure.tasks(completed))"
        let best = busy.max { $0.completed < $1.completed }
        return Figure(
            title: title,
            note: best.map { "\(busy.count) days with completions; the most, \($0.completed), on \($0.day)." }
                ?? "Nothing was completed in \(year).",
            svg: Figure.svg("year", height: Self.top + 7 * Self.cell, title: title, drawing),
            columns: ["Day", "Completed"], rows: busy.map { ["\($0.day)", "\($0.completed)"] },
            previous: year > 1 ? "\(year - 1)" : nil, next: year < 9999 ? "\(year + 1)" : nil)
    }

    private var drawing: String {
        let most = days.map(\.completed).max() ?? 0
        let week = weekStart.week
        // The row of the first day: the days before it in its week are of the year before.
        let shift = days.first.flatMap { week.firstIndex(of: $0.day.weekday) } ?? 0
        let columns = (shift + days.count + 6) / 7
        let width = 1 / Double(columns)
        return days.enumerated().map { index, day in
            let (column, row) = ((index + shift) / 7, (index + shift) % 7)
            let x = Double(column) * width
            let cell = Drawing.box(
                "cell level\(Figure.level(day.completed, most: most))", x + width * 0.08,
                Self.top + Double(row) * Self.cell + 1, width: width * 0.84, height: Self.cell - 2,
                title: "\(day.day): \(Figure.tasks(day.completed))")
            guard day.day.day == 1 else { return cell }
            // The name of a month stands above the week that it begins in.
            return cell + Figure.label(String(Month.names[day.day.month - 1].prefix(3)), x, 11, anchor: "start")
        }.joined()
    }
}
