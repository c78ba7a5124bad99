import ArgumentParser
import CommandSupport
import Daybook
import KeyValue
import Workloads

struct Generate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Fill an empty store with a realistic history of the last five years.",
        discussion: """
            Equal values of --tasks, --seed, --now and --zone produce byte-for-byte identical stores.

            Examples:
              daybook generate --tasks 1000 --seed 7 --store /tmp/try
              daybook generate --tasks 1000000 --seed 1 --now 2026-02-10T16:00:00Z --store /tmp/large
            """)

    @Option(help: ArgumentHelp("The number of tasks.", valueName: "n"))
    var tasks = 1000

    @Option(help: ArgumentHelp("The seed of the random history.", valueName: "s"))
    var seed: UInt64 = 1

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard (0...100_000_000).contains(tasks) else {
            throw ValidationError("--tasks must be from 0 to 100000000.")
        }
    }

    func run() async throws {
        // A store that is cut short is whole.
        Interruption.endProcess()
        let session = try seededSession()
        let written: Int
        do {
            written = try await session.write(creating: true) { daybook in
                try await daybook.generate(taskCount: tasks, seed: seed)
            }
        } catch let error as HistoryError {
            throw CommandError.notAllowed(error.description)
        } catch  where Self.isDiskFull(error) {
            throw CommandError.unusable(
                "The disk of \(session.path) is full. Free some space, remove that store, and generate it with fewer --tasks."
            )
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

    private static func isDiskFull(_ error: any Error) -> Bool {
        let code = (error as? TaskError)?.code ?? (error as? RecordsError)?.code ?? (error as? KeyValueError)?.code
        return code == KeyValueError.storageFull(detail: "the disk").code
    }

    /// A store chooses a random id when it is created. Here the seed of that choice is derived from the arguments:
    /// equal arguments produce equal bytes, and different arguments produce different ids, by which incremental
    /// snapshots distinguish stores.
    private func seededSession() throws -> Session {
        let session = try options.session()
        var context = session.context
        // A fixed instant, so that the id and the history agree.
        let now = context.clock.wall
        context.clock = SettableClock(now, monotonic: context.clock.monotonic)
        var hash = seed &* 0x9E37_79B9_7F4A_7C15
        for part in [UInt64(tasks), UInt64(bitPattern: now.microsecondsSince1970)] {
            hash = (hash ^ part) &* 0x100_0000_01B3
        }
        context.random = SeededRandomSource(seed: hash)
        return Session(path: session.path, context: context)
    }
}
