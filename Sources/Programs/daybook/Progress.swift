import FoundationEssentials
import Glibc

/// How far a long run has come: one line that replaces itself, on a terminal only.
struct Progress: Sendable {
    private let isShown = isatty(STDERR_FILENO) == 1 && Terminal.isWelcome(ProcessInfo.processInfo.environment)

    func show(_ text: String) {
        guard isShown else { return }
        let line = "\r\u{1B}[K\(text.prefix(100))"
        _ = Glibc.write(STDERR_FILENO, line, line.utf8.count)
    }

    /// The same for work that a signal may end here.
    func tell(_ text: String) throws {
        try Interruption.check()
        show(text)
    }

    func end() {
        show("")
    }
}
