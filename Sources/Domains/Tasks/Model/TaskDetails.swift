import CivilTime
import FoundationEssentials
import Records

/// What few tasks have: a parent, a day before which they are hidden. One index serves both, so that a store pays for one table: LMDB's
/// list of tables fills a page with those that there are, and a second page of it would be written by every commit.
enum TaskDetail: OrderedKey, Hashable {
    /// The subtasks of a task, by their order.
    case part(of: UUID)
    /// The hidden tasks, by the day on which they come back.
    case waiting

    /// The first byte: all details of a kind.
    enum Kind: UInt8 {
        case part, waiting
    }

    /// The length of the longest.
    static var width: Int { 17 }
    /// True: neither is a text.
    static var isShownInErrors: Bool { true }
    /// False: the length depends on the kind.
    static var hasFixedWidth: Bool { false }

    func encode(into key: inout KeyBytes) {
        switch self {
        case .part(let parent):
            Kind.part.rawValue.encode(into: &key)
            parent.encode(into: &key)
        case .waiting: Kind.waiting.rawValue.encode(into: &key)
        }
    }

    init(decoding key: inout KeyDecoder) throws(RecordsError) {
        switch try UInt8(decoding: &key) {
        case Kind.part.rawValue: self = .part(of: try UUID(decoding: &key))
        default: self = .waiting
        }
    }
}

extension TaskItem {
    /// The index of what few tasks have. Archived tasks are in it as subtasks only: they are deleted with their parents.
    static let byDetail = Index<TaskItem, Placed<TaskDetail>>(each: "byDetail", unless: hasSameDetails) { task in
        guard task.hasDetails else { return [] }
        var keys: [Placed<TaskDetail>] = []
        // First, since the order of subtasks takes the first one.
        if let parent = task.parentTaskID {
            // A file may give any number, and there must be room for more on both sides.
            keys.append(Placed(lane: .part(of: parent), position: min(max(task.subtaskOrder, -(1 << 61)), 1 << 61)))
        }
        guard task.archivedAt == nil else { return keys }
        if let day = task.waitUntil, !task.isCompleted {
            keys.append(Placed(lane: .waiting, position: Int64(day.daysSince1970)))
        }
        return keys
    }

    private var hasDetails: Bool { parentTaskID != nil || waitUntil != nil }

    private static func hasSameDetails(_ one: TaskItem, _ other: TaskItem) -> Bool {
        guard one.hasDetails || other.hasDetails else { return true }
        return one.parentTaskID == other.parentTaskID && one.subtaskOrder == other.subtaskOrder
            && one.waitUntil == other.waitUntil && one.isCompleted == other.isCompleted
            && one.archivedAt == other.archivedAt
    }

    /// The order that a person gives the subtasks of a task. Only for tasks that have a parent.
    static let orderInParent = ManualOrder(byDetail, \.subtaskOrder)
}

extension TaskReading {
    /// Reads details; in a store of an earlier version that is open for reading only there are none.
    func readDetails(_ body: (IndexReader<TaskItem, Placed<TaskDetail>>) throws -> Void) throws {
        do {
            try body(transaction[TaskItem.byDetail])
        } catch RecordsError.engine(.tableMissing) {
            return
        }
    }
}
