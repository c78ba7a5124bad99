import FoundationEssentials
import Glibc

/// Whole programs, from their start to their end.
enum ChildProcess {
    /// This program with other arguments.
    static func run(_ arguments: [String]) throws {
        try run("/proc/self/exe", arguments)
    }

    /// Runs a program to its end; its output goes to a file, else nowhere.
    static func run(_ program: String, _ arguments: [String], output: String = "/dev/null") throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        // Taskwarrior tells there which file its settings came from.
        posix_spawn_file_actions_addopen(
            &actions, 2, output + (output == "/dev/null" ? "" : ".errors"), O_WRONLY | O_CREAT, 0o600)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var process = pid_t()
        let code = posix_spawn(&process, program, &actions, nil, &words, environ)
        guard code == 0 else { throw PeerFailure("cannot run \(program): \(code)") }
        var status: Int32 = 0
        waitpid(process, &status, 0)
        guard status == 0 else { throw PeerFailure("\(program) \(arguments) ended with \(status)") }
    }

    /// What a program prints.
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
