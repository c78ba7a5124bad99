import Daybook

/// Pictures and numbers of statistics: `/statistics/…`. Each is one read of the store; a picture is asked for as `NAME.svg`, or
/// as `NAME.json` with its title and its numbers.
struct StatisticsPages: Sendable {
    let store: DaybookStore

    func answer(_ request: WebRequest) async throws -> WebResponse {
        guard request.path.count == 1 else { return .missing }
        if request.path == ["numbers.json"] { return try .value(numbers()) }
        let parts = request.path[0].split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2, let figure = try figure(parts[0], request.query) else { return .missing }
        switch parts[1] {
        case "svg": return .svg(figure.svg)
        case "json": return try .value(figure)
        default: return .missing
        }
    }

    private func figure(_ name: String, _ query: [String: String]) throws -> Figure? {
        let context = store.context
        switch name {
        case "month":
            let month = try query["month"].map { try Self.read($0) { try Month($0) } } ?? context.today.monthOfYear
            let statistics = try store.read { try $0.tasks.statistics(of: month) }
            return MonthFigure(statistics: statistics, today: context.today).figure
        case "year":
            let year = try query["year"].map { try Self.read($0) { Int($0) } } ?? context.today.year
            guard let first = Day(year: year, month: 1, day: 1), let last = Day(year: year, month: 12, day: 31) else {
                throw InvalidRequest("A year is from 1 to 9999.")
            }
            let days = Array(first..<last) + [last]
            let zone = context.zone
            let boundaries = days.map(zone.start) + [zone.end(of: last)]
            let counts = try store.read { try $0.tasks.completions(between: boundaries) }
            return YearFigure(
                year: year, weekStart: context.weekStart,
                days: zip(days, counts).map { YearFigure.DayCount(day: $0, completed: $1) }
            ).figure
        case "week": return try WeekFigure(store).figure
        case "open":
            let history = try store.read { try $0.tasks.openHistory(days: OpenFigure.days, limit: OpenFigure.limit) }
            return OpenFigure(history: history).figure
        default: return nil
        }
    }

    /// The numbers that `daybook stats --json` prints, under the same names.
    struct Numbers: Encodable, Equatable {
        let date: Day
        let zone: String
        let today, week, month, lastMonth: Int
        let trend: String
        let sentence: String
        let weekStart: Day
    }

    func numbers() throws -> Numbers {
        let statistics = try store.read { try $0.tasks.statistics() }
        return Numbers(
            date: statistics.day, zone: statistics.zone.identifier, today: statistics.today, week: statistics.week,
            month: statistics.month, lastMonth: statistics.lastMonth, trend: statistics.trend.rawValue,
            sentence: EnglishTexts().summary(of: statistics), weekStart: statistics.weekStart)
    }

    /// Reads a value of the query.
    private static func read<Value>(_ text: String, _ value: (String) throws -> Value?) throws -> Value {
        guard let value = try? value(text) else { throw InvalidRequest("The address has no such time: '\(text)'.") }
        return value
    }
}
