import CivilTime
import FoundationEssentials
import Records

extension TaskList {
    /// Looks for what no single record can show: two tasks at one place, and tombstones of tasks that are there. Tells
    /// each problem in words without any content. Cost: a step for every task.
    public func checkInvariants(_ problem: (String) -> Void) throws(TaskError) {
        try rethrowing {
            try store.read { transaction in
                var day: Day??
                var positions: Set<Int64> = []
                try transaction[TaskItem.byDay].forEachKey { key, id in
                    if day != .some(key.day) {
                        day = .some(key.day)
                        positions.removeAll(keepingCapacity: true)
                    }
                    if !positions.insert(key.position).inserted {
                        problem("task \(id.lowercased): another task has the same place")
                    }
                    return true
                }
                try transaction[Tombstone.self].forEach { tombstone in
                    if try transaction[TaskItem.self].get(tombstone.id) != nil {
                        problem("task \(tombstone.id.lowercased): there and deleted at once")
                    }
                    return true
                }
            }
        }
    }
}
