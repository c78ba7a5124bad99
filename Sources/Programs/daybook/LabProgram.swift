import ArgumentParser
import CommandSupport
import FoundationEssentials
import Glibc

/// The program `daybook-lab`, installed beside this one: benchmarks, simulation, crash tests and generated data.
enum LabProgram {
    private static let name = "daybook-lab"
    private static let commands: Set = ["generate", "bench", "crashtest", "simulate"]

    /// Replaces this process with the lab's program if the arguments name one of its commands: the arguments, the standard
    /// streams and the exit code are then that program's.
    static func run(_ arguments: [String]) throws {
        let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
        guard let command = words.first, commands.contains(command) else { return }
        guard let path else {
            throw CommandError.unusable(
                "'\(command)' is a command of \(name), which cannot be found: /proc is missing.")
        }
        let pointers = ([path] + arguments).map { strdup($0) }
        execv(path, pointers + [nil])
        let code = errno
        pointers.forEach { free($0) }
        guard code != ENOENT else {
            throw CommandError.unusable(
                "'\(command)' is a command of \(name), which is not installed at \(path). Run Scripts/install to install it."
            )
        }
        throw CommandError.unusable("\(path) could not be started: \(String(cString: strerror(code))).")
    }

    /// The path of the program beside the running executable.
    private static var path: String? {
        guard let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            let slash = own.lastIndex(of: "/")
        else { return nil }
        return own[...slash] + name
    }
}

/// The lab's commands as the help lists them. They are never parsed here.
struct GenerateInLab: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate", abstract: "Fill an empty store with generated tasks (daybook-lab).")
}

struct BenchInLab: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Measure the budgets on this machine (daybook-lab).")
}

struct CrashTestInLab: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crashtest", abstract: "Replay every disk state that a power failure could leave (daybook-lab).")
}

struct SimulateInLab: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Run scenarios about time, written or random (daybook-lab).")
}
