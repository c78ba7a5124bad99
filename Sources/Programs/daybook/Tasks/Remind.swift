import ArgumentParser
import CommandSupport
import Daybook

struct Remind: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Set or remove the reminder of a task.",
        discussion: """
            WHEN is a time of day on a day (tomorrow 09:00; 09:00 alone is today), an instant, or none. Daybook stores \
            reminders and does not deliver notifications.

            Examples:
              daybook remind 3c2f tomorrow 09:00
              daybook remind 3c2f 2026-02-11T07:00:00Z
              daybook remind 3c2f none
            """)

    @Argument(help: .taskID) var id: String
    @Argument(help: "A day and a time, a time of today, an instant, or none.") var when: [String]
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let reminder = try Reminder(parsing: when, today: options.session().today)
        let words = reminder == .none ? "" : " to \(when.joined(separator: " "))"
        let verb = reminder == .none ? "Removed the reminder of" : "Set the reminder of"
        try await options.change([id], verb, words) { tasks, found in
            switch reminder {
            case .none: [try await tasks.remind(found[0], at: nil)]
            case .at(let instant): [try await tasks.remind(found[0], at: instant)]
            case .time(let day, let seconds): [try await tasks.remind(found[0], on: day, secondsIntoDay: seconds)]
            }
        }
    }
}

/// A reminder as a command line names it.
enum Reminder: Equatable {
    case none
    case at(Instant)
    /// A local time, in seconds from midnight.
    case time(Day, secondsIntoDay: Int)

    init(parsing words: [String], today: Day) throws {
        let words = words.flatMap { $0.split(separator: " ").map(String.init) }
        guard let last = words.last, words.count <= 2 else { throw Self.error(words) }
        if words == ["none"] {
            self = .none
        } else if let seconds = Self.seconds(last) {
            let day = words.count == 2 ? try Day(parsing: words[0], today: today) : today
            self = .time(day, secondsIntoDay: seconds)
        } else if words.count == 1, last.contains("T") {
            self = .at(try Instant(last))
        } else {
            throw Self.error(words)
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
