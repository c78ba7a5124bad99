import ArgumentParser
import BenchCommands
import CommandSupport
import Daybook
import FoundationEssentials
import Simulation

/// The program `daybook-lab`, which tests and measures Daybook. `daybook bench` and similar commands run it.
@main
struct LabProgram: CommandLineProgram {
    static let commands: CommandTable = [
        "generate": SharedCommands.generate,
        "bench": SharedCommands.bench,
        "crashtest": CrashTest.self,
        "crashtest --program": CrashProgram.self,
        "simulate": Simulate.self,
        "gate": GateCommand.self,
        "start-times": SharedCommands.startTimes,
        "measure": SharedCommands.measure,
        "fuzz": Fuzz.self,
        "recurrence": RecurrenceLines.self,
    ]

    static let configuration = CommandConfiguration(
        commandName: "daybook-lab",
        abstract: "Test and measure Daybook: benchmarks, simulation, crash tests, generated data.",
        discussion: """
            The command 'daybook bench' runs 'daybook-lab bench'; the other commands work the same way.

            Exit codes: 0 success; 1 a check failed; 2 the command line is invalid; 3 a store or a file could not be \
            used; 5 the operation is not allowed; 6 'bench --check' or 'gate' was inconclusive; 130 interrupted; 141 the output \
            was closed.
            """,
        version: LibraryVersion.current,
        subcommands: commands.map(\.value))

    static func arranged(_ arguments: [String]) -> [String] {
        CrashProgram.arranged(arguments) ?? Simulate.arranged(arguments)
    }

    @MainActor static func main() async {
        await runProgram()
    }
}

/// The commit that the program was built from. It is printed beside seeds.
enum BuiltCommit {
    /// The commit from the environment of the project's scripts, otherwise the version.
    static var current: String {
        ProcessInfo.processInfo.environment["DAYBOOK_COMMIT"] ?? "of version \(LibraryVersion.current)"
    }
}

extension SimulationError: ExitCodeError {
    package var exitCode: ProgramExit {
        switch self {
        case .scenario, .malformedTime: .usage
        case .machineCannot, .stuck, .file: .unusable
        }
    }
}
