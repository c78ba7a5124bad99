import Daybook
import Synchronization

/// Tells a person how far a file has come, and about how long it will take: from half a second on, and not more often than
/// that line is read.
final class ProgressLine: Sendable {
    private static let silence: Int64 = 500_000
    private static let interval: Int64 = 100_000

    private let verb: String
    private let clock: any TimeSource
    private let show: @Sendable (String) -> Void
    private let start: MonotonicTime
    private let lastShown = Atomic<Int64>(0)

    /// On standard error, if a person is there.
    ///
    /// - Parameter verb: what is being done, such as "Exporting".
    convenience init(_ verb: String) {
        let line = Progress()
        self.init(verb, Context.system.clock) { line.show($0) }
    }

    /// - Parameter show: takes a line in place of the one before; an empty one takes it away.
    init(_ verb: String, _ clock: any TimeSource, show: @escaping @Sendable (String) -> Void) {
        self.verb = verb
        self.show = show
        self.clock = clock
        start = clock.monotonic
    }

    /// Shows how far it has come, if it is time to.
    func update(_ progress: FileProgress) {
        let elapsed = clock.monotonic.microseconds(since: start)
        guard elapsed >= Self.silence, elapsed - lastShown.load(ordering: .relaxed) >= Self.interval else { return }
        lastShown.store(elapsed, ordering: .relaxed)
        show(Self.text(verb, progress.fraction, elapsed))
    }

    /// Takes the line away.
    func end() {
        if lastShown.load(ordering: .relaxed) > 0 { show("") }
    }

    private static func text(_ verb: String, _ fraction: Double?, _ elapsed: Int64) -> String {
        let seconds = Double(elapsed) / 1_000_000
        guard let fraction, fraction > 0.01 else { return "\(verb)... \(Int(seconds)) s so far" }
        let left = seconds / fraction * (1 - fraction)
        return "\(verb)... \(Int(fraction * 100)) %, about \(Int(left.rounded(.up))) s left"
    }
}
