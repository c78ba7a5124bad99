import CivilTime
import FoundationEssentials
import Records

/// A change of a view, and the view after it.
public struct ViewUpdate: Sendable, Equatable {
    /// One step from the previous view to this one, in the order in which the steps are applied: removals from the back,
    /// insertions and moves from the front, updates.
    public typealias Step = RangeUpdate<TaskItem>.Step

    /// The day on which the view was read.
    public let today: Day
    /// When the view changes without a write: the next midnight, in the zone in which it was read.
    public let validUntil: Instant
    let change: RangeUpdate<TaskItem>

    /// The steps from the previous update; in the first update every task is inserted.
    public var steps: [Step] { change.steps }
    /// The tasks of the view. To keep the lists of several updates is cheap: they share what they have in common.
    public var tasks: RecordList<TaskItem> { change.records }
    /// The number of the last change that the view contains.
    public var sequence: UInt64 { change.sequence }

    /// Applies the steps to the tasks before. Cost: as for inserting into and removing from an array.
    public func apply(to tasks: inout [TaskItem]) { change.apply(to: &tasks) }
}

/// The changes of a view: by any process, at midnight, and when the clock steps or the zone changes. Nothing runs in
/// between but one timer for the next midnight.
///
/// The first update holds the whole view. Changes outside the view are not reported. Several changes at once may be
/// reported as one. Cost of an update: a look-up for each task that changed, whatever the size of the view; at midnight,
/// reading the view.
public struct LiveView: AsyncSequence, Sendable {
    /// A change, and the view after it.
    public typealias Element = ViewUpdate

    let store: RecordStore
    let shown: ViewUpdate?
    /// The range of an index that the view is on a day, to be continued from what was shown last.
    let range: @Sendable (_ today: Day, _ shown: RangeUpdate<TaskItem>?) -> any TaskRange

    /// Starts to follow the view.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Follows the range of the index that the view is on its day.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        private let live: LiveView
        private var state: (today: Day, tasks: any TaskRange)?

        init(_ live: LiveView) {
            self.live = live
            if let shown = live.shown { state = (shown.today, live.range(shown.today, shown.change)) }
        }

        /// Waits for the next update and returns it.
        ///
        /// - Throws: `RecordsError` if the store fails or is closed, `CancellationError` when the task is cancelled.
        public mutating func next() async throws -> ViewUpdate? {
            while true {
                let moment = try live.store.moment()
                if let update = try update(at: moment) { return update }
                try await live.store.waitForNews(since: moment)
            }
        }

        /// What changed since the last update, which is at least the day where that is another one; nil for nothing.
        private mutating func update(at moment: ReadingMoment) throws -> ViewUpdate? {
            let today = moment.today
            let isNewDay = state?.today != today
            var tasks = isNewDay ? live.range(today, state?.tasks.last) : state?.tasks
            let change = try tasks?.update()
            state = tasks.map { (today, $0) }
            guard let change = change ?? (isNewDay ? tasks?.last : nil) else { return nil }
            return ViewUpdate(today: today, validUntil: moment.midnight, change: change)
        }
    }
}

/// The tasks of a range of any index, followed.
protocol TaskRange: Sendable {
    /// The present state without the steps to it; nil before the first update.
    var last: RangeUpdate<TaskItem>? { get }
    /// What changed since the last update; nil for nothing.
    mutating func update() throws -> RangeUpdate<TaskItem>?
}

extension LiveRange.Iterator: TaskRange where R == TaskItem {}

extension TaskView {
    /// The range of the index of days that shows the view: days are in order, the Inbox before all of them.
    func range(today: Day) -> IndexRange<TaskItem, DayKey> {
        switch self {
        case .inbox: .prefix(Day?.none)
        case .today: .prefix(today)
        case .upcoming: .keys(from: .end(of: today))
        case .past: .keys(from: .first(of: .first), to: .first(of: today))
        }
    }
}

extension TaskList {
    /// Returns the changes of a view, including those at midnight.
    ///
    /// - Parameter shown: The update that the application has shown last, to continue from it; nil to begin with the whole
    ///   view.
    public func changes(in view: TaskView, after shown: ViewUpdate? = nil) -> LiveView {
        follow(TaskItem.byDay, after: shown) { view.range(today: $0) }
    }

    /// Returns the changes of a list, with its completed tasks and without those that are hidden; of the tasks without a list for
    /// nil. Cost: as for a view.
    public func changes(inList list: UUID?, after shown: ViewUpdate? = nil) -> LiveView {
        follow(TaskItem.byList, after: shown) { _ in .prefix(list ?? TaskItem.noList) }
    }

    private func follow<Key: OrderedKey>(
        _ index: Index<TaskItem, Key>, after shown: ViewUpdate?,
        _ range: @escaping @Sendable (_ today: Day) -> IndexRange<TaskItem, Key>
    ) -> LiveView {
        let access = access
        return LiveView(store: store, shown: shown) { today, last in
            var live = access.observe(index, in: range(today), after: last)
            // The name includes the day: at midnight tasks that were hidden come back.
            live.filter = RecordFilter("not waiting on \(today)") { !$0.isWaiting(on: today) }
            return live.makeAsyncIterator()
        }
    }

    /// Returns every change of the store after a sequence number, in order, by any process.
    public func changes(after sequence: UInt64) -> ChangeFeed { store.changes(after: sequence) }
}
