import CivilTime
import Daybook
import FoundationEssentials
import Records
import Tasks

/// A verb on the task list: what it is drawn from, what it changes in the model, and what it does in a transaction.
package struct TasksVerb: Sendable {
    /// A part of the task list, whose verbs are tried together. Short sequences stay few in small ones.
    package enum Profile: Sendable {
        case days, lists, planner, recurrence, people
        /// Everything but people: hidden tasks and subtasks are in no other view.
        case combined
    }

    /// How a profile has a verb.
    package struct Use: Sendable {
        /// How often it is drawn, compared with others.
        let weight: Int
        /// Whether every short sequence with it is tried.
        let isShort: Bool
        /// Its name there, if it is another one.
        let name: String?

        static let short = short(1)
        static let long = long(1)

        static func short(_ weight: Int, as name: String? = nil) -> Self {
            Self(weight: weight, isShort: true, name: name)
        }
        static func long(_ weight: Int, as name: String? = nil) -> Self {
            Self(weight: weight, isShort: false, name: name)
        }
    }

    typealias Change = @Sendable (TasksPack, inout DomainDraw) -> DomainChange<TasksPack>?

    let name: String
    let change: Change
    private let uses: [Profile: Use]
    private let isCombined: Bool

    /// Creates a verb.
    ///
    /// - Parameters:
    ///   - uses: the profiles that have it. The one of everything has it as well, as often as the most frequent of them.
    ///   - isCombined: whether that is so.
    init(_ name: String, _ uses: [Profile: Use], isCombined: Bool = true, change: @escaping Change) {
        self.name = name
        self.uses = uses
        self.isCombined = isCombined
        self.change = change
    }

    func use(in profile: Profile) -> Use? {
        guard profile == .combined, uses[profile] == nil else { return uses[profile] }
        let weight = uses.filter { $0.key != .people }.values.map(\.weight).max()
        return isCombined ? weight.map { .long($0) } : nil
    }

    /// How often it is drawn where several profiles are tried together; nil if none has it, or if others do the same with less.
    func weight(in profiles: Set<Profile>) -> Int? {
        isCombined ? profiles.compactMap { uses[$0]?.weight }.max() : nil
    }
}

extension DomainChange<TasksPack> {
    /// A change that the rules of tasks allow, or that must be refused.
    init(
        if isAllowed: Bool = true, _ model: @escaping @Sendable (inout TasksPack) -> Void,
        tasks: @escaping @Sendable (TaskTransaction) throws -> Void
    ) {
        self = isAllowed ? Self(model) { try tasks($0.tasks) } : .refused { try tasks($0.tasks) }
    }

    /// A change of one task.
    init(
        _ id: UUID, if isAllowed: Bool = true, _ change: @escaping @Sendable (inout TasksPack.Task) -> Void,
        tasks: @escaping @Sendable (TaskTransaction) throws -> Void
    ) {
        self.init(if: isAllowed, { $0.change(id, change) }, tasks: tasks)
    }

    /// A new task.
    static func create(
        _ task: TasksPack.Task, if isAllowed: Bool = true,
        _ adjust: @escaping @Sendable (inout NewTask) throws -> Void = { _ in }
    ) -> Self {
        let id = TaskAction.id(task.number)
        return Self(if: isAllowed) {
            $0.insert(id, task)
        } tasks: {
            var new = NewTask(task.text, on: task.day, notes: task.note, list: task.list, due: task.due, id: id)
            new.category = task.category.map { TasksPack.categories[$0] }
            if task.slot != nil { (new.region, new.bucket) = (task.region, task.bucket) }
            new.expiresAt = task.expiresAt
            new.reminder = task.reminder.map { .time($0.day, secondsIntoDay: $0.hour * 3600) }
            try adjust(&new)
            try $0.create(new)
        }
    }
}

extension DomainDraw {
    var moment: DomainMoment { DomainMoment(now, in: zone) }
}
