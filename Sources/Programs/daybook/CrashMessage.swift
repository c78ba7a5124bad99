import Glibc

/// A damaged page of the store can make LMDB read beyond the file or give up with an abort. Even then the program ends
/// with one line and the code of a store that cannot be used.
enum CrashMessage {
    private static let signals = [SIGSEGV, SIGBUS, SIGABRT]

    private static let line = Array(
        "daybook: A page of the store could not be read. Run 'daybook verify', then restore a backup.\n".utf8)

    /// Says it from now on.
    static func install() {
        // A signal handler must not allocate: the line is made now.
        guard !line.isEmpty else { return }
        for number in signals {
            signal(number) { _ in
                _ = write(STDERR_FILENO, CrashMessage.line, CrashMessage.line.count)
                _exit(ProgramExit.unusable.rawValue)
            }
        }
    }

    /// Lets these signals end the process again.
    static func remove() {
        for number in signals { signal(number, SIG_DFL) }
    }
}
