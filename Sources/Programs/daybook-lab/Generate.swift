import ArgumentParser
import CommandSupport
import Daybook
import Workloads

/// `daybook generate`
struct Generate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Fills an empty store with a realistic history of five years that ends now.",
        discussion: """
            The same number, seed, --now and --zone give the same tasks to the byte.

            Examples:
              daybook generate --tasks 1000 --seed 7 --store /tmp/try
              daybook generate --tasks 1000000 --seed 1 --now 2026-02-10T16:00:00Z --store /tmp/large
            """)

    @Option(help: ArgumentHelp("How many tasks.", valueName: "n"))
    var tasks = 1000

    @Option(help: ArgumentHelp("What the history is drawn from.", valueName: "s"))
    var seed: UInt64 = 1

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard (0...100_000_000).contains(tasks) else {
            throw ValidationError("--tasks must be from 0 to 100000000.")
        }
    }

    func run() async throws {
        let session = try options.session()
        let written = try await session.write(creating: true) { daybook in
            do {
                return try await daybook.generate(taskCount: tasks, seed: seed)
            } catch let error as HistoryError {
                throw CommandError.notAllowed(error.description)
            }
        }
        guard options.json else {
            return try Output.standard.write("Generated \(written) tasks of seed \(seed) in \(session.path)\n")
        }
        try Output.standard.json { writer in
            writer.object { writer in
                writer.field("generated", written)
                writer.field("store", session.path)
            }
        }
    }
}
