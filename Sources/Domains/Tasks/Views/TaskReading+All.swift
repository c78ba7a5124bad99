import CivilTime
import FoundationEssentials
import Records

extension TaskReading {
    /// Returns the position of a task within its day or the Inbox, from 0 and without gaps.
    ///
    /// - Complexity: a step for each task before it.
    public func sortOrder(of task: TaskItem) throws -> Int {
        guard task.archivedAt == nil else { return 0 }
        return try transaction[TaskItem.order].rank(of: task.position, in: task.group)
    }

    /// Calls a closure with every task and its `sortOrder`: the Inbox, then each day in order, then archived tasks.
    ///
    /// Memory holds one task and the positions of one day.
    ///
    /// - Throws: `RecordsError`, also if the index lacks tasks; what the closure throws.
    public func forEach(_ body: (TaskItem, _ sortOrder: Int) throws -> Void) throws {
        var count = 0
        var start: DayKey?
        while let places = try places(from: start) {
            let orders = TaskItem.sortOrders(of: places.positions)
            var index = 0
            try transaction[TaskItem.byDay].forEach(prefix: places.day) { task in
                try body(task, orders[index])
                index += 1
                return true
            }
            count += index
            start = DayKey(day: places.day?.advanced(by: 1) ?? .first, rank: 0, position: .min)
            if places.day == .last { break }
        }
        try transaction[TaskItem.self].forEach { task in
            if task.archivedAt != nil {
                try body(task, 0)
                count += 1
            }
            return true
        }
        guard try count == transaction[TaskItem.self].count() else {
            throw RecordsError.damagedEntry(table: TaskItem.byDay.tableName, key: "of a task")
        }
    }

    /// Returns the positions of the next day that has tasks, or of the Inbox, in the order of the index; nil at the end.
    private func places(from start: DayKey?) throws -> (day: Day?, positions: [Int64])? {
        var places: (day: Day?, positions: [Int64])?
        try transaction[TaskItem.byDay].forEachKey(from: start) { key, _ in
            if places == nil { places = (key.day, []) }
            guard places?.day == key.day else { return false }
            places?.positions.append(key.position)
            return true
        }
        return places
    }

    /// Returns the archived tasks, the oldest creation first. They are in no view.
    ///
    /// - Complexity: a step and a look-up for each task of the store until the limit is reached: no index has them apart.
    public func archived(limit: Int = .max) throws -> [TaskItem] {
        var tasks: [TaskItem] = []
        guard limit > 0 else { return tasks }
        try transaction[TaskItem.byCreation].forEach(in: .all) { task in
            if task.archivedAt != nil { tasks.append(task) }
            return tasks.count < limit
        }
        return tasks
    }

    /// Returns a page of the archived tasks, from its beginning or after an earlier page, the oldest creation first.
    ///
    /// - Complexity: as for `archived`, from the place of the token on.
    public func archivedPage(after token: PageToken? = nil, limit: Int = 20) throws -> Page<TaskItem> {
        try transaction[TaskItem.byCreation].page(in: .all, after: token, limit: limit) { $0.archivedAt != nil }
    }

    /// Calls a closure with every tombstone, in the order of the ids. Rethrows what the closure throws.
    public func forEachTombstone(_ body: (Tombstone) throws -> Void) throws {
        try transaction[Tombstone.self].forEach { tombstone in
            try body(tombstone)
            return true
        }
    }

    /// Returns the number of tasks, including archived ones.
    public func count() throws -> Int { try transaction[TaskItem.self].count() }

    /// Returns the number of tasks in a state.
    ///
    /// - Complexity: a step for each.
    public func count(in state: TaskState) throws -> Int {
        var count = 0
        try transaction[TaskItem.byState].forEachKey(prefix: state.rank) { _, _ in
            count += 1
            return true
        }
        return count
    }
}

extension TaskItem {
    /// Returns the `sortOrder` of each task of one day or the Inbox, given in any order: the rank of its position over all
    /// groups.
    public static func sortOrders(of container: [TaskItem]) -> [Int] {
        sortOrders(of: container.map(\.position))
    }

    static func sortOrders(of positions: [Int64]) -> [Int] {
        var orders = [Int](repeating: 0, count: positions.count)
        let sorted = positions.indices.sorted { positions[$0] < positions[$1] }
        for (order, index) in sorted.enumerated() { orders[index] = order }
        return orders
    }
}

extension TaskList {
    /// Checks what no single record can show: tombstones of tasks that exist.
    ///
    /// Two tasks with the same position are no problem: devices that place tasks while they are apart give the same numbers. Views
    /// show them in the order of their ids, and the next move between them spaces them.
    ///
    /// - Parameter problem: Called with each problem, in words without any content.
    /// - Complexity: a step and a look-up for each tombstone.
    public func checkInvariants(_ problem: (String) -> Void) throws(TaskError) {
        try view { reading in
            let transaction = reading.transaction
            try transaction[Tombstone.self].forEach { tombstone in
                if try transaction[TaskItem.self].get(tombstone.id) != nil {
                    problem("task \(tombstone.id.lowercased): there and deleted at once")
                }
                return true
            }
        }
    }
}
