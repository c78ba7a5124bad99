import FileSystem
import Glibc
import SystemErrors

/// A program that runs beside this one: for work that a signal may end, and for work on another core.
package struct ChildProcess: Sendable {
    /// How a program ended.
    package enum Ending: Equatable, Sendable {
        /// By itself, with this code.
        case exited(Int32)
        /// By this signal.
        case killed(signal: Int32)

        init(status: Int32) {
            // The macros of <sys/wait.h>, which Swift does not import.
            let signal = status & 0x7F
            self = signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal)
        }

        /// Whether a person or the system has asked it to end.
        package var isInterruption: Bool {
            [SIGINT, SIGTERM, SIGHUP].map(Self.killed(signal:)).contains(self)
        }
    }

    private let executable: String
    package let identifier: Int32
    /// The descriptor of its output: for `poll`.
    package var output: Int32 { outputEnd.number }
    private let outputEnd: FileDescriptor
    /// Where its standard input is written; nil when it has this process's.
    private let input: FileDescriptor?

    /// Runs a program with this process's environment and standard input to its end, and collects its standard output
    /// and standard error in the order of arrival.
    package static func run(
        _ executable: String, _ arguments: [String]
    ) throws(SystemError) -> (ending: Ending, output: [UInt8]) {
        let child = try ChildProcess(executable, arguments)
        var all: [UInt8] = []
        while let chunk = child.nextOutput() { all += chunk }
        return (try child.wait(), all)
    }

    /// Starts a program with this process's environment and standard input, or one that ``say(_:)`` writes.
    /// ``wait()`` has to follow.
    package init(
        _ executable: String, _ arguments: [String], takesInput: Bool = false
    ) throws(SystemError) {
        // No other child may inherit the ends, or the end of this child would go unnoticed.
        let output = try SystemError.naming("create a pipe", FileDescriptor.makePipe())
        let input: (end: FileDescriptor, start: FileDescriptor)?
        do throws(SystemError) {
            input = takesInput ? try SystemError.naming("create a pipe", FileDescriptor.makePipe()) : nil
        } catch {
            for descriptor in [output.end, output.start] { descriptor.close() }
            throw error
        }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, output.start.number, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, output.start.number, STDERR_FILENO)
        if let input { unsafe posix_spawn_file_actions_adddup2(&actions, input.end.number, STDIN_FILENO) }

        self.executable = executable
        outputEnd = output.end
        self.input = input?.start
        do throws(SystemCondition) {
            identifier = try unsafe Self.spawn(executable, arguments, &actions)
        } catch {
            for descriptor in [output.end, output.start] { descriptor.close() }
            if let input { for descriptor in [input.end, input.start] { descriptor.close() } }
            throw SystemError("start \(executable)", error)
        }
        output.start.close()
        input?.end.close()
    }

    static func spawn(
        _ executable: String, _ arguments: [String], _ actions: UnsafePointer<posix_spawn_file_actions_t>?
    ) throws(SystemCondition) -> pid_t {
        var child = pid_t()
        let code = unsafe withCStrings([executable] + arguments) { words in
            unsafe posix_spawn(&child, executable, actions, nil, words, environ)
        }
        if code != 0 { throw SystemCondition(code) }
        return child
    }

    /// Runs a program with this process's environment and standard streams to its end.
    package static func runInForeground(
        _ executable: String, _ arguments: [String]
    ) throws(SystemCondition) -> Ending {
        try ending(of: try unsafe spawn(executable, arguments, nil))
    }

    private static func ending(of process: pid_t) throws(SystemCondition) -> Ending {
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 {
            let condition = SystemCondition.last
            if condition != .interrupted { throw condition }
        }
        return Ending(status: status)
    }

    /// Writes to its standard input. Fails when it has ended; the system first sends a signal, which this process has
    /// to ignore.
    package func say(_ bytes: [UInt8]) throws(SystemError) {
        try SystemError.naming("write to \(executable)", (input ?? FileDescriptor(-1)).write(bytes))
    }

    /// Returns the next output, waiting for some; nil at the end.
    package func nextOutput() -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        guard let count = try? outputEnd.read(into: &chunk), count > 0 else { return nil }
        return Array(chunk.prefix(count))
    }

    /// Kills it.
    package func kill() {
        _ = Glibc.kill(identifier, SIGKILL)
    }

    /// Waits for its end. Call it once: its output cannot be read afterward, and its process id may be reused.
    package func wait() throws(SystemError) -> Ending {
        outputEnd.close()
        input?.close()
        return try SystemError.naming("wait for \(executable)", Self.ending(of: identifier))
    }
}
