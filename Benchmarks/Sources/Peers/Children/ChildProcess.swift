import FoundationEssentials
import Glibc

/// Runs whole programs from start to exit.
enum ChildProcess {
    /// Runs this program with other arguments.
    static func run(_ arguments: [String]) throws {
        try run("/proc/self/exe", arguments)
    }

    /// Runs a program to its end; its output goes to a file, otherwise nowhere.
    static func run(_ program: String, _ arguments: [String], output: String = "/dev/null") throws {
        try RunningProgram(program, arguments, output: output).wait()
    }

    /// Runs shell commands, with `$1` and so on as arguments. Ends at the first one that fails.
    static func shell(_ script: String, _ words: [String]) throws {
        try run("/bin/sh", ["-ec", script, "sh"] + words)
    }

    /// Returns a program's output.
    static func output(of program: String, _ arguments: [String], in folder: String) throws -> String {
        let path = "\(folder)/output"
        defer {
            try? FileManager.default.removeItem(atPath: path)
            try? FileManager.default.removeItem(atPath: path + ".errors")
        }
        try run(program, arguments, output: path)
        return try String(contentsOfFile: path, encoding: .utf8)
    }
}
