import ArgumentParser
import CommandSupport
import Daybook

struct Remind: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Set or remove the reminder of a task.",
        discussion: """
            WHEN is a time of day on a day (tomorrow 09:00; 09:00 alone is today), an instant, or none; 'daybook help \
            dates' lists all forms. Daybook stores reminders and does not deliver notifications.

            Examples:
              daybook remind 3c2f tomorrow 09:00
              daybook remind 3c2f 2026-02-11T07:00:00Z
              daybook remind 3c2f none
            """)

    @Argument(help: .taskID) var id: String
    @Argument(help: "A day and a time, a time of today, an instant, or none.") var when: [String]
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let reminder = try Reminder(parsing: when, in: options.session().context)
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

    init(parsing words: [String], in context: Context) throws {
        let text = words.flatMap { $0.split(separator: " ") }.joined(separator: " ")
        guard text != "none" else {
            self = .none
            return
        }
        switch try CivilMoment(parsing: text, in: context) {
        case .time(let day, let seconds): self = .time(day, secondsIntoDay: seconds)
        case .instant(let instant): self = .at(instant)
        case .day:
            throw CommandError.usage("A reminder needs a time: write it after the day, such as 'tomorrow 09:00'.")
        }
    }
}
