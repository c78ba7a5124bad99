import ArgumentParser
import CommandSupport
import Daybook
import FoundationEssentials
import LabSupport
import Measuring
import Workloads

/// The `measure` command: the results of the README that `bench` has no budget for.
struct Measure: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure growth, ratios to plain LMDB and idle processes, and print a table.",
        discussion: """
            Both sides of a ratio run interleaved. The command exits with 1 if a target is missed. Scripts/bench builds \
            everything that it needs.

            Examples:
              daybook-lab measure --program default=.build/release/daybook
              daybook-lab measure --tasks 100000 --only reads
            """)

    /// A part of the table.
    enum Part: String, CaseIterable, ExpressibleByArgument {
        case injection, reads, writes, processes
    }

    @Option(
        help: ArgumentHelp(
            "The folder of the stores, kept for the next run. Default: a temporary one in $TMPDIR or /tmp.",
            valueName: "dir"),
        completion: .directory)
    var folder: String?

    @Option(help: ArgumentHelp("The number of tasks in the large store.", valueName: "n"))
    var tasks = 1_000_000

    @Option(help: "Measure only this part.")
    var only: Part?

    @Option(
        help: ArgumentHelp(
            "A build of daybook to time, with its label; the target of 'static' is lower.", valueName: "label=path"))
    var program: [NamedProgram] = []

    @Option(help: ArgumentHelp("The number of rounds of a comparison of views; writes have a tenth.", valueName: "n"))
    var rounds = 4000

    /// The store of the idle process that this program starts; `-` for none.
    @Option(help: .hidden) var idle: String?

    func validate() throws {
        guard (1000...10_000_000).contains(tasks) else {
            throw ValidationError("--tasks must be from 1000 to 10000000.")
        }
        guard (10...1_000_000).contains(rounds) else { throw ValidationError("--rounds must be from 10 to 1000000.") }
    }

    func run() async throws {
        if let idle { return try await IdleProcess.run(idle) }
        Interruption.begin()
        let table =
            if let folder { try await measure(in: folder) } else {
                try await ScratchFolder.onDisk(for: "measure", measure)
            }
        try Output.standard.write(table.markdown)
        if !table.missed.isEmpty { throw CommandError.finished(.checkFailed) }
    }

    private func measure(in folder: String) async throws -> [MeasuredRow] {
        let progress = Progress()
        defer { progress.end() }
        try ScratchFolder.create(folder)
        let stores = MeasuredStores(folder: folder, large: tasks, rounds: rounds, progress: progress)
        if only != .injection { try await stores.prepare() }
        var table: [MeasuredRow] = []
        for part in Part.allCases where only == nil || only == part {
            switch part {
            case .injection: InjectionCost.measure(rounds: rounds, into: &table)
            case .reads: try await stores.measureReads(into: &table)
            case .writes: try await stores.measureWrites(into: &table)
            case .processes: try await stores.measureProcesses(program, into: &table)
            }
        }
        return table
    }
}

extension [MeasuredRow] {
    /// Adds a row; `holds` is nil for a result without a target.
    mutating func add(_ what: String, target: String, measured: String, holds: Bool?) {
        append(MeasuredRow(what, target: target, measured: measured, holds: holds))
    }

    /// Adds a row of a comparison; the factor is nil for a result without a target.
    mutating func add(
        _ what: String, atMost factor: Double?, target: String? = nil, _ times: PairedTimes,
        alsoHolds: Bool = true
    ) {
        let (ours, theirs) = times.medians
        let ratio = times.ratio.median
        add(
            what, target: target ?? factor.map { "at most \(Figures.limit($0))x" } ?? "-",
            measured: "\(Figures.time(ours)) / \(Figures.time(theirs)) = \(Figures.ratio(ratio))x",
            holds: factor.map { ratio <= $0 && alsoHolds })
    }
}
