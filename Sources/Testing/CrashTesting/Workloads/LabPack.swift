import CivilTime
import Daybook
import DomainPacks
import Records

/// A domain that the lab runs workloads of.
enum LabPack: String, CaseIterable, Sendable {
    case tasks
    /// Every kind of declaration that tasks do not have.
    case garden
    /// Places with caps, rollover and expiry.
    case planner
    /// Lists with their tasks, categories, dependencies and search.
    case lists
    /// Occurrences of recurring tasks, and reminders.
    case recurrence
    /// Tags, priorities, hidden tasks and subtasks, also of recurring tasks.
    case people
    /// A second domain, with drafts that are not tracked.
    case journals

    var type: any DomainPack.Type {
        switch self {
        case .tasks: TaskPack.self
        case .garden: GardenPack.self
        case .planner: PlannerPack.self
        case .lists: ListPack.self
        case .recurrence: RecurrencePack.self
        case .people: PeoplePack.self
        case .journals: JournalPack.self
        }
    }

    /// The collections of a store: those of every store, and the domain's.
    var schema: Schema { DaybookStore.schema.adding(type.records) }

    /// The steps from an empty store to the base of its workloads.
    var start: [LabStep] { type.start.compactMap { LabStep($0, of: type) } }
}

extension LabOperation {
    static let create = Self(rawValue: "create")
    static let complete = Self(rawValue: "complete")
    static let reorder = Self(rawValue: "reorder")
    static let schedule = Self(rawValue: "schedule")
    static let delete = Self(rawValue: "delete")
    static let importing = Self(rawValue: "importing")
    static let reopen = Self(rawValue: "reopen")
    static let large = Self(rawValue: "large")
    static let bulk = Self(rawValue: "bulk")
}

/// Those of a garden that workloads name.
extension LabOperation {
    static let plant = Self(rawValue: "plant")
    static let dig = Self(rawValue: "dig")
    static let change = Self(rawValue: "change")
    static let clear = Self(rawValue: "clear")
    static let note = Self(rawValue: "note")
    static let sow = Self(rawValue: "sow")
}

/// Those of the planner that workloads name.
extension LabOperation {
    static let plan = Self(rawValue: "plan")
    static let place = Self(rawValue: "place")
    static let late = Self(rawValue: "late")
    static let rollover = Self(rawValue: "rollover")
    static let expire = Self(rawValue: "expire")
    static let again = Self(rawValue: "again")
    static let perish = Self(rawValue: "perish")
}

/// Those of lists and of recurring tasks that workloads name.
extension LabOperation {
    static let write = Self(rawValue: "write")
    static let edit = Self(rawValue: "edit")
    static let drop = Self(rawValue: "drop")
    static let link = Self(rawValue: "link")
    static let begin = Self(rawValue: "begin")
    static let finish = Self(rawValue: "finish")
    static let skip = Self(rawValue: "skip")
    static let shift = Self(rawValue: "shift")
    static let deliver = Self(rawValue: "deliver")
}

/// Those of tags, hidden tasks and subtasks that workloads name, beside `write` and `finish`.
extension LabOperation {
    static let label = Self(rawValue: "label")
    static let nest = Self(rawValue: "nest")
    static let remove = Self(rawValue: "remove")
}

/// Those of journals that workloads name, beside `write`.
extension LabOperation {
    static let hide = Self(rawValue: "hide")
    static let draft = Self(rawValue: "draft")
}
