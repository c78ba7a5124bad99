import CivilTime
import FoundationEssentials
import Records

/// Places within a day or the Inbox: sparse numbers over all three states' groups (decision D5).
///
/// A new place is half-way between its neighbours, so moving a task writes one record. Only when two neighbours have no
/// number left between them are the tasks around them spread out again.
struct DayPositions {
    /// Between tasks that are added one after another. 2^32 leaves room for 32 halvings, and for 2^31 tasks each way.
    static let gap: Int64 = 1 << 32

    let transaction: ReadTransaction
    let day: Day?

    private static let ranks: [UInt8] = TaskState.allCases.map(\.rank)

    /// The place after every task of the day. Cost: three steps.
    func last() throws -> Int64 {
        try edge(last: true).map { $0 + Self.gap } ?? 0
    }

    /// The place before every task of the day. Cost: three steps.
    func first() throws -> Int64 {
        try edge(last: false).map { $0 - Self.gap } ?? 0
    }

    /// The tasks nearest to a place, on one side of it, over all groups, nearest first. Cost: a step for each.
    func neighbours(
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

    /// How many tasks of the day come before a place: the place as a number without gaps. Cost: a step for each.
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
