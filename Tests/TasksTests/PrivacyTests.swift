import CivilTime
import Foundation
import KeyValue
import Logging
import Records
import Synchronization
import TestSupport
import Testing

@testable import Tasks

/// Every line that is logged in this process, at every level.
private final class LogLines: Sendable {
    static let shared: LogLines = {
        let lines = LogLines()
        LoggingSystem.bootstrap { label in CapturingHandler(label: label, lines: lines) }
        return lines
    }()

    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) {
        lines.withLock { $0.append(line) }
    }
}

private struct CapturingHandler: LogHandler {
    let label: String
    let lines: LogLines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        lines.add("\(label) \(event.level) \(event.message) \(metadata) \(event.metadata ?? [:])")
    }
}

@Suite struct PrivacyTests {
    private static let secret = "MARKED-SECRET"

    @Test(
        "Logs of a scenario with failures have operations and durations, and no text of a task [S-43, X-28, C-AD15, L-NFR14]"
    )
    func logs() async throws {
        let lines = LogLines.shared
        let opened = try TestTasks()
        let secret = Self.secret
        let tasks = opened.tasks
        let task = try await tasks.create("\(secret) text", on: opened.today, notes: "\(secret) notes")
        try await tasks.edit(task.id) { task in
            task.category = "\(secret) category"
            task.extra = "{\"x\":\"\(secret)\"}"
        }
        try await tasks.cycle(task.id)
        try await tasks.complete(task.id)
        try await tasks.schedule(task.id, on: .tomorrow)
        try await tasks.reorder(task.id, to: .first)
        try await tasks.undo()
        try await tasks.redo()
        var errors: [TaskError?] = []
        errors.append(await taskError { try await tasks.create([NewTask("\(secret)", id: task.id)]) })
        errors.append(await taskError { try await tasks.create("\(secret)\0") })
        errors.append(await taskError { try await tasks.edit(task.id) { $0.notes = "\(secret)\0" } })
        errors.append(await taskError { try await tasks.schedule(uuid(1), on: .today) })
        try await tasks.delete(task.id)
        try await tasks.purge(task.id)
        #expect(errors.allSatisfy { $0 != nil })
        #expect(errors.allSatisfy { !"\($0?.description ?? "") \(String(describing: $0))".contains(secret) })
        let logged = lines.all
        for (category, word) in [
            ("daybook.tasks debug", "create"), ("daybook.tasks debug", "duplicate-id"),
            ("daybook.performance debug create", "microseconds"),
        ] {
            #expect(logged.contains { $0.hasPrefix(category) && $0.contains(word) }, "\(category)")
        }
        #expect(logged.allSatisfy { !$0.contains(secret) })
        opened.store.close()
        _ = await taskError { try await tasks.create(secret) }
        #expect(lines.all.allSatisfy { !$0.contains(secret) })
        #expect(lines.all.contains { $0.hasPrefix("daybook.persistence error write failed") })
    }

    @Test("The problems that verify reports of damaged and inconsistent tasks contain none of their text [S-43]")
    func verify() async throws {
        let opened = try TestTasks()
        let secret = Self.secret
        let made = try await opened.tasks.create((0..<3).map { NewTask("\(secret) \($0)", notes: secret) })
        // A completed task without a time, and a tombstone of a task that exists. Two tasks with one position are no problem:
        // devices that were apart give the same numbers.
        try await opened.store.write(ChangeLabel()) { transaction in
            var task = made[0]
            task.position = made[1].position
            task.state = .completed
            try transaction.put(task)
            try transaction.put(Tombstone(of: made[2], deletedAt: task.updatedAt))
        }
        var problems = try opened.store.verify().problems
        #expect(!problems.isEmpty)
        try opened.tasks.checkInvariants { problems.append($0) }
        #expect(problems.count == 2)
        #expect(problems.allSatisfy { !$0.contains(secret) })
        try await flip(made[1].id, in: opened)
        let damage = try opened.store.verify().problems
        #expect(damage.contains { $0.contains("damaged") })
        #expect(damage.allSatisfy { !$0.contains(secret) })
        let error = await taskError { _ = try opened.tasks.inbox() }
        #expect(error.map { !"\($0.description) \(String(describing: $0))".contains(secret) } ?? false)
    }

    /// Flips a bit in the text of a stored task, below all layers.
    private func flip(_ id: UUID, in opened: TestTasks) async throws {
        let environment = opened.store.environment
        let table = try #require(try environment.openPresentTables(["tasks"]).first)
        let key = withUnsafeBytes(of: id.uuid) { Array($0) }
        var value = try #require(try environment.read { try $0.get(key.span.bytes, in: table) { $0.copied } })
        value[9] ^= 0x10
        let damaged = value
        try await environment.write { try $0.put(key.span.bytes, damaged.span.bytes, in: table) }
    }
}
