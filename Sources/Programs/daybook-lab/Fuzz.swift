import ArgumentParser
import CommandSupport
import Daybook
import FoundationEssentials
import Fuzzing

/// The `fuzz` command.
struct Fuzz: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fuzz",
        abstract: "Read damaged files with every reader.",
        discussion: """
            A finding is a crash, a hang, too much memory, an error of an unexpected type or one that quotes the file, or a \
            wrong result. Each is reported with a command that reproduces it. The exit code is 1 if there is one.

            Examples:
              daybook-lab fuzz
              daybook-lab fuzz --seconds 600 --seed 7
              daybook-lab fuzz --only ics --runs 50000
            """)

    @Option(
        help: ArgumentHelp("The number of damaged files. Default: 1000000; no limit with --seconds.", valueName: "n"))
    var runs: Int?

    @Option(help: ArgumentHelp("The time limit.", valueName: "seconds"))
    var seconds: Int?

    @Option(help: ArgumentHelp("The seed of all random choices.", valueName: "s"))
    var seed: UInt64 = 1

    @Option(
        help: ArgumentHelp(
            "Only one reader: \(FuzzReader.all.map(\.name).joined(separator: ", ")).", valueName: "reader"))
    var only: FuzzReader?

    @Option(
        help: ArgumentHelp(
            "Repeat one damaged file from a report and keep it in /tmp.", valueName: "reader:seed:number"))
    var replay: FuzzReplay?

    /// Makes readers fail at some files, to show that it is found.
    @Option(help: .hidden)
    var plant: Plant?

    /// The work of one child process.
    @Option(help: .hidden)
    var worker: String?

    func validate() throws {
        guard runs ?? 1 > 0, seconds ?? 1 > 0 else { throw ValidationError("--runs and --seconds must be at least 1.") }
    }

    func run() async throws {
        // A signal that ends a child process is a finding.
        CrashMessage.remove()
        Plant.active = plant
        let clock = SystemClock()
        if let worker, let only {
            guard let worker = FuzzWorker(worker, of: only, seed: seed, seconds: seconds, clock: clock) else {
                throw CommandError.usage("--worker needs a range of mutations and a folder.")
            }
            return try await worker.run()
        }
        let folder = ScratchFolder.inMemory(for: "fuzz")
        try ScratchFolder.create(folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let isClean: Bool
        if let replay {
            isClean = try await replay.run(in: folder)
        } else {
            var run = FuzzRun(
                runs: runs, seconds: seconds, seed: seed, only: only, in: folder, program: "/proc/self/exe",
                clock: clock)
            isClean = try run.run()
        }
        if !isClean { throw CommandError.finished(.checkFailed) }
    }
}

extension FuzzReader: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}

extension FuzzReplay: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}

extension Plant: ExpressibleByArgument {}
