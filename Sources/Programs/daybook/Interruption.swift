import Glibc
import Synchronization

/// A person's or the system's wish that the program end, noticed where ending leaves nothing half done.
enum Interruption {
    private static let asked = Atomic<Bool>(false)

    /// The error code of work that was interrupted.
    static let code = EINTR

    /// Whether the program was asked to end.
    static var wasAsked: Bool { asked.load(ordering: .relaxed) }

    /// Ends the command when it was asked to end.
    static func check() throws(CommandError) {
        if wasAsked { throw .finished(.interrupted) }
    }

    /// From now on a signal to end is noted instead of obeyed at once.
    static func begin() {
        // The first use sets the variable up, which a signal handler must not do.
        asked.store(false, ordering: .relaxed)
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) { _ in Interruption.asked.store(true, ordering: .relaxed) }
            sigaddset(&signals, number)
        }
        // Who started this process may have blocked them, and that is inherited.
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }
}
