import ArgumentParser
import CommandSupport
import FoundationEssentials
import Processes
import SystemErrors

/// A program that is installed beside this one and has some of its commands, so that this one links neither benchmarks nor
/// networking.
struct CompanionProgram {
    let name: String
    private let commands: Set<String>
    /// Whether the program has the command's word itself, or is the command.
    private let keepsCommand: Bool
    /// Whether it may be anywhere on the path.
    private let isOnPath: Bool
    private let remedy: String

    /// Benchmarks, simulation, crash tests and generated data.
    static let lab = CompanionProgram(
        name: "daybook-lab", commands: ["generate", "bench", "crashtest", "simulate"], keepsCommand: true,
        isOnPath: false, remedy: "Run Scripts/install to install it.")
    /// Sync with a hub.
    static let sync = CompanionProgram(
        name: "daybook-sync", commands: ["sync"], keepsCommand: false, isOnPath: true,
        remedy: "Run Scripts/install --sync to install it.")
    /// The local page.
    static let web = CompanionProgram(
        name: "daybook-web", commands: ["serve"], keepsCommand: false, isOnPath: true,
        remedy: "Run Scripts/install --web to install it.")

    /// Replaces this process with the program if the arguments name one of its commands: the arguments, the standard streams
    /// and the exit code are then that program's.
    func run(_ arguments: [String]) throws {
        let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
        guard let command = words.first, commands.contains(command) else { return }
        guard let beside else {
            throw CommandError.unusable(
                "'\(command)' is a command of \(name), which cannot be found: /proc is missing.")
        }
        let rest = keepsCommand ? arguments : (arguments.first == "help" ? ["help"] : []) + words.dropFirst()
        var condition = CurrentProcess.replace(by: beside, [beside] + rest)
        if condition == .notFound, isOnPath {
            condition = CurrentProcess.replace(by: name, [beside] + rest, isOnPath: true)
        }
        guard condition != .notFound else {
            throw CommandError.unusable(
                "'\(command)' is a command of \(name), which is not installed at \(beside). \(remedy)")
        }
        throw CommandError.unusable("\(beside) could not be started: \(condition). Install it again.")
    }

    /// The path of the program beside the running executable.
    private var beside: String? {
        guard let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            let slash = own.lastIndex(of: "/")
        else { return nil }
        return own[...slash] + name
    }
}

/// The command of `daybook-sync` as the help lists it. It is never parsed here.
struct SyncInCompanion: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Keep this store and those of your other devices the same (daybook-sync).")
}

/// The command of `daybook-web` as the help lists it. It is never parsed here.
struct ServeInCompanion: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Show the store on a local page, in a browser (daybook-web).")
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
