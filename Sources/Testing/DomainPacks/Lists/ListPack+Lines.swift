import CivilTime
import FoundationEssentials
import Records
import Tasks

/// What is compared: the lists, what is overdue, categories, what waits, and what is found.
extension ListPack {
    package var lines: [String] {
        var lines = listOrder.map { number in
            let list = lists[number, default: List(name: "")]
            return Self.line("\(list.name)\(list.isRed ? " red" : "")", open: open(in: number), shown(in: number))
        }
        lines.append(Self.line("unlisted", open: open(in: nil), shown(in: nil)))
        for spelling in ["Büro", "home"] {
            let numbers = numbers { $0.category.map { Self.folded($0) } == spelling.lowercased() }
            guard !numbers.isEmpty else { continue }
            let open = numbers.filter { tasks[$0]?.isCompleted == false }
            lines.append("category \(spelling.lowercased()): \(open) of \(numbers)")
        }
        let blocked = numbers { task in !task.isCompleted && task.blockers.contains(where: isBlocking) }
        lines.append("blocked: \(blocked)")
        for number in tasks.keys.sorted() {
            let blockers = tasks[number]?.blockers.sorted() ?? []
            if !blockers.isEmpty { lines.append("\(number) waits for \(blockers)") }
        }
        for (text, searched) in Self.searches {
            let found = tasks.keys.sorted().filter { number in
                guard let task = tasks[number], !task.isArchived else { return false }
                let words = (task.words + [task.note].compactMap(\.self)).map { Self.vocabulary[$0].1 }
                return Self.finds(searched, in: words)
            }
            lines.append("\(text): \(found)")
        }
        lines += tasks.filter(\.value.isArchived).keys.sorted().map { "archived: \(text(of: $0))" }
        return lines + ["completions: \(tasks.values.count(where: \.isCompleted) + completionsOfDeleted)"]
    }

    package func lines(at moment: DomainMoment) -> [String] {
        let overdue = numbers { task in
            guard !task.isCompleted, let due = task.due else { return false }
            return due.end(in: moment.zone) <= moment.now
        }
        return ["overdue: \(overdue)"] + lines
    }

    /// Both spellings of a category are one.
    private static func folded(_ category: Int) -> String { category < 2 ? "home" : "büro" }

    private func open(in list: Int?) -> Int { (orders[list] ?? []).count { tasks[$0]?.isCompleted == false } }

    private func shown(in list: Int?) -> [String] {
        (orders[list] ?? []).map(text)
    }

    private func text(of number: Int) -> String {
        guard let task = tasks[number] else { return "" }
        return Self.text(
            Self.text(task.words, number), note: task.note.map { Self.vocabulary[$0].0 },
            category: task.category.map { Self.categories[$0] }, task.due, isCompleted: task.isCompleted)
    }

    private static func line(_ name: String, open: Int, _ tasks: [String]) -> String {
        "\(name): \(open) open: \(tasks.joined(separator: ", "))"
    }

    private static func text(
        _ text: String, note: String?, category: String?, _ due: TaskDue?, isCompleted: Bool
    ) -> String {
        "\(text)\(isCompleted ? " done" : "")\(due.map { " due \($0)" } ?? "")" + (note.map { " note \($0)" } ?? "")
            + (category.map { " in \($0)" } ?? "")
    }

    private static func text(of task: TaskItem, in zone: Zone) -> String {
        text(
            task.text, note: task.notes, category: task.category, task.due(in: zone), isCompleted: task.isCompleted)
    }

    // MARK: The store

    package static func lines(in transaction: ReadTransaction) throws -> [String] {
        let reading = transaction.tasks
        let zone = transaction.context.zone
        func shown(in list: UUID?) throws -> [String] {
            try reading.tasks(inList: list).map { text(of: $0, in: zone) }
        }
        let overdue = try reading.overdue()
        guard try pages({ try reading.overduePage(after: $0, limit: 3) }) == overdue else { throw LookUpsDisagree() }
        var lines = ["overdue: \(numbers(overdue))"]
        let overview = try reading.lists()
        for summary in overview.lists {
            let list = summary.list
            guard try reading.findList(list.name) == list else { throw LookUpsDisagree() }
            let color = list.color == CustomList.defaultColor ? "" : " red"
            lines.append(line(list.name + color, open: summary.open, try shown(in: list.id)))
        }
        lines.append(line("unlisted", open: overview.unlisted, try shown(in: nil)))
        for category in try reading.categories() {
            let all = try pages { try reading.tasks(inCategory: category.name, after: $0, limit: 3) }
            let open = try pages {
                try reading.tasks(inCategory: category.name, openOnly: true, after: $0, limit: 3)
            }
            guard all.count == category.all, open.count == category.open else { throw LookUpsDisagree() }
            let name = category.name.lowercased() == "home" ? "home" : "büro"
            lines.append("category \(name): \(numbers(open)) of \(numbers(all))")
        }
        lines.append("blocked: \(numbers(try reading.blockedTasks()))")
        var all: [TaskItem] = []
        try reading.forEach { task, _ in all.append(task) }
        all.sort { number(of: $0.id) < number(of: $1.id) }
        for task in all {
            let blockers = numbers(try reading.blockers(of: task.id))
            if !blockers.isEmpty { lines.append("\(number(of: task.id)) waits for \(blockers)") }
        }
        for (text, searched) in searches {
            let found = try pages { try reading.search(text, after: $0, limit: 3) }
            try checkOrder(of: found, searched)
            lines.append("\(text): \(numbers(found))")
        }
        lines += all.filter { $0.archivedAt != nil }.map { "archived: \(text(of: $0, in: zone))" }
        return lines + ["completions: \(try completions(in: reading))"]
    }

    private static func numbers(_ tasks: [TaskItem]) -> [Int] { tasks.map { number(of: $0.id) }.sorted() }

    /// All pages of a query, one after the other.
    private static func pages(_ page: (PageToken?) throws -> Page<TaskItem>) throws -> [TaskItem] {
        var found: [TaskItem] = []
        var token: PageToken?
        while true {
            let next = try page(token)
            found += next.records
            guard let following = next.next else { return found }
            token = following
        }
    }

    /// Whole words come before beginnings of words, and within both kinds the newest first.
    private static func checkOrder(of found: [TaskItem], _ searched: [String]) throws {
        guard searched.allSatisfy({ $0.utf8.allSatisfy { $0 < 0x80 } }) else { return }
        let ranks = found.map { task in
            let words = folded(task.text) + folded(task.notes ?? "")
            return (searched.allSatisfy(words.contains) ? 0 : 1, -task.createdAt.microsecondsSince1970)
        }
        guard zip(ranks, ranks.dropFirst()).allSatisfy({ $0 <= $1 }) else { throw LookUpsDisagree() }
    }

    /// The completions of all months that have any, also of deleted tasks.
    private static func completions(in reading: TaskReading) throws -> Int {
        var instants: [Instant] = []
        try reading.forEach { task, _ in instants += [task.completedAt].compactMap(\.self) }
        try reading.forEachTombstone { instants += [$0.completedAt].compactMap(\.self) }
        let months = Set(instants.map { Zone.utc.day(of: $0).monthOfYear })
        // A month of the zone may begin in the month before or after.
        let all = months.union(months.compactMap(\.previous)).union(months.compactMap(\.next))
        return try all.reduce(0) { try $0 + reading.statistics(of: $1).days.reduce(0) { $0 + $1.completed } }
    }

    /// Two ways to the same tasks differ.
    struct LookUpsDisagree: Error, CustomStringConvertible {
        var description: String { "Two ways to look up the same tasks or lists differ." }
    }

    /// Two tasks at one position of a list: no operation of the pack leads to it.
    package static func problems(in transaction: ReadTransaction) throws -> [String] {
        let reading = transaction.tasks
        let lists = try reading.lists().lists.map(\.list.id) + [nil]
        let isBroken = try lists.contains { list in
            let positions = try reading.tasks(inList: list).map(\.listOrder)
            return Set(positions).count < positions.count
        }
        return isBroken ? ["two tasks of a list have one position"] : []
    }
}
