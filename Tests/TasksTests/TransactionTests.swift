import CivilTime
import Foundation
import KeyValue
import Records
import Synchronization
import TestSupport
import Testing

@testable import Tasks

private struct Refused: Error, Equatable {}

@Suite struct TransactionTests {
    @Test("Several operations in one transaction are all done or none, and undone as one [S-42]")
    func several() async throws {
        let opened = try TestTasks()
        let day = opened.tomorrow
        await #expect(throws: TaskError.self) {
            try await opened.tasks.write { transaction in
                let task = try transaction.create("x")
                try transaction.schedule(task.id, on: .on(day))
                try transaction.setState(uuid(1), to: .completed)
            }
        }
        #expect(try opened.dump().isEmpty)
        try await opened.tasks.write { transaction in
            for text in ["a", "b"] {
                let task = try transaction.create(text)
                try transaction.schedule(task.id, on: .on(day))
                try transaction.setState(task.id, to: .active)
            }
        }
        #expect(try opened.texts(.upcoming) == ["a", "b"])
        try await opened.tasks.undo()
        #expect(try opened.dump().isEmpty)
        try opened.expectSound()
    }

    @Test("An error that a reader's closure throws is rethrown unchanged")
    func ownErrors() async throws {
        let opened = try TestTasks()
        let task = try await opened.tasks.create("x")
        try await opened.tasks.delete(task.id)
        try await opened.tasks.create("y")
        #expect(throws: Refused()) { try opened.tasks.read { try $0.forEach { _, _ in throw Refused() } } }
        #expect(throws: Refused()) { try opened.tasks.read { try $0.forEachTombstone { _ in throw Refused() } } }
    }

    @Test("Sixteen writers at once lose nothing and repeat nothing [C-S1.10, S-14]")
    func concurrent() async throws {
        let opened = try TestTasks()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<16 {
                group.addTask {
                    for number in 0..<25 {
                        let task = try await opened.tasks.create("\(writer) \(number)")
                        if number % 5 == 0 { try await opened.tasks.complete(task.id) }
                        if number % 7 == 0 { try await opened.tasks.reorder(task.id, to: .first) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try opened.tasks.inbox().count == 400)
        #expect(try opened.tasks.read { try $0.count(in: .completed) } == 80)
        #expect(Set(try opened.tasks.inbox().map(\.text)).count == 400)
        try opened.expectSound()
    }

    @Test("Every error has its own code, a class, and one line of guidance [S-40]")
    func errors() {
        let errors: [TaskError] = [
            .store(.engine(.closed)), .noSuchTask(id: "i"), .ambiguous(prefix: "p", candidates: ["c"]), .notAnID("t"),
            .emptyText, .unusableText, .duplicate(id: "i"), .pastDay(.first), .notInSameDay, .notInSameBucket,
            .bucketFull(.must), .noSuchIndex(1),
            .undoExpired, .nothingToUndo, .nothingToRedo, .changedSince, .cancelled,
        ]
        #expect(Set(errors.map(\.code)).count == errors.count)
        for error in errors {
            #expect(!error.description.isEmpty)
            #expect(!error.description.contains("\n"))
        }
        #expect(TaskError.store(.engine(.storeGrew)).kind == .transient)
        #expect(TaskError.emptyText.kind == .recoverable)
        #expect(TaskError.store(.engine(.storageFull(detail: ""))).kind == .permanent)
        #expect(TaskError.store(.engine(.storageFull(detail: "the disk"))).code == "disk-full")
        #expect(TaskError.store(.engine(.busy(operation: "commit", code: 11))).kind == .transient)
        #expect(TaskError.store(.damagedEntry(table: "t", key: "00")).code == "damaged-entry")
    }

    @Test("A store that stays busy is reported after three retries, and nothing is written [S-40, S-41]")
    func busy() async throws {
        let opened = try TestTasks()
        let busy = KeyValueError.busy(operation: "commit", code: 11)
        let tries = Mutex(0)
        let written = Task { () async -> TaskError? in
            do {
                try await opened.tasks.write(.create) { transaction in
                    tries.withLock { $0 += 1 }
                    _ = try transaction.create("x")
                    throw RecordsError.engine(busy)
                }
                return nil
            } catch {
                return error as? TaskError
            }
        }
        for wait in [500_000, 1_000_000, 1_500_000] as [Int64] {
            while opened.clock.sleeperCount == 0 { await Task.yield() }
            opened.clock.advance(byMicroseconds: wait)
        }
        #expect(await written.value == .store(.engine(busy)))
        #expect(tries.withLock { $0 } == 4)
        #expect(try opened.dump().isEmpty)
        #expect(opened.clock.monotonic.microseconds == 3_000_000)
    }

    @Test("A write that is cancelled while it waits for a retry throws `cancelled` [S-41]")
    func cancelledBetweenTries() async throws {
        let opened = try TestTasks()
        let written = Task { () async -> TaskError? in
            do {
                try await opened.tasks.write(.create) { _ in
                    throw RecordsError.engine(.busy(operation: "commit", code: 11))
                }
                return nil
            } catch {
                return error as? TaskError
            }
        }
        while opened.clock.sleeperCount == 0 { await Task.yield() }
        written.cancel()
        #expect(await written.value == .cancelled)
    }
}
