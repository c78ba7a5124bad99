import CFaultAddress
import Glibc
import KeyValue

/// Reports two kinds of fatal signals in one line and with an exit code: a page of the store's map that the system cannot
/// read, also one that makes LMDB end the process, and memory that the system refuses. All other signals end the process as
/// they would without these handlers, with a core where the system keeps one: they are errors of the program.
package enum CrashMessage {
    private static let signals = [SIGSEGV, SIGBUS, SIGABRT]

    private static let page = Array(
        "daybook: A page of the store could not be read. Run 'daybook verify', then restore a backup.\n".utf8)
    private static let memory = Array(
        "daybook: There is not enough memory. Raise its limit (ulimit -d, ulimit -v), or end other programs.\n".utf8)
    /// The end of the path of every data file.
    private static let dataFile = "/data.mdb\0".utf8.map { CChar($0) }

    /// Installs the signal handlers.
    static func install() {
        // A signal handler must not allocate, so everything is created now.
        guard !page.isEmpty, !memory.isEmpty, !dataFile.isEmpty, !DamageAbort.isUnderWay else { return }
        for number in signals {
            var action = sigaction()
            action.__sigaction_handler.sa_sigaction = { number, information, _ in
                // The allocator leaves the reason in `errno` when Swift's runtime aborts for lack of memory.
                let isOutOfMemory = number == SIGABRT && errno == ENOMEM
                CrashMessage.report(
                    number, wasSent: was_sent(information) != 0, isOutOfMemory: isOutOfMemory,
                    dataFile: is_fault_in_file(information, CrashMessage.dataFile))
            }
            action.sa_flags = SA_SIGINFO
            sigaction(number, &action, nil)
        }
    }

    /// Lets these signals end the process again.
    package static func remove() {
        for number in signals { signal(number, SIG_DFL) }
    }

    /// - Parameter dataFile: whether the fault is in the map of a data file: 1, 0, or -1 where the system does not tell.
    private static func report(_ number: Int32, wasSent: Bool, isOutOfMemory: Bool, dataFile: Int32) {
        // Where the system does not tell what is mapped, only a file can be the reason of SIGBUS.
        let isPage = dataFile == 1 || dataFile < 0 && number == SIGBUS
        if number == SIGABRT ? DamageAbort.isUnderWay : isPage && !wasSent { end(with: page) }
        if isOutOfMemory { end(with: memory) }
        // The faulting instruction is executed again when the handler returns, and ends the process.
        signal(number, SIG_DFL)
        if wasSent { raise(number) }
    }

    private static func end(with line: [UInt8]) -> Never {
        _ = write(STDERR_FILENO, line, line.count)
        _exit(ProgramExit.unusable.rawValue)
    }
}
