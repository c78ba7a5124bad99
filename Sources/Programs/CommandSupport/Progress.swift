import Daybook
import FileSystem
import FoundationEssentials
import Processes
import Synchronization
import SystemErrors

/// A status line on standard error that replaces itself, shown on a terminal only.
package struct Progress: Sendable {
    private let isShown =
        FileDescriptor.standardError.isTerminal && Terminal.allowsControlSequences(ProcessInfo.processInfo.environment)

    package init() {}

    /// Replaces the line.
    package func show(_ text: String) {
        guard isShown else { return }
        try? FileDescriptor.standardError.write(Array("\r\u{1B}[K\(text.prefix(100))".utf8))
    }

    /// Replaces the line, in work that may be interrupted here.
    package func step(_ text: String) throws {
        try Interruption.check()
        show(text)
    }

    /// Removes the line.
    package func end() {
        show("")
    }
}

/// The progress of work on a file and an estimate of the time left: shown after half a second, ten times a second at most.
package final class ProgressLine: Sendable {
    private static let delay: Int64 = 500_000
    private static let interval: Int64 = 100_000

    private let verb: String
    private let clock: any TimeSource
    private let show: @Sendable (String) -> Void
    private let start: MonotonicTime
    private let lastShown = Atomic<Int64>(0)

    /// Creates a line on standard error, shown on a terminal only.
    ///
    /// - Parameter verb: what is being done, such as "Exporting".
    package convenience init(_ verb: String) {
        let line = Progress()
        self.init(verb, Context.system.clock) { line.show($0) }
    }

    /// Creates a line that is shown by a closure.
    ///
    /// - Parameter show: replaces the line; called with an empty text to remove it.
    package init(_ verb: String, _ clock: any TimeSource, show: @escaping @Sendable (String) -> Void) {
        self.verb = verb
        self.show = show
        self.clock = clock
        start = clock.monotonic
    }

    /// Shows the progress when enough time has passed since the last update.
    package func update(_ progress: FileProgress) {
        let elapsed = clock.monotonic.microseconds(since: start)
        guard elapsed >= Self.delay, elapsed - lastShown.load(ordering: .relaxed) >= Self.interval else { return }
        lastShown.store(elapsed, ordering: .relaxed)
        show(Self.text(verb, progress.fraction, elapsed))
    }

    /// Removes the line.
    package func end() {
        if lastShown.load(ordering: .relaxed) > 0 { show("") }
    }

    private static func text(_ verb: String, _ fraction: Double?, _ elapsed: Int64) -> String {
        let seconds = Double(elapsed) / 1_000_000
        guard let fraction, fraction > 0.01 else { return "\(verb)... \(Int(seconds)) s so far" }
        let left = seconds / fraction * (1 - fraction)
        return "\(verb)... \(Int(fraction * 100)) %, about \(Int(left.rounded(.up))) s left"
    }
}

/// Signals that ask the program to end, handled at points where ending leaves nothing half done.
package enum Interruption {
    private static let requested = Atomic<Bool>(false)

    /// The error code of interrupted work.
    package static let code = SystemCondition.interrupted.code

    /// Whether a signal asked the program to end.
    package static var isRequested: Bool { requested.load(ordering: .relaxed) }

    /// Ends the command if a signal asked for it.
    package static func check() throws(CommandError) {
        if isRequested { throw .finished(.interrupted) }
    }

    /// Records SIGINT, SIGTERM and SIGHUP from now on instead of ending the process at once.
    package static func begin() {
        // The first access initializes the variable, which a signal handler must not do.
        requested.store(false, ordering: .relaxed)
        CurrentProcess.onInterruption { _ in Interruption.requested.store(true, ordering: .relaxed) }
    }

    /// Ends the process at once on these signals, with the exit code of an interruption: for work that may end anywhere.
    package static func endProcess() {
        CurrentProcess.onInterruption { _ in CurrentProcess.endAtOnce(ProgramExit.interrupted.rawValue) }
    }
}
