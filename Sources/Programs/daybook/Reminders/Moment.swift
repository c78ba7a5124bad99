import CommandSupport
import Daybook

/// A time as a command line names it: none, a day, a time of a day, or an instant.
enum Moment: Equatable {
    case none
    case day(Day)
    /// A local time, in seconds from midnight.
    case time(Day, secondsIntoDay: Int)
    case at(Instant)

    init(parsing words: [String], in session: Session) throws {
        let text = words.flatMap { $0.split(separator: " ") }.joined(separator: " ")
        guard text != "none" else {
            self = .none
            return
        }
        self.init(try CivilMoment(parsing: text, in: session.context))
    }

    init(_ moment: CivilMoment) {
        switch moment {
        case .day(let day): self = .day(day)
        case .time(let day, let seconds): self = .time(day, secondsIntoDay: seconds)
        case .instant(let instant): self = .at(instant)
        }
    }

    /// When something is due; a time of day is that of the zone now.
    func due(in zone: Zone) -> TaskDue? {
        switch self {
        case .none: nil
        case .day(let day): .day(day)
        case .time(let day, let seconds): .at(zone.instant(day: day, secondsIntoDay: seconds))
        case .at(let instant): .at(instant)
        }
    }
}

extension Moment {
    /// When to remind of something; nil for none.
    ///
    /// - Throws: a usage error for a day without a time.
    func reminder() throws -> TaskReminder? {
        switch self {
        case .none: return nil
        case .time(let day, let seconds): return .time(day, secondsIntoDay: seconds)
        case .at(let instant): return .at(instant)
        case .day(let day): throw CommandError.usage("A reminder needs a time. Give one such as '\(day) 09:00'.")
        }
    }
}
