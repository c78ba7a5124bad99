import CFaultAddress
import Glibc

/// Writes one line when a fatal signal ends the program. Two reasons are not errors of the program, and end it with an exit
/// code: a page of a store's map that the system cannot read, and memory that it refuses. All other signals are named and
/// then end the process as they would without these handlers, with a core where the system keeps one.
package enum CrashMessage {
    /// Swift ends a process by SIGILL or SIGTRAP where a precondition fails.
    private static let names = [
        SIGSEGV: "SIGSEGV", SIGBUS: "SIGBUS", SIGABRT: "SIGABRT", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP",
        SIGFPE: "SIGFPE",
    ]

    /// What a page that cannot be read is reported as.
    package static let unreadablePage =
        "A page of the store could not be read. Run 'daybook verify', then restore a backup."
    private static let page = line(unreadablePage)
    private static let memory = line(
        "There is not enough memory. Raise its limit (ulimit -d, ulimit -v), or end other programs.")
    /// By the numbers of the signals.
    private static let errors = (0...(names.keys.max() ?? 0)).map { number in
        names[number].map { _ in line("This command was ended by \(advice(on: number))") } ?? []
    }
    /// The end of the path of every data file.
    private static let dataFile = "/data.mdb\0".utf8.map { CChar($0) }

    /// Returns the name of a signal and what to do about a process that it ended, for the end of a sentence.
    package static func advice(on signal: Int32) -> String {
        guard let name = names[signal] else { return "signal \(signal), which came from outside. Run it again." }
        return "\(name), which is an error of Daybook. Report it as an issue of Daybook's repository, with the command "
            + "and 'daybook --version'."
    }

    /// Installs the signal handlers.
    package static func install() {
        // A signal handler must not allocate, so everything is created now.
        guard !page.isEmpty, !memory.isEmpty, !dataFile.isEmpty else { return }
        for number in names.keys where !errors[Int(number)].isEmpty {
            var action = sigaction()
            action.__sigaction_handler.sa_sigaction = { number, information, _ in
                // The allocator leaves the reason in `errno` when Swift's runtime aborts for lack of memory.
                let isOutOfMemory = number == SIGABRT && errno == ENOMEM
                guard let information else { return }
                let isPage = is_unreadable_page(information) != 0
                if isPage, is_fault_in_file(information, CrashMessage.dataFile) == 1 {
                    CrashMessage.end(with: CrashMessage.page)
                }
                if isOutOfMemory { CrashMessage.end(with: CrashMessage.memory) }
                if is_own(information) != 0 { CrashMessage.report(CrashMessage.errors[Int(number)]) }
                // The faulting instruction is executed again when the handler returns, and ends the process. After a trap it
                // would be the next one.
                signal(number, SIG_DFL)
                if was_sent(information) != 0 || number == SIGTRAP { raise(number) }
            }
            action.sa_flags = SA_SIGINFO
            sigaction(number, &action, nil)
        }
    }

    /// Lets these signals end the process without a line.
    package static func remove() {
        for number in names.keys { signal(number, SIG_DFL) }
    }

    private static func line(_ text: String) -> [UInt8] { Array("daybook: \(text)\n".utf8) }

    private static func report(_ line: [UInt8]) { _ = write(STDERR_FILENO, line, line.count) }

    private static func end(with line: [UInt8]) -> Never {
        report(line)
        _exit(ProgramExit.unusable.rawValue)
    }
}
