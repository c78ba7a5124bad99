import Daybook
import Foundation
import Testing

@Suite struct LinkImportTests {
    @Test(
        "An import links tasks to those that come later in the file, in any batch, and leaves impossible links out [F-10]",
        arguments: [true, false])
    func order(isIntoEmptyStore: Bool) async throws {
        let first = try TestDaybook()
        let made = try await first.tasks.create((0..<1500).map { NewTask("\($0)") })
        let (a, b, c) = (made[0].id, made[1499].id, made[700].id)
        try await first.tasks.block(a, by: b)
        try await first.tasks.block(c, by: b)
        let text = String(decoding: try first.export(as: .ndjson), as: UTF8.self)
        // Closes a circle, and names a task that is not there.
        var lines = text.split(separator: "\n").map(String.init)
        let place = try #require(lines.firstIndex { $0.contains("\"id\":\"\(b.lowercased)\"") })
        lines[place].removeLast()
        lines[place] += ",\"blockedBy\":[\"\(a.lowercased)\",\"00000000-0000-4000-8000-000000000001\"]}"
        let bytes = Array((lines.joined(separator: "\n") + "\n").utf8)

        let second = try TestDaybook(at: first.clock.wall.description, seed: 99)
        if !isIntoEmptyStore { try await second.tasks.create("other") }
        #expect(try await second.import(bytes, as: .ndjson).imported == 1500)
        let links = { (opened: TestDaybook) in
            try [a, b, c].map { try opened.tasks.blockers(of: $0).map(\.id) }
        }
        #expect(try links(second) == [[b], [], [b]])
        #expect(try second.daybook.verify().problems == [])
        let sequence = try second.daybook.information().lastSequence
        #expect(try await second.import(bytes, as: .ndjson).unchanged == 1500)
        #expect(try second.daybook.information().lastSequence == sequence)
        // What was unlinked since stays unlinked.
        second.clock.advance(byMicroseconds: 1_000_000)
        try await second.tasks.unblock(a, by: b)
        #expect(try await second.import(Array(text.utf8), as: .ndjson).imported == 0)
        #expect(try links(second) == [[], [], [b]])
        try await second.tasks.undo()
        // One undo takes back the tasks and the links.
        try await second.tasks.undo()
        #expect(try second.tasks.inbox().count == (isIntoEmptyStore ? 0 : 1))
        #expect(try second.daybook.verify().problems == [])
    }
}
