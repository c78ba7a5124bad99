import CivilTime
import Foundation
import Records
import Synchronization
import Testing

@testable import Tasks

extension NewTask {
    static func planned(
        _ text: String, _ region: TaskRegion?, _ bucket: TaskBucket?, on day: Day? = nil, autoCarry: Bool = false,
        id: UUID? = nil
    ) -> NewTask {
        var new = NewTask(text, on: day, id: id)
        (new.region, new.bucket, new.autoCarry) = (region, bucket, autoCarry)
        return new
    }
}

extension TestTasks {
    /// Every task, archived ones included.
    func all() throws -> [TaskItem] { try tasks.all() }

    func expectPlanned(
        allowingOverflow: Bool = false, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try tasks.expectPlanned(allowingOverflow: allowingOverflow, comment, sourceLocation: sourceLocation)
    }
}

extension TaskList {
    func all() throws -> [TaskItem] {
        var all: [TaskItem] = []
        try read { try $0.forEach { task, _ in all.append(task) } }
        return all
    }

    /// Compares the plans and the counts of every day with all tasks, one by one, and checks that positions are unique.
    func expectPlanned(
        allowingOverflow: Bool = false, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let all = try all().filter { $0.archivedAt == nil }
        for (day, tasks) in Dictionary(grouping: all, by: \.scheduledDate) {
            guard let day else { continue }
            let plan = try plan(on: day)
            let counts = try planCounts(on: day)
            #expect(plan.regions.map(\.region) == [.morning, .afternoon, .evening, .backlog])
            for region in plan.regions {
                #expect(region.buckets.map(\.bucket) == [.must, .complementary, .misc, .none])
                let inRegion = tasks.filter { $0.region == region.region }
                try #require(region.open == inRegion.count { !$0.isCompleted }, comment, sourceLocation: sourceLocation)
                try #require(counts.open(in: region.region) == region.open, comment, sourceLocation: sourceLocation)
                for bucket in region.buckets {
                    let expected = inRegion.filter { $0.bucket == bucket.bucket }
                    try #require(
                        Set(bucket.tasks.map(\.id)) == Set(expected.map(\.id)), comment, sourceLocation: sourceLocation)
                    try #require(bucket.tasks.count == expected.count, comment, sourceLocation: sourceLocation)
                    let used = expected.count { !$0.isCompleted }
                    try #require(bucket.used == used, comment, sourceLocation: sourceLocation)
                    let counted = counts.used(in: region.region, bucket.bucket)
                    try #require(counted == used, comment, sourceLocation: sourceLocation)
                    if let cap = bucket.cap, !allowingOverflow {
                        try #require(used <= cap, comment, sourceLocation: sourceLocation)
                    }
                    // Sticky tasks first, then by position.
                    let sticky = bucket.tasks.map { $0.isSticky ? 0 : 1 }
                    try #require(sticky == sticky.sorted(), comment, sourceLocation: sourceLocation)
                    guard bucket.bucket != .none || region.region != .backlog else { continue }
                    for isSticky in [true, false] {
                        let positions = bucket.tasks.filter { $0.isSticky == isSticky }.map(\.planOrder)
                        try #require(positions == positions.sorted(), comment, sourceLocation: sourceLocation)
                    }
                    try #require(
                        Set(bucket.tasks.map(\.planOrder)).count == bucket.tasks.count, comment,
                        sourceLocation: sourceLocation)
                }
            }
        }
    }
}

/// Blocks a thread until it is released.
final class Held: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let waiting = Mutex(false)

    /// Whether a thread waits, or has waited.
    var hasWaited: Bool { waiting.withLock { $0 } }

    func wait() {
        waiting.withLock { $0 = true }
        semaphore.wait()
    }
    func release() { semaphore.signal() }
}
