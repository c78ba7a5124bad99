import ArgumentParser
import CommandSupport
import Daybook
import FoundationEssentials
import Simulation
import Workloads

/// The program `daybook-lab`: what tests Daybook and measures it. `daybook bench` and the others run it.
@main
struct LabProgram: CommandLineProgram {
    static let commands: CommandTable = [
        "generate": Generate.self,
        "bench": Bench.self,
        "crashtest": CrashTest.self,
        "simulate": Simulate.self,
        "start-times": StartTimes.self,
    ]

    static let configuration = CommandConfiguration(
        commandName: "daybook-lab",
        abstract: "Test and measure Daybook: benchmarks, simulation, crash tests, generated data.",
        discussion: """
            The commands 'daybook bench' and 'daybook-lab bench' are the same; so are the others.

            Exit codes: 0 done; 1 the check that was asked for failed; 2 the command line is wrong; 3 a store or a file could \
            not be used; 5 the operation is not allowed; 6 'bench --check' was inconclusive; 130 interrupted; 141 the reader \
            of the output is gone.
            """,
        version: LibraryVersion.current,
        subcommands: commands.map(\.value))

    @MainActor static func main() async {
        await runProgram()
    }
}

/// The commit that the program was built from, printed beside seeds.
enum BuiltCommit {
    /// The commit that the project's scripts pass, else the version.
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

extension RunHistoryError: ExitCodeError {
    package var exitCode: ProgramExit { .unusable }
}
