import Daybook

/// What a single word of an expectation has to be.
enum WordKind: Equatable, Sendable {
    case text, taskName, number, day, month, moment, instant, zone, view
    case one(of: [String])

    /// What it is called in error messages.
    var title: String {
        switch self {
        case .text: "a text"
        case .taskName: "a task's name"
        case .number: "a number"
        case .day: "a day such as 2026-03-11"
        case .month: "a month such as 2026-03"
        case .moment: "a local time such as 2026-03-11 00:00"
        case .instant: "an instant such as 2026-03-10T21:59:00Z"
        case .zone: "a zone such as Europe/Berlin"
        case .view: "a view: " + WordKind.views.joined(separator: ", ")
        case .one(let words): "one of " + words.joined(separator: ", ")
        }
    }

    /// The names of the views.
    static let views = TaskView.allCases.map(\.rawValue)

    /// The word as a run will show it.
    func read(_ text: String, line: Int, owner: String, names: TaskNames) throws(ScenarioProblem) -> String {
        do {
            switch self {
            case .text: return text
            case .taskName:
                try names.mention(text, line: line)
                return text
            case .number:
                if let number = Int(text), number >= 0 { return "\(number)" }
            case .day: return try Day(text).description
            case .month: return try Month(text).description
            case .moment:
                if let moment = Moment(text), case .local = moment { return moment.description }
            case .instant: return try Instant(text).description
            case .zone: return try Zone(text).identifier
            case .view: if WordKind.views.contains(text) { return text }
            case .one(let words): if words.contains(text) { return text }
            }
        } catch let problem as ScenarioProblem {
            throw problem
        } catch {
            throw ScenarioProblem(line, "\(error)")
        }
        throw ScenarioProblem(line, "\(shown(owner)) needs \(title); here stands \(shown(text)).")
    }
}
