import Glibc
import SystemErrors

/// This process: its number, its environment and its limits.
package enum CurrentProcess {
    /// The number that other processes of its PID namespace know it by.
    package static var identifier: Int32 { getpid() }

    /// Whether there is a process with a number.
    package static func isAlive(_ process: Int32) -> Bool { kill(process, 0) == 0 || errno != ESRCH }

    /// Ends it with a signal that says that something is wrong.
    package static func abort() -> Never { abortProcess() }

    /// Replaces its program by another one; returns the reason when that fails.
    ///
    /// - Parameter isOnPath: whether the program is looked for on the path.
    package static func replace(by program: String, _ arguments: [String], isOnPath: Bool = false) -> SystemCondition {
        unsafe withCStrings(arguments) { words in
            unsafe _ = isOnPath ? execvp(program, words) : execv(program, words)
            return .last
        }
    }

    // MARK: Ending and signals

    /// Ends it with a code, after what is registered for its end.
    package static func end(_ code: Int32) -> Never { exitProcess(code) }

    /// Ends it with a code, without anything else: for handlers of signals.
    package static func endAtOnce(_ code: Int32) -> Never { _exit(code) }

    /// Makes writing beyond the limit on file sizes an error like a full disk instead of the end of the process.
    package static func ignoreFileSizeSignal() { _ = signal(SIGXFSZ, SIG_IGN) }

    /// Handles what asks the process to end: SIGINT, SIGTERM and SIGHUP.
    package static func onInterruption(_ handler: @escaping @convention(c) (Int32) -> Void) {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            _ = signal(number, handler)
            unsafe sigaddset(&signals, number)
        }
        // The parent process may have blocked them, and a mask is inherited.
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    // MARK: Environment

    /// The value of an environment variable; nil when it is not set.
    package static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }

    /// Sets an environment variable, for the programs that this process starts.
    package static func setVariable(_ name: String, to value: String) { unsafe setenv(name, value, 1) }

    /// Runs a command of the shell with the standard streams; returns whether it has succeeded.
    package static func runShell(_ command: String) -> Bool { unsafe system(command) == 0 }

    // MARK: Limits

    /// The largest size of a file (`ulimit -f`), in bytes; nil for none.
    package static var fileSizeLimit: Int? { limit(RLIMIT_FSIZE) }

    /// The largest size of its data (`ulimit -d`), in bytes; nil for none.
    package static var dataLimit: Int? { limit(RLIMIT_DATA) }

    private static func limit(_ resource: __rlimit_resource) -> Int? {
        var limit = rlimit()
        let result = unsafe getrlimit(__rlimit_resource_t(resource.rawValue), &limit)
        guard result == 0, limit.rlim_cur < rlim_t(Int.max) else { return nil }
        return Int(limit.rlim_cur)
    }

    /// Whether it may reserve so much more address space (`ulimit -v`).
    package static func hasAddressSpace(for size: Int) -> Bool {
        let trial = unsafe mmap(nil, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard unsafe trial != MAP_FAILED else { return false }
        unsafe munmap(trial, size)
        return true
    }
}

private func abortProcess() -> Never { abort() }
private func exitProcess(_ code: Int32) -> Never { exit(code) }

/// Calls a closure with words as C has them, the last of them nil.
func withCStrings<Result>(
    _ words: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = unsafe []
    for word in words { unsafe pointers.append(unsafe strdup(word)) }
    unsafe pointers.append(nil)
    defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
    return unsafe body(pointers)
}
