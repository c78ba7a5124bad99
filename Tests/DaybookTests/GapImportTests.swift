import Daybook
import Foundation
import Testing

/// Imports of files without ids, without times of change, or with only some of the fields.
@Suite struct GapImportTests {
    private static let id = "019c4722-f0a0-7000-8000-000000000001"

    private static let header = #"{"format":"daybook","version":1}"# + "\n"

    /// A task of every format, without an id and without a time.
    private static let withoutID: [(TaskFormat, String)] = [
        (.json, #"[{"text":"x"}]"#),
        (.ndjson, header + #"{"collection":"tasks","text":"x"}"#),
        (.taskwarrior, #"[{"description":"x"}]"#), (.todotxt, "x\n"), (.markdown, "- [ ] x\n"),
        (.csv, "text,notes\nx,\n"), (.ics, "BEGIN:VTODO\r\nSUMMARY:x\r\nEND:VTODO\r\n"),
    ]

    /// The same with an id.
    private static let withID: [(TaskFormat, String)] = [
        (.json, #"[{"id":"\#(id)","text":"x"}]"#),
        (.ndjson, header + #"{"collection":"tasks","id":"\#(id)","text":"x"}"#),
        (.taskwarrior, #"[{"uuid":"\#(id)","description":"x"}]"#), (.csv, "id,text\n\(id),x\n"),
        (.todotxt, "buy id:\(id)\n"), (.markdown, "- [ ] x 🆔 \(id)\n"),
        (.ics, "BEGIN:VTODO\r\nUID:\(id)\r\nSUMMARY:x\r\nEND:VTODO\r\n"),
    ]

    /// The same, completed or archived without a time.
    private static let completed: [(TaskFormat, String)] = [
        (.json, #"[{"id":"\#(id)","text":"x","state":"completed"}]"#),
        (.csv, "id,text,state,createdAt\n\(id),x,completed,2026-01-02T00:00:00Z\n"), (.todotxt, "x buy id:\(id)\n"),
        (.markdown, "- [x] x 🆔 \(id) ➕ 2026-01-02\n"),
        (.ics, "BEGIN:VTODO\r\nUID:\(id)\r\nSUMMARY:x\r\nSTATUS:COMPLETED\r\nEND:VTODO\r\n"),
    ]

    private func importing(_ file: (TaskFormat, String), into opened: TestDaybook) async throws -> Int {
        opened.clock.advance(byMicroseconds: 100_000_000_000)
        return try await opened.import(Array(file.1.utf8), as: file.0).imported
    }

    @Test("Importing a record without an id again keeps changes of its task", arguments: withoutID)
    func computedID(file: (TaskFormat, String)) async throws {
        let opened = try TestDaybook()
        #expect(try await importing(file, into: opened) == 1)
        let task = try #require(try opened.tasks.inbox().first)
        try await opened.tasks.edit(task.id) {
            $0.text = "mine"
            $0.notes = "kept"
        }
        let edited = try opened.dump()
        #expect(try await importing(file, into: opened) == 0)
        #expect(try opened.dump() == edited)
        try await opened.tasks.delete(task.id)
        #expect(try await importing(file, into: opened) == 0)
        #expect(try opened.tasks.inbox().isEmpty)
    }

    @Test("Importing a file without times again changes nothing and restores no deleted task", arguments: withID)
    func undated(file: (TaskFormat, String)) async throws {
        let opened = try TestDaybook()
        #expect(try await importing(file, into: opened) == 1)
        let task = try #require(try opened.tasks.inbox().first)
        // In the other formats, a task without notes has empty notes.
        if [.json, .ndjson, .csv].contains(file.0) { try await opened.tasks.edit(task.id) { $0.notes = "kept" } }
        let edited = try opened.dump()
        #expect(try await importing(file, into: opened) == 0)
        #expect(try opened.dump() == edited)
        try await opened.tasks.delete(task.id)
        #expect(try await importing(file, into: opened) == 0)
        #expect(try opened.tasks.inbox().isEmpty)
    }

    @Test("A task that a file completes without a time is completed now", arguments: completed)
    func completedNow(file: (TaskFormat, String)) async throws {
        let opened = try TestDaybook()
        let first = try #require(Self.withID.first { $0.0 == file.0 })
        #expect(try await importing(first, into: opened) == 1)
        #expect(try await importing(file, into: opened) == 1)
        let id = try #require(UUID(uuidString: Self.id))
        let task = try #require(try opened.tasks.read { try $0.get(id) })
        #expect(task.state == .completed)
        #expect(task.completedAt == opened.clock.wall)
        #expect(try await importing(file, into: opened) == 0)
    }

    @Test("A task that is crossed out without a day is archived now")
    func archivedNow() async throws {
        let opened = try TestDaybook()
        let id = try #require(UUID(uuidString: Self.id))
        #expect(try await importing((.markdown, "- [ ] x 🆔 \(Self.id) ➕ 2026-01-02\n"), into: opened) == 1)
        #expect(try await importing((.markdown, "- [-] x 🆔 \(Self.id) ➕ 2026-01-02\n"), into: opened) == 1)
        #expect(try opened.tasks.read { try $0.get(id) }?.archivedAt == opened.clock.wall)
    }

    @Test("Only columns that a table contains are edits")
    func missingColumns() async throws {
        let opened = try TestDaybook()
        let task = try await opened.tasks.create("old", notes: "kept")
        try await opened.tasks.edit(task.id) { $0.category = "gone" }
        let table = "id,text,category\n\(task.id),new,\n"
        #expect(try await importing((.csv, table), into: opened) == 1)
        let edited = try #require(try opened.tasks.read { try $0.get(task.id) })
        #expect(edited.text == "new")
        #expect(edited.notes == "kept")
        #expect(edited.category == nil)
        #expect(edited.createdAt == task.createdAt)
    }

    @Test("Of two records with one id and no time, every import uses the first [L-SY5]")
    func repeated() async throws {
        let opened = try TestDaybook()
        let file = (TaskFormat.todotxt, "one id:\(Self.id)\ntwo id:\(Self.id)\n")
        #expect(try await importing(file, into: opened) == 1)
        #expect(try await importing(file, into: opened) == 0)
        #expect(try opened.tasks.inbox().map(\.text) == ["one"])
    }
}
