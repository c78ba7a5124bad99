#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Runs a program and waits for it: for work that a damaged store may end with a signal.
package enum ChildProcess {
    /// How a program ended.
    package enum Ending: Equatable, Sendable {
        /// By itself, with this code.
        case exited(Int32)
        /// By this signal.
        case killed(signal: Int32)
    }

    /// Runs a program with this process's environment and standard input, and gathers what it writes to standard output
    /// and standard error, in the order in which it arrives.
    package static func run(
        _ executable: String, _ arguments: [String]
    ) throws(KeyValueError) -> (ending: Ending, output: [UInt8]) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw .system(operation: "make a pipe", code: errno) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addclose(&actions, ends[0])
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
        unsafe posix_spawn_file_actions_addclose(&actions, ends[1])

        var words: [UnsafeMutablePointer<CChar>?] = unsafe []
        for word in [executable] + arguments { unsafe words.append(unsafe strdup(word)) }
        unsafe words.append(nil)
        defer { for index in unsafe words.indices { unsafe free(words[index]) } }
        var child = pid_t()
        let code = unsafe posix_spawn(&child, executable, &actions, nil, words, environ)
        close(ends[1])
        defer { _ = close(ends[0]) }
        guard code == 0 else { throw .system(operation: "start \(executable)", code: code) }

        let output = readAll(from: ends[0])
        var status: Int32 = 0
        while unsafe waitpid(child, &status, 0) < 0 {
            guard errno == EINTR else { throw .system(operation: "wait for \(executable)", code: errno) }
        }
        // What the macros of <sys/wait.h> say, which Swift does not import.
        let signal = status & 0x7F
        return (signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal), output)
    }

    private static func readAll(from descriptor: Int32) -> [UInt8] {
        var all: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return all }
            all += chunk.prefix(count)
        }
    }
}
