import CivilTime
import FoundationEssentials
import Records

extension TaskTransaction {
    /// Schedules a task on a day or moves it to the Inbox, at the end unless a place is given.
    ///
    /// - Throws: `TaskError`: `pastDay` for a day in the past, unless the task has it already; those of `reorder`.
    @discardableResult
    public func schedule(_ id: UUID, on when: TaskDay, at place: TaskPlace? = nil) throws -> TaskItem {
        var task = try get(id)
        let day = when.day(today: today)
        if day != task.scheduledDate {
            if let day, day < today { throw TaskError.pastDay(day) }
            try move(&task, to: day)
            try save(&task)
        }
        if let place { return try reorder(id, to: place) }
        return task
    }

    /// Moves a task to another position within its day or the Inbox. Usually writes one record.
    ///
    /// - Throws: `TaskError`: `noSuchTask`, `notInSameDay`, `noSuchIndex`.
    @discardableResult
    public func reorder(_ id: UUID, to place: TaskPlace) throws -> TaskItem {
        var task = try get(id)
        let neighbor: (id: UUID, isBefore: Bool)?
        switch place {
        case .first, .last: neighbor = nil
        case .before(let other): neighbor = (other, false)
        case .after(let other): neighbor = (other, true)
        case .index(let index): neighbor = try self.neighbor(of: task, atIndex: index)
        }
        if neighbor?.id == id { return task }
        let positions = DayPositions(transaction: transaction, day: task.scheduledDate)
        if let neighbor {
            let other = try get(neighbor.id)
            guard other.scheduledDate == task.scheduledDate, other.archivedAt == nil, task.archivedAt == nil else {
                throw TaskError.notInSameDay
            }
            task.position = try freePosition(beside: other, after: neighbor.isBefore, for: id, in: positions)
        } else if case .first = place {
            guard try !positions.neighbors(of: .max, before: true, excluding: id, limit: 1).isEmpty else { return task }
            let first = try positions.first()
            if first + DayPositions.gap == task.position { return task }
            task.position = first
        } else if case .last = place {
            let last = try positions.last()
            if last - DayPositions.gap == task.position { return task }
            task.position = last
        } else {
            return task
        }
        return try save(&task)
    }

    /// Returns the task that `index` places this one beside, within the group of its state.
    private func neighbor(of task: TaskItem, atIndex index: Int) throws -> (id: UUID, isBefore: Bool)? {
        let view = try transaction[TaskItem.byDay].prefix(DayPart(day: task.scheduledDate))
        guard index >= 0, index < view.count else { throw TaskError.noSuchIndex(index) }
        let start = view.firstIndex { $0.state == task.state } ?? 0
        let group = view.filter { $0.state == task.state && $0.id != task.id }
        guard let last = group.last else { return nil }
        let place = min(max(index - start, 0), group.count)
        return place < group.count ? (group[place].id, false) : (last.id, true)
    }

    /// Returns a position between a task and its neighbor on one side; makes room if there is none.
    private func freePosition(
        beside other: TaskItem, after: Bool, for id: UUID, in positions: DayPositions
    ) throws -> Int64 {
        let next = try positions.neighbors(of: other.position, before: !after, excluding: id, limit: 1).first?.position
        guard let next else {
            return after ? other.position + DayPositions.gap : other.position - DayPositions.gap
        }
        let low = min(next, other.position)
        let high = max(next, other.position)
        if high - low > 1 { return low + (high - low) / 2 }
        try spread(around: other.position, excluding: id, in: positions)
        return try freePosition(beside: get(other.id), after: after, for: id, in: positions)
    }

    /// Makes room around a position: spaces the smallest neighborhood evenly whose ends are far enough apart.
    private func spread(around position: Int64, excluding id: UUID, in positions: DayPositions) throws {
        var width = 8
        while true {
            let before = try positions.neighbors(of: position, before: true, excluding: id, limit: width)
            let after = try positions.neighbors(of: position - 1, before: false, excluding: id, limit: width)
            let isWhole = before.count < width && after.count < width
            let tasks = before.reversed() + after
            let count = Int64(tasks.count)
            guard let first = tasks.first, let last = tasks.last else { return }
            // The ends may move outwards only if these are all tasks of the day.
            let start = isWhole ? first.position - DayPositions.gap : first.position
            let step = isWhole ? DayPositions.gap : (last.position - first.position) / max(count - 1, 1)
            if step >= 1 << 16 || isWhole {
                for (offset, entry) in tasks.enumerated() {
                    var task = try get(entry.id)
                    task.position = start + Int64(offset) * step
                    try save(&task)
                }
                return
            }
            width *= 4
        }
    }

    /// Moves a task that an undo has brought back, if another task has taken its position since.
    func separate(_ id: UUID) throws {
        guard let task = try transaction[TaskItem.self].get(id), task.archivedAt == nil else { return }
        let positions = DayPositions(transaction: transaction, day: task.scheduledDate)
        let next = try positions.neighbors(of: task.position - 1, before: false, excluding: id, limit: 1).first
        if let next, next.position == task.position { try reorder(id, to: .before(next.id)) }
    }
}

/// Positions within a day or the Inbox: sparse numbers over all three states' groups (decision D5).
///
/// A new position is half-way between its neighbors, so that a move writes one record. Only when two neighbors have no
/// number left between them, the tasks around them are spaced again.
struct DayPositions {
    /// The gap between tasks that are added one after another. 2^32 leaves room for 32 halvings, and for 2^31 tasks each way.
    static let gap: Int64 = 1 << 32

    let transaction: ReadTransaction
    let day: Day?

    private static let ranks: [UInt8] = TaskState.allCases.map(\.rank)

    /// Returns the position after every task of the day, in three steps.
    func last() throws -> Int64 {
        try edge(last: true).map { $0 + Self.gap } ?? 0
    }

    /// Returns the position before every task of the day, in three steps.
    func first() throws -> Int64 {
        try edge(last: false).map { $0 - Self.gap } ?? 0
    }

    /// Returns the tasks nearest to a position on one side, over all groups, the nearest first. Cost: a step for each.
    func neighbors(
        of position: Int64, before: Bool, excluding id: UUID, limit: Int
    ) throws -> [(position: Int64, id: UUID)] {
        var found: [(position: Int64, id: UUID)] = []
        for rank in Self.ranks {
            var count = 0
            let start = DayKey(day: day, rank: rank, position: .min)
            let reader = transaction[TaskItem.byDay]
            let take = { (key: DayKey, other: UUID) in
                guard key.day == day, key.rank == rank else { return false }
                guard other != id else { return true }
                found.append((key.position, other))
                count += 1
                return count < limit
            }
            if before {
                let place = DayKey(day: day, rank: rank, position: position)
                try reader.forEachKey(from: start, to: place, backwards: true, take)
            } else if position < .max {
                let place = DayKey(day: day, rank: rank, position: position + 1)
                try reader.forEachKey(from: place, take)
            }
        }
        found.sort { before ? $0.position > $1.position : $0.position < $1.position }
        return Array(found.prefix(limit))
    }

    /// Returns the number of tasks of the day before a position. Cost: a step for each.
    func rank(of position: Int64) throws -> Int {
        var count = 0
        for rank in Self.ranks {
            count += try transaction[TaskItem.byDay].count(
                from: DayKey(day: day, rank: rank, position: .min),
                to: DayKey(day: day, rank: rank, position: position))
        }
        return count
    }

    private func edge(last: Bool) throws -> Int64? {
        let groups = Self.ranks.map { DayGroupPart(day: day, rank: $0) }
        let edges = try transaction[TaskItem.byDay].edges(of: groups, last: last).map(\.position)
        return last ? edges.max() : edges.min()
    }
}
