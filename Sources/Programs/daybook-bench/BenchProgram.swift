import ArgumentParser
import BenchCommands
import CommandSupport
import Daybook

/// The program `daybook-bench`: the commands of `daybook-lab` that generate and measure, without the simulator and the crash lab,
/// which take as long to build as all the rest.
@main
struct BenchProgram: CommandLineProgram {
    static let commands: CommandTable = [
        "generate": SharedCommands.generate,
        "bench": SharedCommands.bench,
        "start-times": SharedCommands.startTimes,
        "measure": SharedCommands.measure,
    ]

    static let configuration = CommandConfiguration(
        commandName: "daybook-bench",
        abstract: "Generate and measure: what the program daybook-lab has of that.",
        version: LibraryVersion.current,
        subcommands: commands.map(\.value))

    @MainActor static func main() async {
        await runProgram()
    }
}
