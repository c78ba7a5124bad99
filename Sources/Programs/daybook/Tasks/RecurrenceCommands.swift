import ArgumentParser
import CommandSupport
import Daybook

struct Repeat: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a task recur, or no longer, or show on which days it does.",
        usage: "daybook repeat <id> <rule> ...\n       daybook repeat <id> --show [--count <n>]",
        discussion: """
            RULE is daily, weekdays, 'every 2 weeks on mon,thu', 'monthly on 31', yearly, each also with 'until DAY', '10 \
            times' or 'after completion'; an RRULE of RFC 5545; or none. 'daybook help dates' lists all forms.

            The task is the first occurrence, on its own day, or on that on which it is due if it has none. Completing it \
            creates the next one, on the first day of the rule that is after its own and not in the past; undo takes back \
            both. To move one occurrence, schedule it on another day; to drop it, skip it.

            Examples:
              daybook repeat 3c2f weekdays
              daybook repeat 3c2f every 2 weeks on mon,thu until dec 31
              daybook repeat 3c2f 'FREQ=MONTHLY;BYDAY=2TU;COUNT=12'
              daybook repeat 3c2f --show --count 5
              daybook repeat 3c2f none
            """)

    @Argument(help: .taskID) var id: String
    @Argument(help: "When it recurs, or none.") var rule: [String] = []
    @Flag(help: "Show the rule and its days, from that of the task on.") var show = false
    @Option(help: ArgumentHelp("With --show: the most days to show.", valueName: "n")) var count = 10
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard show != !rule.isEmpty else { throw ValidationError("Name the rule, or give --show.") }
        guard (1...10_000).contains(count) else { throw ValidationError("--count must be from 1 to 10000.") }
    }

    func run() async throws {
        let session = try options.session()
        if show { return try showDays(in: session) }
        let text = rule.flatMap { $0.split(separator: " ") }.joined(separator: " ")
        if text == "none" {
            return try await options.change([id], "Removed the recurrence of") {
                [try await $0.repeat($1[0], by: nil)]
            }
        }
        _ = try RecurrenceRule(parsing: text, in: session.context)
        try await options.change([id], "Set the recurrence of", " to \(text)") { tasks, found in
            let start = try tasks.read { try $0.get(found[0])?.anchor(in: session.context.zone) } ?? nil
            return [
                try await tasks.repeat(
                    found[0], by: try RecurrenceRule(parsing: text, from: start, in: session.context))
            ]
        }
    }

    private func showDays(in session: Session) throws {
        let task = try session.task(named: id)
        let rule = task.recurrence
        let days = task.daysOfRule(limit: count, today: session.today, in: session.context.zone)
        if options.json {
            return try Output.standard.json { writer in
                writer.object { writer in
                    writer.field("rule", rule?.rrule)
                    writer.field("days", days)
                }
            }
        }
        let phrase = rule.map { $0.phrase(weekStart: session.context.weekStart) ?? $0.rrule }
        let lines = [phrase ?? "The task does not recur."] + days.map(\.heading)
        try Output.standard.write(lines.joined(separator: "\n") + "\n")
    }
}

struct Skip: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Drop one occurrence of a recurring task.",
        discussion: """
            The task moves to the next day of its rule. After the last one it is deleted.

            Examples:
              daybook skip 3c2f
            """)

    @Argument(help: .taskID) var id: String
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try options.session()
        let zone = session.context.zone
        var before: Day?
        let shown = try await session.change([id]) { tasks, found in
            before = try tasks.read { try $0.get(found[0])?.dayOfRule(in: zone) } ?? nil
            return [try await tasks.skip(found[0])]
        }
        try options.report(shown, isSingle: true) { shown in
            guard let day = shown.task.dayOfRule(in: zone), day != before else {
                return "Deleted \(shown.shortID), the last occurrence"
            }
            return "Skipped one occurrence of \(shown.shortID); it is now on \(day)"
        }
    }
}
