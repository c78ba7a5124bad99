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

    @Test("A scenario with failures logs operations and durations, and no content of a task [S-43, X-28]")
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

    @Test("Reports and errors about damaged or invalid tasks contain none of their text [S-43]")
    func damage() async throws {
        let opened = try TestTasks()
        let secret = Self.secret
        let damaged = try await opened.tasks.create(secret, on: opened.today)
        let blank = {
            var task = TaskItem(id: uuid(7), text: "  ", createdAt: opened.context.clock.wall)
            task.notes = secret
            return task
        }()
        try await opened.store.write { try $0.put(blank) }
        opened.store.close()
        // The last letter of each copy of the text: of the record, and of the images in the change log.
        let file = URL(fileURLWithPath: "\(opened.folder.path)/store/data.mdb")
        var bytes = Array(try Data(contentsOf: file))
        let pattern = Array(secret.utf8)
        var found = 0
        for start in bytes.indices.dropLast(pattern.count) where bytes[start...].starts(with: pattern) {
            // The notes of the blank task stay readable, so that its rule is checked.
            let isNotes = start >= 2 && bytes[start - 2] == 5 && bytes[start - 3] == 10
            if isNotes { continue }
            bytes[start + pattern.count - 1] ^= 1
            found += 1
        }
        #expect(found > 0)
        try Data(bytes).write(to: file)
        let again = try opened.reopened()
        let report = try again.store.verify()
        #expect(report.problems.contains { $0.contains("damaged") })
        #expect(report.problems.contains { $0.contains("blank") })
        let error = await taskError { _ = try again.tasks.get(damaged.id) }
        #expect(error != nil)
        let rebuilt = try await again.store.rebuild()
        #expect(!rebuilt.quarantinedRecords.isEmpty)
        let texts = report.problems + rebuilt.quarantinedRecords + ["\(error.map(String.init(describing:)) ?? "")"]
        let visible = secret.dropLast()
        #expect(texts.allSatisfy { !$0.contains(visible) })
        #expect(LogLines.shared.all.allSatisfy { !$0.contains(visible) })
    }
}
