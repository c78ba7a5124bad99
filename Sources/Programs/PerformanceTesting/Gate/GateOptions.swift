import ArgumentParser

/// The options of a gate's program.
struct GateOptions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gate",
        abstract: "Judge the operations of a program by budgets, exact counts, growth, and an older build.",
        discussion: """
            Each operation runs in stores below $TMPDIR or /tmp, which are removed at the end. Changes are measured beside a \
            4 KiB write and flush on the same disk.

            With --check, the program exits with 1 if a result is worse than allowed, and with 6 if a measurement was \
            inconclusive.

            Examples:
              gate
              gate --write-baseline baseline.json --counts-only
              gate --check --baseline baseline.json --against ../base/gate --markdown gate.md
              gate --self-test
            """)

    @Option(help: ArgumentHelp("Measure only these operations, separated by commas.", valueName: "names"))
    var only: String?

    @Flag(help: "Count only and skip all timings.")
    var countsOnly = false

    @Flag(help: "Exit with 1 if a result is worse than allowed, with 6 if a measurement was inconclusive.")
    var check = false

    @Flag(help: "Report the gate's false alarms and the slowdowns that it detects. Takes some minutes.")
    var selfTest = false

    @Option(help: ArgumentHelp("The number of comparisons of each operation in --self-test.", valueName: "n"))
    var runs = 200

    @OptionGroup(title: "Comparison") var references: BenchReferences

    @OptionGroup(title: "Output") var outputs: BenchOutputs

    @Flag(help: "Print JSON.")
    var json = false

    /// Runs operations in a folder on request.
    @Option(help: .hidden) var worker: String?
    /// Milliseconds by which each timed run is delayed, to show that the gate detects it.
    @Option(help: .hidden) var delay = 0

    func validate() throws {
        guard (1...100_000).contains(runs) else { throw ValidationError("--runs must be from 1 to 100000.") }
        guard (0...60_000).contains(delay) else { throw ValidationError("--delay must be from 0 to 60000.") }
        if selfTest, check || countsOnly || references.areGiven || outputs.areGiven {
            throw ValidationError("--self-test can be combined with --runs, --only and --json only.")
        }
        try references.validate(countsOnly: countsOnly, checks: check)
    }
}
