import CivilTime
import Daybook
import DomainPacks
import Foundation
import Records
import TestSupport
import Testing

@testable import Tasks

@Suite struct PlannerModelTests {
    @Test(
        "Regions, buckets, caps, rollover and expiry agree with a model of the task list after every step [P-OP2, P-OP5, P-OP11]",
        arguments: TestBudget.range(6, quick: 2))
    func lockstep(seed: UInt64) async throws {
        let folder = TemporaryFolder(on: .memory)
        let run = try await PackRun(of: TasksPack.self, at: "\(folder.path)/store", seed: seed)
        defer { run.daybook.close() }
        for step in 0..<300 {
            try await run.step()
            if step % 25 == 0 {
                try run.daybook.tasks.expectPlanned(allowingOverflow: true, "seed \(seed), step \(step)")
                // What other devices' changes are drawn from is what the store has.
                var pack = PlannerPack()
                let stored = try run.daybook.read { transaction in
                    pack.model = try TasksPack(contentOf: transaction, lastNumber: 0)
                    return try PlannerPack.lines(in: transaction)
                }
                #expect(pack.lines == stored, "seed \(seed), step \(step)")
            }
        }
        #expect(try run.daybook.verify().problems == [])
        try run.daybook.tasks.checkInvariants { Issue.record("\($0)") }
        // Each kind of outcome is there, or the test shows nothing.
        for kind in ["assign", "carry", "finish", "rollover", "unarchive", "undo"] {
            #expect(run.counts[kind, default: 0] > 0, "\(kind): \(run.counts)")
        }
        #expect(run.counts.contains { $0.key.hasSuffix(" refused") && $0.key != "stray refused" })
    }

    @Test("A bucket that is overfilled behind the planner's back is found by the comparison")
    func negativeControl() async throws {
        let opened = try TestTasks()
        try await opened.tasks.create([.planned("a", .morning, .must), .planned("b", .morning, .misc)])
        try opened.expectPlanned()
        var task = try #require(try opened.all().last)
        (task.bucket, task.planOrder) = (.must, 9)
        let moved = task
        try await opened.store.write { try $0.put(moved) }
        withKnownIssue { try opened.expectPlanned() }
    }
}
