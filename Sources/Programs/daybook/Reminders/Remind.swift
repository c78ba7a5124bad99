import ArgumentParser
import CommandSupport
import Daybook
import Processes
import SystemErrors

struct Remind: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Set or remove the reminder of a task, or deliver reminders as they come due.",
        usage: "daybook remind <id> <when> ...\n       daybook remind --watch [--exec <command>]",
        discussion: """
            WHEN is a time of day on a day (tomorrow 09:00; 09:00 alone is today), an instant, or none.

            With --watch it prints each reminder when it is due, once, until it is interrupted; what came due while no \
            program watched is printed first. --exec runs a command of the shell instead, with the reminder in the \
            variables DAYBOOK_TASK, DAYBOOK_AT, DAYBOOK_TITLE and DAYBOOK_BODY.

            Examples:
              daybook remind 3c2f tomorrow 09:00
              daybook remind 3c2f 2026-02-11T07:00:00Z
              daybook remind 3c2f none
              daybook remind --watch --exec 'notify-send "$DAYBOOK_TITLE"'
            """)

    @Argument(help: .taskID) var id: String?
    @Argument(help: "A day and a time, a time of today, an instant, or none.") var when: [String] = []
    @Flag(help: "Print reminders as they come due, until interrupted.") var watch = false
    @Option(help: ArgumentHelp("With --watch: the command to run for each reminder.", valueName: "command"))
    var exec: String?
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if watch {
            guard id == nil else { throw ValidationError("--watch takes no task.") }
        } else {
            guard exec == nil else { throw ValidationError("--exec needs --watch.") }
            guard id != nil, !when.isEmpty else {
                throw ValidationError("Name the task and the time: 'daybook remind ID WHEN'.")
            }
        }
    }

    func run() async throws {
        let session = try options.session()
        if watch { return try await deliver(in: session) }
        let moment = try session.moment(when)
        let reminder = try moment?.reminder()
        // As it was understood, and not as it was typed.
        let words = moment.map { " to \($0)" } ?? ""
        let verb = reminder == nil ? "Removed the reminder of" : "Set the reminder of"
        try await options.change([id ?? ""], verb, words) { try await $0.remind($1, reminder) }
    }

    private func deliver(in session: Session) async throws {
        Interruption.endProcess()
        try await session.write(creating: true) { daybook in
            try await ReminderScheduler(daybook.tasks).run { reminder in
                if let exec { return try Self.run(exec, for: reminder) }
                try Output.standard.write(options.json ? Self.json(reminder) : Self.line(reminder))
            }
        }
    }

    private static func line(_ reminder: ScheduledReminder) -> String {
        "\(reminder.at)  \(reminder.task.id.lowercased)  \(VisibleText.of(reminder.title))\n"
    }

    private static func json(_ reminder: ScheduledReminder) -> String {
        var writer = JSONWriter()
        writer.value(reminder)
        writer.newline()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Runs a command and waits for it. That it fails does not end the watching.
    private static func run(_ command: String, for reminder: ScheduledReminder) throws {
        CurrentProcess.setVariable("DAYBOOK_TASK", to: reminder.task.id.lowercased)
        CurrentProcess.setVariable("DAYBOOK_AT", to: reminder.at.description)
        CurrentProcess.setVariable("DAYBOOK_TITLE", to: reminder.title)
        CurrentProcess.setVariable("DAYBOOK_BODY", to: reminder.shownBody)
        do throws(SystemCondition) {
            let ending = try ChildProcess.runInForeground("/bin/sh", ["-c", command])
            if ending != .exited(0) { Output.report("The command of a reminder failed. Run it by hand to see why.") }
        } catch {
            throw CommandError.unusable("/bin/sh could not be started: \(error). Check the system.")
        }
    }
}

/// Shows the schedule.
struct Reminders: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the reminders between two instants.",
        discussion: """
            Examples:
              daybook reminders --from 2026-02-11T00:00:00Z --to 2026-02-12T00:00:00Z
            """)

    @Option(help: ArgumentHelp("The first instant. Default: now.", valueName: "instant")) var from: String?
    @Option(help: ArgumentHelp("The instant after the last. Default: a day later.", valueName: "instant"))
    var to: String?
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try options.session()
        let start = try from.map { try Instant($0) } ?? session.context.clock.wall
        let end = try to.map { try Instant($0) } ?? start.advanced(bySeconds: 86_400)
        guard start <= end else { throw CommandError.usage("--to is before --from. Exchange them.") }
        let reminders = try session.read { try $0.tasks.schedule(in: start..<end) } ?? []
        if options.json {
            return try Output.standard.json { writer in
                writer.object { $0.field("reminders", reminders) }
            }
        }
        var table = TaskTable()
        for reminder in reminders {
            table.line("\(reminder.at)  \(VisibleText.of(reminder.title))")
        }
        if reminders.isEmpty { table.line("No reminders.") }
        try Output.standard.write(table.text)
    }
}

extension ScheduledReminder: JSONWritable {
    /// The text of a notification below the title.
    fileprivate var shownBody: String { body ?? EnglishTaskTexts().reminderBody(of: task) }

    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("identifier", identifier)
            writer.field("at", at)
            writer.field("task", task.id)
            writer.field("title", title)
            writer.field("body", shownBody)
        }
    }
}
