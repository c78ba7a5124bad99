import Charts
import Daybook

/// When tasks are completed: a cell for each hour of each weekday, over the last 52 weeks.
struct WeekFigure {
    let zone: Zone
    let weekdays: [Weekday]
    /// By weekday, in the order of `weekdays`, then by hour.
    private(set) var counts: [[Int]]

    private static let cell = 17.0
    private static let top = 18.0
    private static let days = 364

    /// Counts completions: an hour is that of the clock, also in weeks in which it was changed.
    init(_ store: DaybookStore) throws {
        let context = store.context
        let zone = context.zone
        weekdays = context.weekStart.week
        self.zone = zone
        var boundaries: [Instant] = []
        var cells: [(weekday: Int, hour: Int)] = []
        let first = context.today.advanced(by: 1 - Self.days)
        for offset in 0..<Self.days {
            let day = first.advanced(by: offset)
            var instant = zone.start(of: day)
            while instant < zone.end(of: day) {
                let local = instant.advanced(bySeconds: Int64(zone.offsetSeconds(at: instant)))
                let seconds = local.microsecondsSince1970 / 1_000_000 % 86_400
                boundaries.append(instant)
                cells.append((weekdays.firstIndex(of: day.weekday) ?? 0, Int((seconds + 86_400) % 86_400 / 3600)))
                instant = instant.advanced(bySeconds: 3600)
            }
        }
        boundaries.append(zone.end(of: context.today))
        counts = Array(repeating: Array(repeating: 0, count: 24), count: 7)
        let found = try store.read { try $0.tasks.completions(between: boundaries) }
        for (cell, count) in zip(cells, found) { counts[cell.weekday][cell.hour] += count }
    }

    var figure: Figure {
        let sum = counts.joined().reduce(0, +)
        let title = "Completions by weekday and hour: \(Figure.tasks(sum))"
        return Figure(
            title: title, note: "The last 52 weeks, by the clock of \(zone.identifier).",
            svg: Figure.svg("week", height: Self.top + 7 * Self.cell, title: title, drawing),
            columns: ["Weekday"] + (0..<24).map { "\($0)" },
            rows: zip(weekdays, counts).map { weekday, counts in [weekday.name] + counts.map(String.init) })
    }

    private var drawing: String {
        let most = counts.joined().max() ?? 0
        var drawing = ""
        for (row, weekday) in weekdays.enumerated() {
            let y = Self.top + Double(row) * Self.cell
            drawing += Figure.label(String(weekday.name.prefix(3)), 0, y + 12, anchor: "end", shift: -8)
            for hour in 0..<24 {
                let count = counts[row][hour]
                drawing += Drawing.box(
                    "cell level\(Figure.level(count, most: most))", Double(hour) / 24 + 0.002, y + 1,
                    width: 1 / 24 - 0.004, height: Self.cell - 2,
                    title: "\(weekday.name) \(hour):00 to \(hour + 1):00: \(Figure.tasks(count))")
            }
        }
        for hour in stride(from: 0, to: 24, by: 6) {
            drawing += Figure.label("\(hour):00", Double(hour) / 24, 11, anchor: "start")
        }
        return drawing
    }
}

/// The number of open tasks by the day.
struct OpenFigure {
    let history: OpenTaskHistory

    static let days = 365
    /// The number of creations, and of completions, that are read for it: a tenth of a second, in a store of any size.
    static let limit = 25_000
    private static let height = 150.0

    var figure: Figure {
        let days = history.days
        let now = days.last?.open ?? 0
        let title = "Open tasks: \(now) now, \(days.first?.open ?? 0) on \(days.first?.day.description ?? "")"
        let isShort = days.count < Self.days
        return Figure(
            title: title,
            note: isShort
                ? "The last \(days.count) days, as far as \(Self.limit) creations or completions reach, without deleted tasks."
                : "The last \(days.count) days, without tasks that were deleted since.",
            svg: Figure.svg("open", height: Self.height + 24, title: title, drawing),
            columns: ["Day", "Open"], rows: days.map { ["\($0.day)", "\($0.open)"] })
    }

    private var drawing: String {
        let days = history.days
        let axis = CountAxis(largest: days.map(\.open).max() ?? 0)
        let last = max(days.count - 1, 1)
        // Points have no percentages: the line has a coordinate for each day, and is stretched.
        let points = days.enumerated().map { index, day in
            "\(index) \(Drawing.down(axis.y(day.open, height: Self.height)))"
        }
        let line = "M" + points.joined(separator: "L") + (days.count == 1 ? "h1" : "")
        var drawing = axis.drawing(height: Self.height)
        drawing +=
            "<svg width=\"100%\" height=\"\(Drawing.down(Self.height))\" viewBox=\"0 0 \(last) \(Drawing.down(Self.height))\" "
            + "preserveAspectRatio=\"none\"><path class=\"area\" d=\"\(line)V\(Drawing.down(Self.height))H0z\"/>"
            + "<path class=\"line\" fill=\"none\" stroke=\"currentColor\" vector-effect=\"non-scaling-stroke\" "
            + "d=\"\(line)\"/></svg>"
        for (index, day) in days.enumerated() where day.day.day == 1 {
            let x = Double(index) / Double(last)
            // A phone has room for every third.
            let name = String(Month.names[day.day.month - 1].prefix(3))
            if day.day.month % 3 == 1 { drawing += Figure.label(name, x, Self.height + 18, anchor: "start") }
            drawing += Drawing.line("grid", x, Self.height, x, Self.height + 5)
        }
        return drawing
    }
}
