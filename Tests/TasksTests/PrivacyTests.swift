import CivilTime
import Foundation
import Logging
import Records
import Synchronization
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

    @Test("S-43, X-28: a whole scenario, failures included, logs operations and durations, and not a word of a task")
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
        #expect(logged.contains { $0.hasPrefix("daybook.tasks") && $0.contains("create") })
        #expect(logged.contains { $0.contains("duplicate-id") })
        #expect(logged.allSatisfy { !$0.contains(secret) })
        opened.store.close()
        _ = await taskError { try await tasks.create(secret) }
        #expect(lines.all.allSatisfy { !$0.contains(secret) })
    }

    @Test("S-43: what verify says of a damaged or doubtful task holds none of its text")
    func verify() async throws {
        let opened = try TestTasks()
        try await opened.tasks.create(Self.secret)
        let report = try opened.store.verify()
        #expect(report.problems.allSatisfy { !$0.contains(Self.secret) })
    }
}
