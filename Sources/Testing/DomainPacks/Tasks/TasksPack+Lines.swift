import CivilTime
import FoundationEssentials
import Records
import Tasks

/// What a profile compares.
extension TasksPack {
    package enum Section: Sendable {
        case days, daysWithTimes, lists, planner, recurrence, people
    }

    func lines(of section: Section, at moment: DomainMoment) -> [String] {
        switch section {
        case .days, .daysWithTimes: linesOfDays(section, at: moment)
        case .lists: linesOfLists(at: moment)
        case .planner: linesOfPlanner
        case .recurrence: linesOfRecurrence(at: moment)
        case .people: linesOfPeople(at: moment)
        }
    }

    /// A line for each task in the order of the views, and the number of today's completions.
    private func linesOfDays(_ section: Section, at moment: DomainMoment) -> [String] {
        let inOrder = days.keys.sorted { ($0?.daysSince1970 ?? .min) < ($1?.daysSince1970 ?? .min) }
        let completions = completions.count { moment.zone.day(of: $0) == moment.today }
        return inOrder.flatMap(view).compactMap { id in
            tasks[id].map { task in
                section.line(
                    ofDay: id, task.day, task.state, at: task.completedAt, noteLength: task.note?.utf8.count ?? 0)
            }
        } + ["completions \(completions)"]
    }

    private var completions: [Instant] { tasks.values.compactMap(\.completedAt) + completionsOfDeleted }

    // MARK: Lists

    /// What is overdue, the lists, categories, what waits, what is found, and what is archived.
    private func linesOfLists(at moment: DomainMoment) -> [String] {
        let overdue = ids { task in
            guard !task.isCompleted, let due = task.due else { return false }
            return due.end(in: moment.zone) <= moment.now
        }
        var lines = ["overdue: \(Self.names(overdue))"]
        for (list, name) in listOrder.map({ ($0, lists[$0]) }) + [(nil, List(name: "unlisted"))] {
            guard let name else { continue }
            let shown = orders[list] ?? []
            lines.append(
                Section.line(
                    ofList: name.name, isRed: name.isRed, open: shown.count { tasks[$0]?.isCompleted == false },
                    shown.map(text)))
        }
        for category in ["büro", "home"] {
            let all = ids { $0.category.map { $0 < 2 ? "home" : "büro" } == category }
            let open = all.filter { tasks[$0]?.isCompleted == false }
            if !all.isEmpty { lines.append("category \(category): \(Self.names(open)) of \(Self.names(all))") }
        }
        let blocked = ids { task in !task.isCompleted && task.blockers.contains(where: isBlocking) }
        lines.append("blocked: \(Self.names(blocked))")
        for id in Self.inOrder(tasks.keys) {
            let blockers = tasks[id]?.blockers ?? []
            if !blockers.isEmpty { lines.append("\(Self.name(id)) waits for \(Self.names(blockers))") }
        }
        for (text, searched) in Self.searches {
            let found = ids { task in
                Self.finds(searched, in: task.words.map { Self.vocabulary[$0].found } + Self.folded(task.note ?? ""))
            }
            lines.append("\(text): \(Self.names(found))")
        }
        lines += Self.inOrder(all(where: \.isArchived)).map { "archived: \(text(of: $0))" }
        return lines + ["completions: \(completions.count)"]
    }

    private func text(of id: UUID) -> String {
        tasks[id].map { task in
            Section.text(
                task.text, note: task.note, category: task.category.map { Self.categories[$0] }, task.due,
                isCompleted: task.isCompleted)
        } ?? ""
    }

    // MARK: The planner

    /// A line for each task in the order of the plans, the numbers of open tasks, and the number of archived ones.
    private var linesOfPlanner: [String] {
        var lines: [String] = []
        for day in days.keys.compactMap(\.self).sorted() {
            for region in TaskRegion.ordered {
                for bucket in TaskBucket.ordered {
                    let slot = Slot(day: day, region: region, bucket: bucket)
                    // Tasks without a place are in the backlog, in the order of their day.
                    let isRest = region == .backlog && bucket == .none
                    let order = isRest ? view(of: day).filter { tasks[$0]?.slot == nil } : plan[slot] ?? []
                    let found = order.compactMap { id in tasks[id].map { (id: id, task: $0) } }
                    lines += (found.filter(\.task.isSticky) + found.filter { !$0.task.isSticky }).map {
                        Section.line(
                            ofPlan: $0.id, day, region, bucket, $0.task.isCompleted, $0.task.isSticky,
                            $0.task.carryCount)
                    }
                    let open = found.count { !$0.task.isCompleted }
                    if open > 0 { lines.append("\(day) \(region.name) \(bucket.name): \(open)") }
                }
            }
        }
        return lines + ["archived \(tasks.values.count(where: \.isArchived))"]
    }

    // MARK: Recurrence

    private func linesOfRecurrence(at moment: DomainMoment) -> [String] {
        let reminders = tasks.values.filter { !$0.isCompleted && !$0.isArchived }.compactMap(\.reminder?.at)
        let lines = tasks.sorted { $0.key < $1.key }.map { id, task in
            Section.line(
                ofSeries: id, task.text, task.day, task.rule?.phrase, task.dayOfRule, task.series, task.due,
                task.reminder?.at, isCompleted: task.isCompleted)
        }
        return lines + deleted.sorted().map { "deleted \($0.lowercased)" }
            + Section.lines(
                ofReminders: undelivered(at: moment.now), next: reminders.filter { $0 > moment.now }.min())
    }
}

// MARK: Tags and subtasks

extension TasksPack {
    private func linesOfPeople(at moment: DomainMoment) -> [String] {
        let tagCounts = Self.tags.indices.compactMap { tag -> String? in
            let all = tasks.values.filter { $0.tags.contains(tag) }
            return all.isEmpty
                ? nil : Section.line(ofTag: Self.tags[tag], open: all.count { !$0.isCompleted }, all.count)
        }
        let waiting = tasks.compactMap { id, task in
            task.isHidden(on: moment.today) ? task.wait.map { (day: $0, id: id) } : nil
        }
        let inbox = ids { $0.day == nil && !$0.isHidden(on: moment.today) }
        return tasks.sorted { $0.key < $1.key }.map { id, task in
            Section.line(ofPerson: id, task, tags: task.tags.map { Self.tags[$0] }, parts[id] ?? [])
        } + tagCounts.sorted() + deleted.sorted().map { "deleted \($0.lowercased)" }
            + ["completions: \(completions.count)"]
            + Section.lines(ofWaiting: waiting.sorted { ($0.day, $0.id) < ($1.day, $1.id) }.map(\.id), inbox: inbox)
    }
}

// MARK: The words of both sides

extension TasksPack {
    /// The number of a task; the id of a later occurrence.
    static func name(_ id: UUID) -> String {
        let number = TaskAction.number(of: id)
        return TaskAction.id(number) == id ? "\(number)" : id.lowercased
    }

    /// The tasks by their numbers, and then later occurrences.
    static func inOrder(_ ids: some Sequence<UUID>) -> [UUID] {
        ids.map { id in
            let number = TaskAction.number(of: id)
            return (TaskAction.id(number) == id ? number : .max, id)
        }.sorted { $0 < $1 }.map(\.1)
    }

    static func names(_ ids: some Sequence<UUID>) -> String {
        "[\(inOrder(ids).map(name).joined(separator: ", "))]"
    }
}

extension TasksPack.Section {
    func line(ofDay id: UUID, _ day: Day?, _ state: TaskState, at moment: Instant?, noteLength: Int) -> String {
        // Only some stores have a clock that stands still during an operation.
        let completion = self == .daysWithTimes ? moment.map { " at \($0)" } ?? "" : ""
        return "\(day.map(\.description) ?? "inbox"): \(TasksPack.name(id)) \(state.name)\(completion)"
            + (noteLength == 0 ? "" : " note \(noteLength)")
    }

    static func line(ofList name: String, isRed: Bool, open: Int, _ tasks: [String]) -> String {
        "\(name)\(isRed ? " red" : ""): \(open) open: \(tasks.joined(separator: ", "))"
    }

    static func text(_ text: String, note: String?, category: String?, _ due: TaskDue?, isCompleted: Bool) -> String {
        let note = note.map { " note \($0.utf8.count < 100 ? $0 : "of \($0.utf8.count) bytes")" } ?? ""
        return "\(text)\(isCompleted ? " done" : "")\(due.map { " due \($0)" } ?? "")\(note)"
            + (category.map { " in \($0)" } ?? "")
    }

    static func line(
        ofPlan id: UUID, _ day: Day, _ region: TaskRegion, _ bucket: TaskBucket, _ isCompleted: Bool, _ isSticky: Bool,
        _ carryCount: UInt32
    ) -> String {
        "\(day) \(region.name) \(bucket.name): \(TasksPack.name(id))\(isCompleted ? " done" : "")"
            + "\(isSticky ? " sticky" : "") carried \(carryCount)"
    }

    static func line(
        ofSeries id: UUID, _ text: String, _ day: Day?, _ rule: String?, _ dayOfRule: Day?, _ series: UUID?,
        _ due: TaskDue?,
        _ reminder: Instant?, isCompleted: Bool
    ) -> String {
        let dueDay: Day? = if case .day(let day) = due { day } else { nil }
        return "\(id.lowercased) \(text)\(isCompleted ? " done" : "")" + words("on", day) + words("rule", rule)
            + words("of", dayOfRule) + words("from", series?.lowercased) + words("due", dueDay)
            + words("reminder", reminder)
    }

    static func line(ofTag tag: String, open: Int, _ all: Int) -> String { "#\(tag): \(open) of \(all)" }

    static func line(ofPerson id: UUID, _ task: TasksPack.Task, tags: [String], _ parts: [UUID]) -> String {
        "\(id.lowercased) \(task.text)\(task.isCompleted ? " done" : "") \(tags) \(task.priority.name)"
            + words("on", task.day) + words("of", task.dayOfRule) + words("from", task.series?.lowercased)
            + words("hidden until", task.wait) + words("below", task.parent?.lowercased)
            + (parts.isEmpty ? "" : ", parts \(parts.map(\.lowercased))")
    }

    static func lines(ofWaiting waiting: [UUID], inbox: [UUID]) -> [String] {
        ["waiting: \(waiting.map(\.lowercased))", "inbox: \(inbox.sorted().map(\.lowercased))"]
    }

    private static func words<Value>(_ name: String, _ value: Value?) -> String {
        value.map { ", \(name) \($0)" } ?? ""
    }

    static func lines(ofReminders due: [UUID], next: Instant?) -> [String] {
        ["to be delivered: \(due.map(\.lowercased))", "next reminder: \(next.map { "\($0)" } ?? "none")"]
    }
}
