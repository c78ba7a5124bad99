import Foundation
import TestSupport
import Testing

@Suite struct AllocationCountSupportTests {
    @Test("A program knows whether its allocations can be counted")
    func possible() throws {
        #expect(try AllocatingProcess.run("possible") == ["\(AllocatingProcess.shouldCount)"])
    }
}

/// The counts of a process: calls and bytes.
@Suite(.enabled(if: AllocatingProcess.shouldCount), .timeLimit(.minutes(15)))
struct AllocationCountTests {
    @Test("Each kind of call is counted once, with the requested bytes, including calls within libc")
    func everyCall() throws {
        let bytes = 10 + 3 * 7 + 30 + 100 + 128 + 8 + 4
        #expect(try AllocatingProcess.run("every-call") == ["7 \(bytes)"])
    }

    @Test("The calls of all threads are counted, and none is lost")
    func threads() throws {
        let count = TestBudget.count(200_000, long: 5_000_000)
        #expect(try AllocatingProcess.run("threads", "\(count)") == ["\(4 * count) \(4 * count * 16)"])
    }

    @Test("Equal views allocate equally, each time and in each process")
    func today() throws {
        let counts = try (0..<3).map { _ in
            let folder = NSTemporaryDirectory() + "/allocations-\(UUID().uuidString)"
            defer { try? FileManager.default.removeItem(atPath: folder) }
            return try AllocatingProcess.run("today", folder)
        }
        #expect(counts.map(\.count) == [5, 5, 5])
        #expect(Set(counts.joined()).count == 1)
        // At least the text of each task, which is longer than the 15 bytes that need no memory.
        let calls = try #require(counts[0].first?.split(separator: " ").first.flatMap { Int($0) })
        #expect(calls > 50)
    }

    @Test("A forked child continues while other threads allocate, and counts for itself")
    func fork() throws {
        let count = TestBudget.count(30, long: 100)
        #expect(try AllocatingProcess.run("fork", "\(count)") == [String](repeating: "1", count: count))
    }
}
