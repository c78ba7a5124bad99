import CivilTime
import FoundationEssentials
import Records
import Tasks

/// A domain that has some of the verbs of ``TasksPack``, and compares what these change.
package protocol TasksProfile: RefusingRestoration {
    /// The model of the whole task list.
    var model: TasksPack { get set }
    static var profile: TasksVerb.Profile { get }
    /// What is compared.
    static var sections: [TasksPack.Section] { get }
}

extension TasksProfile {
    /// None but those of every store.
    package static var records: Schema { Schema() }
    package static var changesTasks: Bool { true }

    /// The verbs of the profile, in the order of the table: what a draw leads to depends on it.
    package static func verbs() -> [DomainOperation<Self>] {
        TasksPack.verbs.compactMap { verb in
            verb.use(in: profile).map { use in
                DomainOperation(use.name ?? verb.name, isShort: use.isShort, weight: use.weight) { pack, draw in
                    verb.change(pack.model, &draw).map { change in
                        DomainChange(model: { change.model(&$0.model) }, work: change.work)
                    }
                }
            }
        }
    }

    package var lines: [String] { lines(at: DomainMoment(Instant(secondsSince1970: 0), in: .utc)) }

    package func lines(at moment: DomainMoment) -> [String] {
        Self.sections.flatMap { model.lines(of: $0, at: moment) }
    }

    package static func lines(in transaction: ReadTransaction) throws -> [String] {
        let records = try TaskRecords(transaction, for: sections)
        return try sections.flatMap { try records.lines(of: $0) }
    }

    package static func problems(in transaction: ReadTransaction) throws -> [String] {
        let records = try TaskRecords(transaction, for: sections)
        return try sections.flatMap { try records.problems(of: $0) }
    }

    package func restored(to other: Self) -> Self {
        var restored = other
        restored.model.delivered = model.delivered
        restored.model.lastNumber = model.lastNumber
        return restored
    }

    /// Nothing can come into a bucket that has no room: on no path, also not by undo.
    package func refusal(restoring other: Self) -> String? {
        let isRefused = other.model.plan.keys.contains { slot in
            let count = other.model.open(in: slot)
            return count > model.open(in: slot) && slot.bucket.cap.map { count > $0 } ?? false
        }
        return isRefused ? "bucket-full" : nil
    }
}

/// Everything in one run.
extension TasksPack {
    package var model: TasksPack {
        get { self }
        set { self = newValue }
    }

    package static let profile = TasksVerb.Profile.combined
    package static let sections: [Section] = [.days, .lists, .planner, .recurrence]
    package static let operations = verbs()
    /// A list with a task that is placed and one that waits for it, a task that recurs and one that was left over from yesterday.
    package static let start = ["name", "write", "place", "write.1", "link", "begin", "late", "perish"]
}

/// Days, the Inbox and states.
package struct TaskPack: TasksProfile {
    package var model = TasksPack()

    package init() {}

    /// An empty list whose tasks have higher numbers than those of any other.
    package init(lastNumber: Int) {
        model.lastNumber = lastNumber
    }

    package static let profile = TasksVerb.Profile.days
    package static let sections: [TasksPack.Section] = [.daysWithTimes]
    package static let operations = verbs()
    /// A few tasks of every kind: in the Inbox, today and later, one completed.
    package static let start = ["create", "create.1", "create", "create.1", "schedule", "complete.1"]
}

/// Lists, due times, categories, dependencies and search.
package struct ListPack: TasksProfile {
    package var model = TasksPack()

    package init() {}

    package static let profile = TasksVerb.Profile.lists
    package static let sections: [TasksPack.Section] = [.lists]
    package static let operations = verbs()
    /// Two lists and four tasks: two in the first list, of which one is completed, one in the second, one in none. The last one
    /// waits for the first.
    package static let start = [
        "name", "name.1", "write", "write.5463", "write.1216", "write.2045", "finish.1", "link",
    ]
}

/// Places with caps, rollover and expiry.
package struct PlannerPack: TasksProfile {
    package var model = TasksPack()

    package init() {}

    package static let profile = TasksVerb.Profile.planner
    package static let sections: [TasksPack.Section] = [.planner]
    package static let operations = verbs()
    /// A full bucket, one with room, three tasks of past days that ask for the same place, one that has expired.
    package static let start = ["plan", "plan.4", "late", "late.1", "late.2", "perish", "finish.1"]
}

/// Tags, priorities, hidden tasks and subtasks, with tasks that recur every day.
package struct PeoplePack: TasksProfile {
    package var model = TasksPack()

    package init() {
        model.sortsByID = true
    }

    package static let profile = TasksVerb.Profile.people
    package static let sections: [TasksPack.Section] = [.people]
    package static let operations = verbs()
    /// A task that recurs and has a subtask that has one, and a hidden task with tags.
    package static let start = ["write.1", "write.1", "write.4", "write.30", "label.3"]
}

/// Occurrences of recurring tasks, and reminders.
package struct RecurrencePack: TasksProfile {
    package var model = TasksPack()

    package init() {}

    package static let profile = TasksVerb.Profile.recurrence
    package static let sections: [TasksPack.Section] = [.recurrence]
    package static let operations = verbs()
    /// A daily task of today that has a reminder and a due day, one at the ends of months, one that occurs three times, one
    /// that counts from its completion, and a completed one.
    package static let start = ["begin", "begin.327", "begin.436", "begin.545", "begin.218", "finish.1"]
}
