import Daybook
import Observation

/// The result of a reading, kept up to date: a count, a total, a record, or a few of them.
///
///     let open = LiveValue(session.observe { try $0.tasks.inbox().count })
///
/// Cost of a commit: the reading once more, away from the main actor. For long lists use ``LiveList``.
@MainActor @Observable
public final class LiveValue<Value: Sendable & Equatable>: LiveModel {
    /// The result; nil before the first.
    public private(set) var value: Value?

    @ObservationIgnored private let query: LiveQuery<Value>

    /// Follows the result of a reading.
    public init(_ query: LiveQuery<Value>) {
        self.query = query
        super.init()
    }

    override func start() {
        follow(query) { [weak self] in self?.value = $0.value }
    }
}
