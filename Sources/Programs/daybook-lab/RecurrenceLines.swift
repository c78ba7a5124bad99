import ArgumentParser
import CommandSupport
import Daybook

/// The `recurrence` command: the days of many rules, for a comparison with another program (Scripts/interop).
struct RecurrenceLines: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recurrence",
        abstract: "Print the days of recurrence rules, a line for each.",
        discussion: """
            A line of the file is a start, a tab, and an RRULE. A rule that is refused gives a line that begins with '!'.

            Examples:
              printf '2026-01-31\\tFREQ=MONTHLY;COUNT=3\\n' | daybook-lab recurrence --rules -
            """)

    @Option(help: ArgumentHelp("The file with the rules; '-' is standard input.", valueName: "file"))
    var rules: String

    @Option(help: ArgumentHelp("The most days of a rule to print.", valueName: "n"))
    var count = 40

    @Option(help: ArgumentHelp("How many days from its start a rule is followed.", valueName: "n"))
    var span = 3_650

    func validate() throws {
        guard count > 0, span > 0 else { throw ValidationError("--count and --span must be at least 1.") }
    }

    func run() throws {
        let text = String(decoding: try InputFile.opening(rules).contents(), as: UTF8.self)
        for line in text.split(separator: "\n") { try Output.standard.write(try answer(to: line) + "\n") }
    }

    private func answer(to line: Substring) throws -> String {
        let parts = line.split(separator: "\t")
        guard parts.count == 2 else { throw CommandError.usage("A line is a start, a tab, and an RRULE.") }
        let start = try Day(String(parts[0]))
        do throws(RecurrenceError) {
            let days = try RecurrenceRule(rrule: String(parts[1])).days(from: start)
            let last = start.advanced(by: span)
            return days.prefix(count).prefix { $0 <= last }.map(\.description).joined(separator: " ")
        } catch {
            return "! \(error)"
        }
    }
}
