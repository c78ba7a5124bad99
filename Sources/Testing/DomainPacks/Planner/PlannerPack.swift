import CivilTime
import FoundationEssentials
import Records
import Tasks

/// The planner as a domain of the testing tools: places with caps, rollover, expiry. Tasks have numbers from 1, and ids that
/// follow from them. All of them have places.
package struct PlannerPack: DomainPack {
    package struct Slot: Hashable, Sendable {
        var day: Day
        var region: TaskRegion
        var bucket: TaskBucket
    }

    package struct Task: Equatable, Sendable {
        var slot: Slot
        var isCompleted = false
        var isArchived = false
        var isSticky = false
        var autoCarry = false
        var expiresAt: Instant?
        var carryCount: UInt32 = 0
    }

    package var tasks: [Int: Task] = [:]
    /// The order of each bucket, sticky or not.
    package var orders: [Slot: [Int]] = [:]
    /// The highest number given.
    package var lastNumber = 0

    package init() {}

    /// None but those of every store.
    package static let records = Schema()
    package static let changesTasks = true

    /// A full bucket, one with room, three tasks of past days that ask for the same place, one that has expired.
    package static let start = ["plan", "plan.4", "late", "late.1", "late.2", "perish", "finish.1"]

    static let regions: [TaskRegion] = [.morning, .evening]
    static let buckets: [TaskBucket] = [.must, .misc, .none]

    package func restored(to other: Self) -> Self {
        var restored = other
        restored.lastNumber = lastNumber
        return restored
    }
}

// MARK: The model

extension PlannerPack {
    func hasRoom(in slot: Slot) -> Bool {
        let used = (orders[slot] ?? []).count { tasks[$0]?.isCompleted == false }
        return slot.bucket.cap.map { used < $0 } ?? true
    }

    mutating func insert(_ number: Int, _ task: Task) {
        lastNumber = max(lastNumber, number)
        tasks[number] = task
        orders[task.slot, default: []].append(number)
    }

    mutating func move(_ number: Int, to slot: Slot) {
        guard let task = tasks[number], task.slot != slot else { return }
        leave(number)
        tasks[number]?.slot = slot
        orders[slot, default: []].append(number)
    }

    mutating func leave(_ number: Int) {
        guard let slot = tasks[number]?.slot else { return }
        orders[slot]?.removeAll { $0 == number }
        if orders[slot] == [] { orders[slot] = nil }
    }

    func numbers(where fits: (Task) -> Bool) -> [Int] { tasks.filter { fits($0.value) }.keys.sorted() }

    /// The tasks that a rollover carries, in the order of their plans.
    func due(before today: Day) -> [Int] {
        numbers { $0.autoCarry && !$0.isCompleted && !$0.isArchived && $0.slot.day < today }
            .map { ($0, rank($0)) }.sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
    }

    private func rank(_ number: Int) -> [Int] {
        guard let task = tasks[number] else { return [] }
        return [
            Int(task.slot.day.daysSince1970), TaskRegion.ordered.firstIndex(of: task.slot.region) ?? 0,
            task.isSticky ? 0 : 1, TaskBucket.ordered.firstIndex(of: task.slot.bucket) ?? 0,
            orders[task.slot]?.firstIndex(of: number) ?? 0,
        ]
    }

    mutating func rollOver(to today: Day) {
        for number in due(before: today) {
            guard var slot = tasks[number]?.slot else { continue }
            slot.day = today
            if !hasRoom(in: slot) { slot.bucket = .none }
            move(number, to: slot)
            tasks[number]?.carryCount += 1
        }
    }
}

/// Nothing can come into a bucket that has no room: on no path, also not by undo.
extension PlannerPack: RefusingRestoration {
    package func refusal(restoring other: Self) -> String? {
        let isRefused = other.orders.keys.contains { slot in
            let count = other.open(in: slot)
            return count > open(in: slot) && slot.bucket.cap.map { count > $0 } ?? false
        }
        return isRefused ? "bucket-full" : nil
    }

    private func open(in slot: Slot) -> Int { (orders[slot] ?? []).count { tasks[$0]?.isCompleted == false } }
}

// MARK: What is compared

extension PlannerPack {
    /// A line for each task in the order of the plans, the numbers of open tasks, and the number of archived ones.
    package var lines: [String] {
        var lines: [String] = []
        for day in Set(orders.keys.map(\.day)).sorted() {
            for region in TaskRegion.ordered {
                for bucket in TaskBucket.ordered {
                    let order = orders[Slot(day: day, region: region, bucket: bucket)] ?? []
                    let shown =
                        order.filter { tasks[$0]?.isSticky == true } + order.filter { tasks[$0]?.isSticky == false }
                    let found = shown.compactMap { number in tasks[number].map { (number, $0) } }
                    lines += found.map {
                        Self.line($0, day, region, bucket, $1.isCompleted, $1.isSticky, $1.carryCount)
                    }
                    let open = found.count { !$0.1.isCompleted }
                    if open > 0 { lines.append("\(day) \(region.name) \(bucket.name): \(open)") }
                }
            }
        }
        return lines + ["archived \(numbers(where: \.isArchived).count)"]
    }

    package static func lines(in transaction: ReadTransaction) throws -> [String] {
        let reading = transaction.tasks
        var lines: [String] = []
        for day in try days(in: reading) {
            let counts = try reading.planCounts(on: day)
            for region in try reading.plan(on: day).regions {
                for bucket in region.buckets {
                    lines += bucket.tasks.map {
                        line(
                            TaskAction.number(of: $0.id), day, region.region, bucket.bucket, $0.isCompleted,
                            $0.isSticky,
                            $0.carryCount)
                    }
                    // From the tally, not from the tasks.
                    let open = counts.used(in: region.region, bucket.bucket)
                    if open > 0 { lines.append("\(day) \(region.region.name) \(bucket.bucket.name): \(open)") }
                }
            }
        }
        var archived = 0
        try reading.forEach { task, _ in archived += task.archivedAt == nil ? 0 : 1 }
        return lines + ["archived \(archived)"]
    }

    /// The days that have a task.
    private static func days(in reading: TaskReading) throws -> [Day] {
        var days: Set<Day> = []
        try reading.forEach { task, _ in
            if task.archivedAt == nil, let day = task.scheduledDate { days.insert(day) }
        }
        return days.sorted()
    }

    private static func line(
        _ number: Int, _ day: Day, _ region: TaskRegion, _ bucket: TaskBucket, _ isCompleted: Bool, _ isSticky: Bool,
        _ carryCount: UInt32
    ) -> String {
        let marks = (isCompleted ? " done" : "") + (isSticky ? " sticky" : "") + " carried \(carryCount)"
        return "\(day) \(region.name) \(bucket.name): \(number)\(marks)"
    }

    /// Two tasks at one position of a bucket: no operation of the pack leads to it.
    package static func problems(in transaction: ReadTransaction) throws -> [String] {
        var problems: [String] = []
        for day in try days(in: transaction.tasks) {
            for bucket in try transaction.tasks.plan(on: day).regions.flatMap(\.buckets) {
                if Set(bucket.tasks.map(\.planOrder)).count < bucket.tasks.count {
                    problems.append("two tasks of a bucket have one position")
                }
                // Files may overfill a bucket, as the tasks do that may be carried and were not.
                let placed = bucket.tasks.count { !$0.isCompleted && !($0.autoCarry && $0.carryCount == 0) }
                if let cap = bucket.cap, placed > cap { problems.append("a bucket is overfull") }
            }
        }
        return problems
    }
}
