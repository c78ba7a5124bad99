import CLMDB

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A program that runs beside this one: for work that a signal may end, and for work on another core.
package struct ChildProcess: Sendable {
    /// How a program ended.
    package enum Ending: Equatable, Sendable {
        /// By itself, with this code.
        case exited(Int32)
        /// By this signal.
        case killed(signal: Int32)
    }

    private let executable: String
    package let identifier: pid_t
    /// The descriptor of its output: for `poll`.
    package let output: Int32
    /// Where its standard input is written; nil when it has this process's.
    private let input: Int32?

    /// Runs a program with this process's environment and standard input to its end, and collects its standard output
    /// and standard error in the order of arrival.
    package static func run(
        _ executable: String, _ arguments: [String]
    ) throws(KeyValueError) -> (ending: Ending, output: [UInt8]) {
        let child = try ChildProcess(executable, arguments)
        var all: [UInt8] = []
        while let chunk = child.nextOutput() { all += chunk }
        return (try child.wait(), all)
    }

    /// Starts a program with this process's environment and standard input, or one that ``say(_:)`` writes.
    /// ``wait()`` has to follow.
    package init(
        _ executable: String, _ arguments: [String], takesInput: Bool = false
    ) throws(KeyValueError) {
        let ends = try Self.makePipe()
        let inputs: [Int32]?
        do {
            inputs = takesInput ? try Self.makePipe() : nil
        } catch {
            for end in ends { close(end) }
            throw error
        }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
        if let inputs { unsafe posix_spawn_file_actions_adddup2(&actions, inputs[0], STDIN_FILENO) }

        var words: [UnsafeMutablePointer<CChar>?] = unsafe []
        for word in [executable] + arguments { unsafe words.append(unsafe strdup(word)) }
        unsafe words.append(nil)
        defer { for index in unsafe words.indices { unsafe free(words[index]) } }
        var child = pid_t()
        let code = unsafe posix_spawn(&child, executable, &actions, nil, words, environ)
        close(ends[1])
        if let inputs { close(inputs[0]) }
        guard code == 0 else {
            close(ends[0])
            if let inputs { close(inputs[1]) }
            throw .system(operation: "start \(executable)", code: code)
        }
        self.executable = executable
        identifier = child
        output = ends[0]
        input = inputs?[1]
    }

    /// No other child may inherit its ends, or the end of this child would go unnoticed.
    private static func makePipe() throws(KeyValueError) -> [Int32] {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw .system(operation: "create a pipe", code: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return ends
    }

    /// Writes to its standard input. Fails when it has ended; the system first sends a signal, which this process has
    /// to ignore.
    package func say(_ bytes: [UInt8]) throws(KeyValueError) {
        guard let input else { throw .system(operation: "write to \(executable)", code: EBADF) }
        var start = 0
        while start < bytes.count {
            let count = unsafe write(input, Array(bytes[start...]), bytes.count - start)
            guard count >= 0 || errno == EINTR else {
                throw .system(operation: "write to \(executable)", code: errno)
            }
            start += max(count, 0)
        }
    }

    /// Returns the next output, waiting for some; nil at the end.
    package func nextOutput() -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe read(output, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            return count > 0 ? Array(chunk.prefix(count)) : nil
        }
    }

    /// Kills it.
    package func kill() {
        #if canImport(Glibc)
            _ = Glibc.kill(identifier, SIGKILL)
        #else
            _ = Darwin.kill(identifier, SIGKILL)
        #endif
    }

    /// Waits for its end. Call it once: its output cannot be read afterward, and its process id may be reused.
    package func wait() throws(KeyValueError) -> Ending {
        close(output)
        if let input { close(input) }
        var status: Int32 = 0
        while unsafe waitpid(identifier, &status, 0) < 0 {
            guard errno == EINTR else { throw .system(operation: "wait for \(executable)", code: errno) }
        }
        // The macros of <sys/wait.h>, which Swift does not import.
        let signal = status & 0x7F
        return signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal)
    }
}

/// The version of LMDB that this program runs with, for example "0.9.24".
public func lmdbVersion() -> String {
    var major: Int32 = 0
    var minor: Int32 = 0
    var patch: Int32 = 0
    unsafe _ = mdb_version(&major, &minor, &patch)
    return "\(major).\(minor).\(patch)"
}
