import Daybook
import Observation

/// The records in a range of an index, kept up to date.
///
///     let readings = LiveList(session.observe(Reading.byTime, in: .keys(from: midnight)))
///
/// Cost of a change: a look-up for each record that changed, whatever the size of the range.
@MainActor @Observable
public final class LiveList<R: Record & Equatable, Key: OrderedKey>: LiveModel {
    /// The last change with the records after it; nil before the first.
    public private(set) var update: RangeUpdate<R>?

    /// Called for every update on the main actor, in order, for views that animate its steps. Observation of ``update`` may pass over
    /// some, of which nobody would see the steps.
    @ObservationIgnored public var onUpdate: (@MainActor (RangeUpdate<R>) -> Void)?

    /// The records.
    public var records: RecordList<R> { update?.records ?? RecordList() }

    @ObservationIgnored private let range: LiveRange<R, Key>

    /// Follows the records of a range.
    public init(_ range: LiveRange<R, Key>) {
        self.range = range
        super.init()
    }

    override func start() {
        follow(range.resumed(after: update)) { [weak self] update in
            self?.update = update
            self?.onUpdate?(update)
        }
    }
}
