import Glibc

/// A running program.
final class RunningProgram {
    private let name: String
    private let process: pid_t
    private var status: Int32?

    /// Starts a program. Its output goes to a file, otherwise nowhere.
    init(_ program: String, _ arguments: [String], output: String = "/dev/null") throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        // Taskwarrior prints there which file its settings came from.
        posix_spawn_file_actions_addopen(
            &actions, 2, output + (output == "/dev/null" ? "" : ".errors"), O_WRONLY | O_CREAT, 0o600)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var process = pid_t()
        let code = posix_spawn(&process, program, &actions, nil, &words, environ)
        guard code == 0 else { throw PeerFailure("cannot run \(program): \(code)") }
        self.process = process
        name = "\(program) \(arguments)"
    }

    /// The most memory that the program had at a time, mapped pages of files included, in bytes. After its end.
    private(set) var maximumResidentBytes = 0

    /// Waits for the program's end, which must be successful.
    func wait() throws {
        if status == nil { noteEnding(waiting: 0) }
        guard status == 0 else { throw PeerFailure("\(name) ended with \(status ?? -1)") }
    }

    /// Whether the program has ended successfully.
    func hasEnded() throws -> Bool {
        if status == nil { noteEnding(waiting: WNOHANG) }
        if status == nil { return false }
        try wait()
        return true
    }

    private func noteEnding(waiting options: Int32) {
        var ending: Int32 = 0
        var usage = rusage()
        guard wait4(process, &ending, options, &usage) == process else { return }
        status = ending
        maximumResidentBytes = Int(usage.ru_maxrss) * 1024
    }

    /// The program's anonymous memory, `RssAnon`, in bytes.
    func anonymousBytes() -> Int {
        let lines = (try? ProcessFile.lines(of: "/proc/\(process)/status")) ?? []
        let words = lines.first { $0.hasPrefix("RssAnon:") }?.split(separator: " ") ?? []
        return words.count > 1 ? (Int(words[1]) ?? 0) * 1024 : 0
    }
}
