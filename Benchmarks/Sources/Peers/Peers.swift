import Daybook
import FoundationEssentials
import Glibc
import Measuring
import Workloads

/// Compares Daybook with its peers in one run. `Scripts/peers` builds and runs it.
@main
struct Peers {
    static func main() async {
        do {
            try await run()
        } catch {
            say("could not measure: \(error)")
            exit(3)
        }
    }

    private static func run() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "child" { return try Child.run(Array(arguments.dropFirst())) }
        let options = try Options(arguments)
        let clock = ContinuousClock()
        let start = clock.now
        let load = ProcessFile.load
        try Folder.make(options.folder)

        say("orders of seed \(options.seed)")
        let (report, comparison) = try await Interleaved.$seed.withValue(options.seed) {
            options.isArchive ? try await measureArchive(options) : try await measureStores(options)
        }
        let missed = report.targets.missed
        for row in missed { say("missed: \(row.title): \(row.measured.text), \(row.limit?.text ?? "")") }
        let duration = clock.now - start
        say("took \(duration)")
        if let path = options.results {
            let results = Results(
                comparison: comparison, report: report, machine: Machine.current(for: options.folder),
                loads: (load, ProcessFile.load), isQuick: options.isQuick, seed: options.seed, duration: duration)
            try results.markdown.write(toFile: path, atomically: true, encoding: .utf8)
            say("wrote \(path)")
        }
        if !missed.isEmpty { exit(1) }
    }

    /// The parts of the comparison, by the names that `--only` takes.
    private static var works: KeyValuePairs<String, any Works.Type> {
        [
            "reads": ReadWorks.self, "open": OpenWorks.self, "commands": CommandWorks.self,
            "journal": JournalWorks.self, "writes": WriteWorks.self, "writers": WritersWorks.self,
            "text": TextWorks.self, "search": SearchWorks.self, "files": FileWorks.self, "space": SpaceWorks.self,
        ]
    }

    /// Runs the work on open stores: views, changes and files.
    private static func measureStores(_ options: Options) async throws -> (Report, Comparison) {
        var report = Report()
        let clock = ContinuousClock()
        let start = clock.now
        let setup = Setup(options)
        let (small, medium, large) = (setup.small, setup.medium, setup.large)
        try Folder.make(setup.folder)
        try await small.prepare([.grdb, .sqlite, .json])
        if options.usesTasks {
            try await medium.prepare([.grdb, .sqlite, .json])
        }
        if options.usesLargeStore { try await large.prepare([.grdb, .sqlite]) }
        say("prepared the stores in \(clock.now - start)")

        for (part, type) in works where options.runs(part) { try await type.init(setup: setup).run(into: &report) }
        let versions = try Versions.all(options: options, store: small.path(.daybook), folder: setup.folder)
        return (report, Comparison(title: "Daybook beside its peers", versions: versions, fairness: Fairness.text))
    }

    /// Runs whole commands that create and read files.
    private static func measureArchive(_ options: Options) async throws -> (Report, Comparison) {
        guard let program = options.program else { throw PeerFailure("--daybook must name the program") }
        let arena = try ArchiveArena(
            scale: options.isQuick ? .quick : .whole, folder: options.folder, program: program)
        var report = Report()
        try await ArchiveWorks(arena: arena).run(into: &report)
        let versions = try Versions.archive(options: options, folder: arena.folder)
        return (
            report,
            Comparison(
                title: "Daybook's snapshots and exports beside its peers", versions: versions,
                fairness: ArchiveFairness.text)
        )
    }
}
