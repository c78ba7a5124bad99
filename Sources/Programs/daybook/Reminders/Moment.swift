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
        let words = words.flatMap { $0.split(separator: " ").map(String.init) }
        guard let last = words.last, words.count <= 2 else { throw Self.error(words) }
        if words == ["none"] {
            self = .none
        } else if let seconds = Self.seconds(last) {
            let day = words.count == 2 ? try Day(parsing: words[0], today: session.today) : session.today
            self = .time(day, secondsIntoDay: seconds)
        } else if words.count == 1, last.contains("T"), last.first?.isNumber == true {
            self = .at(try Instant(last))
        } else if words.count == 1 {
            self = .day(try Day(parsing: last, today: session.today))
        } else {
            throw Self.error(words)
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

    /// Parses `9:00` or `09:00`.
    private static func seconds(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2,
            parts.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
        else { return nil }
        return hour * 3600 + minute * 60
    }

    private static func error(_ words: [String]) -> CommandError {
        .usage(
            "'\(words.joined(separator: " ").prefix(40))' is not a time. Give a day and a time such as 'tomorrow 09:00', an "
                + "instant such as 2026-02-11T07:00:00Z, or none.")
    }
}
