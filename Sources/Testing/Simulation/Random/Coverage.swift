import Daybook
import DomainPacks

/// How often random scenarios reached each situation that they exist for. A situation that is never reached proves
/// nothing.
public struct Coverage: Sendable, Equatable {
    /// The counts, by group and by name.
    public private(set) var groups: [String: [String: Int]] = [:]
    /// The number of steps.
    public private(set) var steps = 0
    /// The group of the domain's operations.
    private var domain = "domain"

    /// Creates an empty table with a row for every required situation.
    public init() {
        self.init(ofAll: [])
    }

    /// Creates an empty table for scenarios of some domains, with a row for each of their operations. If one of them has all
    /// tasks of its scenarios, no situation of the task list is required.
    package init(ofAll packs: [any DomainPack.Type]) {
        let isOfDomains = packs.contains { $0.changesTasks }
        for (group, names) in isOfDomains ? Self.requiredOfDomains : Self.required { require(names, in: group) }
        for pack in packs {
            domain = "operations of \(pack)"
            require(pack.operationNames, in: domain)
        }
    }

    /// Creates an empty table with a row for each of some situations, for runs of another kind.
    package init(requiring groups: [String: [String]]) {
        for (group, names) in groups { require(names, in: group) }
    }

    private mutating func require(_ names: [String], in group: String) {
        for name in names { groups[group, default: [:]][name] = 0 }
    }

    /// The required situations that were never reached, as `group: name`.
    public var unreached: [String] {
        groups.sorted { $0.key < $1.key }.flatMap { group, rows in
            rows.filter { $0.value == 0 }.keys.sorted().map { "\(group): \($0)" }
        }
    }

    /// Adds the coverage of another run.
    public mutating func add(_ other: Coverage) {
        steps += other.steps
        for (group, rows) in other.groups {
            for (name, count) in rows { groups[group, default: [:]][name, default: 0] += count }
        }
    }

    /// Adds to one row, when merging a table from another process.
    public mutating func add(_ count: Int, to name: String, in group: String) {
        groups[group, default: [:]][name, default: 0] += count
    }

    /// Adds steps, when merging a table from another process.
    public mutating func add(steps count: Int) {
        steps += count
    }

    private mutating func note(_ name: String, in group: String) {
        groups[group, default: [:]][name, default: 0] += 1
    }

    /// The situations that a campaign must reach in which a domain has all tasks.
    static let requiredOfDomains: [String: [String]] = required.filter { ["time", "machine"].contains($0.key) }
        .merging(["operations": ["undo", "redo", "elsewhere"]]) { $1 }

    /// The situations that a campaign must reach.
    static let required: [String: [String]] = [
        "operations": [
            "create", "create in a view", "start", "complete", "reopen", "cycle", "schedule", "schedule at a place",
            "reorder to an end", "reorder beside", "reorder to an index", "carry", "edit", "remind", "delete", "purge",
            "together", "undo", "redo", "undo notice", "elsewhere",
        ],
        "refusals": [
            "past-day", "no-such-task", "no-such-index", "empty-text", "nothing-to-undo", "nothing-to-redo",
            "undo-expired", "changed-since", "disk-full", "busy",
        ],
        "time": [
            "seconds", "hours", "days", "midnight", "several midnights", "midnight asleep", "midnight while closed",
            "a day of another length", "a date that does not exist", "clock step forward", "clock step backward",
            "clock step to 1970", "clock step back from 1970", "step of both clocks", "travel to another day",
            "travel within the day", "travel asleep", "a leap day", "another month", "another year",
        ],
        "machine": [
            "sleep", "wake", "close", "open", "crash of the process between steps",
            "crash of the process, change present",
            "crash of the process, change absent", "crash of the power between steps",
            "crash of the power, change present", "crash of the power, change absent", "full disk", "busy",
        ],
        "views": TaskView.allCases.flatMap { view in
            ["\(view.rawValue) empty", "\(view.rawValue) with one", "\(view.rawValue) with all three states"]
        },
        "live views": [
            "inserted by an operation", "removed by an operation", "moved by an operation", "updated by an operation",
            "inserted by time", "removed by time",
        ],
        "statistics": ["up", "down", "same", "noData"],
    ]
}

// MARK: What a step reaches

extension Coverage {
    /// Counts a generated step.
    mutating func note(
        _ action: Action, _ event: StoryEvent, before: StepSource.Situation, after: ModelMoment
    ) {
        steps += 1
        if let refusal = event.refusal {
            note(refusal, in: "refusals")
        } else {
            noteAction(action, event)
        }
        if before.isTrimmed { note("changes too old to keep", in: "history") }
        noteTime(action, from: before, to: after)
        noteViews(event)
    }

    private mutating func noteAction(_ action: Action, _ event: StoryEvent) {
        switch action {
        case .create(_, _, let view): note(view == nil ? "create" : "create in a view", in: "operations")
        case .setState(_, let state):
            note(state == .active ? "start" : state == .completed ? "complete" : "reopen", in: "operations")
        case .schedule(_, _, let place): note(place == nil ? "schedule" : "schedule at a place", in: "operations")
        case .reorder(_, .first), .reorder(_, .last): note("reorder to an end", in: "operations")
        case .reorder(_, .index): note("reorder to an index", in: "operations")
        case .reorder: note("reorder beside", in: "operations")
        case .cycle: note("cycle", in: "operations")
        case .carry: note("carry", in: "operations")
        case .edit: note("edit", in: "operations")
        case .remind: note("remind", in: "operations")
        case .delete: note("delete", in: "operations")
        case .purge: note("purge", in: "operations")
        case .together: note("together", in: "operations")
        case .undo: note("undo", in: "operations")
        case .redo: note("redo", in: "operations")
        case .undoNotice: note("undo notice", in: "operations")
        case .elsewhere: note("elsewhere", in: "operations")
        case .crash(let crash, _, _):
            let ending =
                event.outcome.hasSuffix("change absent")
                ? ", change absent" : event.outcome.hasSuffix("change present") ? ", change present" : " between steps"
            note("crash of the \(crash.rawValue)\(ending)", in: "machine")
        case .fault(let fault, _): note(fault.rawValue, in: "machine")
        case .sleep: note("sleep", in: "machine")
        case .wake: note("wake", in: "machine")
        case .close: note("close", in: "machine")
        case .open: note("open", in: "machine")
        case .custom(let operation, _): if event.outcome == "done" { note(operation, in: domain) }
        case .advance, .advanceTo, .jump, .jumpTo, .travel, .expect, .perform: break
        }
    }

    private mutating func noteTime(_ action: Action, from situation: StepSource.Situation, to after: ModelMoment) {
        let before = situation.moment
        switch action {
        case .advance, .advanceTo: noteAdvance(from: situation, to: after)
        case .jump(let duration, let monotonic):
            note(duration < .zero ? "clock step backward" : "clock step forward", in: "time")
            if monotonic { note("step of both clocks", in: "time") }
        case .jumpTo(let moment):
            let isFar = abs(moment.instant(after: after.wall, in: after.zone).microsecondsSince1970) > 1_000
            note(isFar ? "clock step back from 1970" : "clock step to 1970", in: "time")
        case .travel:
            let today = after.zone.day(of: before.wall)
            note(today == before.today ? "travel within the day" : "travel to another day", in: "time")
            if situation.isAsleep { note("travel asleep", in: "time") }
        default: break
        }
    }

    private mutating func noteAdvance(from situation: StepSource.Situation, to after: ModelMoment) {
        let before = situation.moment
        let days = before.today.distance(to: after.today)
        let passed = after.wall.microseconds(since: before.wall)
        note(passed < 3_600_000_000 ? "seconds" : passed < 86_400_000_000 ? "hours" : "days", in: "time")
        guard days > 0 else { return }
        note(
            situation.isAsleep
                ? "midnight asleep"
                : !situation.isOpen ? "midnight while closed" : days > 1 ? "several midnights" : "midnight", in: "time")
        if before.today.monthOfYear != after.today.monthOfYear { note("another month", in: "time") }
        if before.today.year != after.today.year { note("another year", in: "time") }
        for number in 0...min(days, 40) {
            let day = before.today.advanced(by: number)
            let length = after.zone.end(of: day).microseconds(since: after.zone.start(of: day))
            if length == 0 {
                note("a date that does not exist", in: "time")
            } else if length != 86_400_000_000 {
                note("a day of another length", in: "time")
            }
            if day.month == 2, day.day == 29 { note("a leap day", in: "time") }
        }
    }

    private mutating func noteViews(_ event: StoryEvent) {
        for (view, tasks) in zip(TaskView.allCases, event.views) {
            if tasks.isEmpty { note("\(view.rawValue) empty", in: "views") }
            if tasks.count == 1 { note("\(view.rawValue) with one", in: "views") }
            if Set(tasks.map(\.state)).count == 3 { note("\(view.rawValue) with all three states", in: "views") }
        }
        for step in event.viewReports.flatMap(\.steps) {
            let word = step.prefix { $0 != " " }
            let name = "\(word) by \(event.kind == .operation ? "an operation" : "time")"
            if event.kind == .operation || event.kind == .time, groups["live views"]?[name] != nil {
                note(name, in: "live views")
            }
        }
        if let completed = event.completed {
            note(completed.trend.rawValue, in: "statistics")
        }
    }
}
