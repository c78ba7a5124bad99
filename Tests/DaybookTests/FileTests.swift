import Daybook
import Foundation
import Testing

@Suite struct FileTests {
    /// A store with tasks of every kind: each state, archived, deleted, reordered, with every field.
    private func filled(seed: UInt64 = 1) async throws -> TestDaybook {
        let opened = try TestDaybook(seed: seed)
        var dice = Dice(seed)
        let today = opened.daybook.context.today
        var ids: [Foundation.UUID] = []
        for number in 0..<60 {
            opened.clock.advance(byMicroseconds: Int64(dice.below(3_000_000_000)))
            let day = dice.chance(30) ? nil : today.advanced(by: 2 + dice.below(4))
            let task = try await opened.tasks.create("task \(number) é👩‍👩‍👧", on: day, notes: dice.chance(30) ? "n\n" : nil)
            ids.append(task.id)
            if dice.chance(30) { try await opened.tasks.complete(task.id) }
            if dice.chance(20) { try await opened.tasks.start(task.id) }
            if dice.chance(30) { try await opened.tasks.reorder(task.id, to: .first) }
            let now = opened.clock.wall
            let (isArchived, hasMore) = (dice.chance(10), dice.chance(30))
            try await opened.tasks.edit(task.id) { task in
                if isArchived { task.archivedAt = now }
                guard hasMore else { return }
                task.category = "home"
                task.dueAt = now
                task.dueIsAllDay = false
                task.listOrder = 4
                task.region = .morning
                task.isSticky = true
            }
            // A bucket takes one of a day.
            if hasMore { _ = try? await opened.tasks.edit(task.id) { $0.bucket = .must } }
        }
        for (number, id) in ids.enumerated() where dice.chance(40) && number > 0 {
            try await opened.tasks.block(id, by: ids[dice.below(number)])
        }
        for id in ids.prefix(8) { try await opened.tasks.delete(id) }
        return opened
    }

    @Test(
        "Exporting, importing and exporting NDJSON gives the same bytes [C-FR34, X-35, P-OP12]",
        arguments: 1...3 as ClosedRange<UInt64>)
    func losslessRoundTrip(seed: UInt64) async throws {
        let first = try await filled(seed: seed)
        let bytes = try first.export(as: .ndjson)
        #expect(String(decoding: bytes, as: UTF8.self).contains("\"blockedBy\":[\""))
        let second = try TestDaybook(at: first.clock.wall.description, seed: 99)
        let report = try await second.import(bytes, as: .ndjson)
        #expect(report.imported == 60)
        #expect(report.unchanged == 0)
        #expect(try second.export(as: .ndjson) == bytes)
        #expect(try second.dump() == first.dump())
        #expect(try second.tasks.statistics() == first.tasks.statistics())
        #expect(try second.daybook.verify().problems == [])
        // A second run changes nothing.
        let sequence = try second.daybook.information().lastSequence
        let again = try await second.import(bytes, as: .ndjson)
        #expect([again.imported, again.unchanged, again.skipped] == [0, 60, 0] as [Int])
        #expect(try second.daybook.information().lastSequence == sequence)
        // One undo reverts the whole import.
        try await second.tasks.undo()
        #expect(try second.dump().isEmpty)
    }

    @Test(
        "Exporting and importing JSON and Taskwarrior keeps every task [C-S7.1, C-S7.5]",
        arguments: [TaskFormat.json, .taskwarrior])
    func roundTrip(format: TaskFormat) async throws {
        let first = try await filled()
        let bytes = try first.export(as: format)
        let second = try TestDaybook(at: first.clock.wall.description, seed: 99)
        let report = try await second.import(bytes, as: format)
        #expect(report.imported == 52)
        #expect(try second.daybook.verify().problems == [])
        let texts = { (opened: TestDaybook) in
            try opened.tasks.read { reading in
                try TaskView.allCases.map { try reading.tasks(in: $0).map { "\($0.id) \($0.text) \($0.state)" } }
            }
        }
        #expect(try texts(second) == texts(first))
        #expect(try second.export(as: format) == bytes)
    }

    @Test("An import of thousands of tasks is written in batches and undone as one [C-AD9]")
    func batches() async throws {
        let opened = try TestDaybook()
        let now = opened.clock.wall
        var file = TaskImport()
        file.tasks = (0..<2500).map { number in
            ImportedTask(
                id: Foundation.UUID(), text: "\(number)", createdAt: now, updatedAt: now, sortOrder: number)
        }
        #expect(try await opened.daybook.files.import(file).imported == 2500)
        #expect(try opened.daybook.information().lastSequence == 3)
        #expect(try opened.tasks.inbox().map(\.text) == (0..<2500).map(String.init))
        #expect(try await opened.tasks.undo() == .importing)
        #expect(try opened.tasks.inbox().isEmpty)
        try await opened.tasks.redo()
        #expect(try opened.tasks.inbox().count == 2500)
    }

    @Test("A preview reports what an import would do and changes nothing")
    func preview() async throws {
        let first = try await filled()
        let file = TaskFile(try first.export(as: .ndjson))
        let second = try TestDaybook(at: first.clock.wall.description, seed: 99)
        let preview = try second.daybook.files.previewImport(file)
        #expect(try StoreFiles.previewImport(file, intoNewStoreOf: second.daybook.context) == preview)
        #expect(try second.dump().isEmpty)
        #expect(try second.daybook.information().lastSequence == 0)
        #expect(try await second.daybook.files.import(file) == preview)
        #expect(preview.imported == 60)
        let again = try second.daybook.files.previewImport(file)
        #expect([again.imported, again.unchanged] == [0, 60] as [Int])
    }

    @Test("An error that a sink throws is rethrown unchanged [C-S7.4]")
    func sinkFails() async throws {
        let opened = try TestDaybook()
        for number in 0..<3 { try await opened.tasks.create("\(number) " + String(repeating: "x", count: 100_000)) }
        let failure = try #require(someFileError())
        var thrown: FileError?
        do {
            try opened.daybook.files.export(as: .ndjson) { (_) throws(FileError) in throw failure }
        } catch {
            thrown = error as? FileError
        }
        #expect(thrown.map { "\($0)" } == "\(failure)")
    }

    private func someFileError() -> FileError? {
        do {
            _ = try TaskReader.read(Array("{".utf8), format: .json, zone: .utc)
            return nil
        } catch {
            return error
        }
    }
}
