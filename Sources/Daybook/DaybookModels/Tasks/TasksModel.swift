import Daybook
import Observation

/// The tasks of a view or of a list, kept up to date, also at midnight: what ``TodayModel``, ``InboxModel`` and the others have in
/// common.
///
/// Cost of a change: a look-up for each task that changed, and on the main actor the same few steps for ten tasks and for ten
/// thousand.
@MainActor @Observable
public class TasksModel: LiveModel {
    /// The list of tasks that the model shows a part of, for what a person does: `model.perform { try await list.complete(id) }`.
    public let list: TaskList

    /// The last change with the tasks after it; nil before the first.
    public private(set) var update: ViewUpdate?

    /// Called for every update on the main actor, in order, for views that animate its steps. Observation of ``update`` may pass over
    /// some, of which nobody would see the steps.
    @ObservationIgnored public var onUpdate: (@MainActor (ViewUpdate) -> Void)?

    /// The tasks, in the order in which they are shown.
    public var tasks: RecordList<TaskItem> { update?.tasks ?? RecordList() }
    /// The day on which the tasks were read; nil before the first update.
    public var today: Day? { update?.today }
    /// When the tasks change without anybody's doing: the next midnight. Nil before the first update.
    public var validUntil: Instant? { update?.validUntil }

    init(_ list: TaskList) {
        self.list = list
        super.init()
    }

    /// What the model follows, to be continued from what it shows.
    func changes(after shown: ViewUpdate?) -> LiveView { preconditionFailure("a kind of tasks says what it follows") }

    override func start() {
        follow(changes(after: update)) { [weak self] update in
            self?.update = update
            self?.onUpdate?(update)
        }
    }
}

/// The tasks of the Inbox.
@MainActor @Observable
public final class InboxModel: TasksModel {
    /// Follows the Inbox of a store or of a session.
    public override init(_ list: TaskList) { super.init(list) }

    override func changes(after shown: ViewUpdate?) -> LiveView { list.changes(in: .inbox, after: shown) }
}

/// The tasks of today, and what else is due.
@MainActor @Observable
public final class TodayModel: TasksModel {
    /// The open tasks that are overdue or due today and not planned for today, the earliest first.
    ///
    /// Cost of a commit: a look-up for each of them.
    public private(set) var due: [TaskItem] = []

    /// Follows the day of a store or of a session.
    public override init(_ list: TaskList) { super.init(list) }

    /// How many of today's tasks are completed. Cost: a few look-ups in memory, since completed tasks are last.
    public var completedCount: Int { tasks.count - tasks.countWhile { !$0.isCompleted } }

    override func changes(after shown: ViewUpdate?) -> LiveView { list.changes(in: .today, after: shown) }

    override func start() {
        super.start()
        follow(list.observe { try $0.due(by: $0.currentDay) }) { [weak self] in self?.due = $0.value }
    }
}

extension RandomAccessCollection {
    /// How many elements at the beginning meet a condition that none after them meets. Cost: logarithmic.
    func countWhile(_ holds: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[index(startIndex, offsetBy: middle)]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
