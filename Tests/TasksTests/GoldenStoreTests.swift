import CivilTime
import Foundation
import Records
import TestSupport
import Testing

@testable import Tasks

@Suite struct GoldenStoreTests {
    /// `Tests/Fixtures/Format1/tasks` was written by commit f5a6e7d, the end of the first issue.
    @Test(
        "A task list of the first version opens with its tasks, its tombstone and its statistics [C-NFR15, L-NFR10, L-DM7, C-AD3]"
    )
    func firstVersion() async throws {
        let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/Format1/tasks")
        let folder = TemporaryFolder(on: .memory)
        try FileManager.default.copyItem(atPath: source.path, toPath: "\(folder.path)/store")
        let opened = try TestTasks(at: "2026-02-11T09:02:00Z", folder: folder)
        #expect(try opened.store.verify().problems == [])
        var tasks: [TaskItem] = []
        try opened.tasks.read { reading in try reading.forEach { task, _ in tasks.append(task) } }
        #expect(tasks.map(\.text) == ["first é", "second", "third"])
        #expect(tasks.map(\.state) == [.notStarted, .active, .completed])
        #expect(tasks[0].notes == "notes")
        // Opening has built the index of the times of creation, which that version did not have.
        let all = tasks.map(\.createdAt).min()!..<tasks.map(\.createdAt).max()!.advanced(byMicroseconds: 1)
        #expect(
            try opened.tasks.created(in: all)
                == tasks.sorted { ($0.createdAt, $0.id.uuidString) < ($1.createdAt, $1.id.uuidString) })
        #expect(try opened.tasks.search("first E").records == [tasks[0]])
        #expect(try opened.tasks.search("NOTE").records == [tasks[0]])
        #expect(tasks.map(\.scheduledDate) == [nil, opened.today, opened.today])
        var tombstones = 0
        try opened.tasks.read { reading in try reading.forEachTombstone { _ in tombstones += 1 } }
        #expect(tombstones == 1)
        try await opened.tasks.undo()
        #expect(try opened.dump().count == 4)
    }
}
