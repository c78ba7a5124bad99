import Daybook
import Foundation
import Testing

/// Imports into stores without records, which are loaded in one step.
@Suite struct BulkImportTests {
    private struct Interrupted: Error {}

    /// Lines of NDJSON: tasks with ties of order, some twice in other versions, tombstones, and lines that are invalid.
    private func lines(_ dice: inout Dice, count: Int, contradictions: Int, invalid: Int) throws -> [String] {
        let start = 1_700_000_000 as Int64
        var lines: [String] = []
        for _ in 0..<count {
            let id = contradictions > 0 ? Self.id(dice.below(count)) : Self.id(lines.count)
            let created = Instant(secondsSince1970: start + Int64(dice.below(50)))
            var task = ImportedTask(
                id: id, text: dice.pick(["Buy milk", "Grüße", "two\nlines", "\"quoted\"", "a\\b"]), createdAt: created,
                updatedAt: created.advanced(bySeconds: Int64(dice.below(20))),
                scheduledDate: dice.chance(40) ? nil : Day(clampingDaysSince1970: 20_000 + dice.below(3)),
                sortOrder: dice.below(5) - 1)
            if dice.chance(50) {
                task.state = .completed
                task.completedAt = created.advanced(bySeconds: 5)
            }
            if dice.chance(10) { task.archivedAt = created }
            if dice.chance(20) { task.notes = "note" }
            lines.append(try line(of: task))
            if dice.below(100) < contradictions {
                // The same task in another version, or its deletion.
                task.task.updatedAt = task.updatedAt.advanced(bySeconds: Int64(dice.below(3)) - 1)
                task.text = "another version"
                let deleted = task.updatedAt.advanced(bySeconds: Int64(dice.below(3)) - 1)
                lines.append(
                    dice.chance(50)
                        ? try line(of: task)
                        : "{\"collection\":\"tombstones\",\"id\":\"\(id.uuidString)\",\"deletedAt\":\"\(deleted)\"}")
            } else if dice.chance(10) {
                let gone = Self.id(100_000 + lines.count)
                lines.append(
                    "{\"collection\":\"tombstones\",\"id\":\"\(gone.uuidString)\",\"deletedAt\":\"\(created)\"}")
            }
            if dice.below(100) < invalid {
                lines.append(dice.pick(["{\"collection\":\"tasks\",\"text\":\"\"}", "nothing", "{}"]))
            }
        }
        return lines
    }

    private static func id(_ number: Int) -> Foundation.UUID {
        // Scattered, so that their order is not that of the file.
        let mixed = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
        return UUID(high: mixed, low: UInt64(number))
    }

    private func line(of task: ImportedTask) throws -> String {
        var bytes: [UInt8] = []
        var writer = TaskWriter(format: .ndjson, exportDate: task.createdAt) { (part) throws(FileError) in
            bytes += part
        }
        try writer.append(task)
        try writer.finish()
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst().joined()
    }

    private func file(_ lines: [String]) -> [UInt8] {
        Array((["{\"format\":\"daybook\",\"version\":1}"] + lines).joined(separator: "\n").utf8)
    }

    @Test(
        "An import into an empty store leaves the same records as one in batches, and a clean verification",
        arguments: 1...30 as ClosedRange<UInt64>)
    func equalsBatches(seed: UInt64) async throws {
        var dice = Dice(seed)
        let bytes = file(
            try lines(
                &dice, count: 1 + dice.below(400), contradictions: seed % 3 == 0 ? 3 : 0, invalid: seed % 2 == 0 ? 5 : 0
            )
        )
        let (loaded, batched) = (try TestDaybook(), try TestDaybook())
        var options = ImportOptions()
        options.format = .ndjson
        options.skipInvalid = true
        var skipped: [Int] = []
        options.leftOut = { skipped.append($0.line) }
        let report = try await loaded.daybook.files.import(TaskFile(bytes), options: options)
        let records = try TaskReader.read(bytes, format: .ndjson, zone: try Zone("Europe/Berlin"), skipInvalid: true)
        let file = OrderedRecords(bytes)
        let expected = try await file.import(into: batched)
        #expect(try loaded.dump() == batched.dump())
        #expect(report == expected)
        #expect(skipped == records.invalid.map(\.line))
        #expect(try loaded.daybook.verify().problems == [])
        #expect(try loaded.export(as: .ndjson) == batched.export(as: .ndjson))
        // Again changes nothing.
        let sequence = try loaded.daybook.information().lastSequence
        #expect(try await loaded.import(bytes, as: .ndjson, skipInvalid: true).imported == 0)
        #expect(try loaded.daybook.information().lastSequence == sequence)
    }

    @Test("An interrupted import into an empty store leaves nothing, and the next one imports everything")
    func interrupted() async throws {
        var dice = Dice(1)
        let bytes = file(try lines(&dice, count: 3000, contradictions: 0, invalid: 0))
        for moment in [0, 5, 11] {
            let opened = try TestDaybook()
            var count = 0
            var options = ImportOptions()
            options.format = .ndjson
            options.progress = { progress in
                #expect(progress.report.imported == 0)
                count += 1
                if count > moment { throw Interrupted() }
            }
            await #expect(throws: Interrupted.self) {
                try await opened.daybook.files.import(TaskFile(bytes), options: options)
            }
            #expect(try opened.daybook.information().lastSequence == 0)
            #expect(try opened.tasks.read { try $0.count() } == 0)
            let report = try await opened.import(bytes, as: .ndjson)
            #expect(report.imported > 3000 && report.unchanged == 0)
        }
    }

    @Test("A task that is created during an import into an empty store is kept, and the import completes in batches")
    func createdMeanwhile() async throws {
        var dice = Dice(2)
        let bytes = file(try lines(&dice, count: 9000, contradictions: 0, invalid: 0))
        let opened = try TestDaybook()
        let alone = try TestDaybook()
        _ = try await alone.import(bytes, as: .ndjson)
        var options = ImportOptions()
        options.format = .ndjson
        var fractions: [Double] = []
        var isCreated = false
        options.progress = { progress in
            fractions.append(progress.fraction ?? -1)
            guard !isCreated else { return }
            isCreated = true
            try opened.daybook.write { transaction in
                _ = try transaction.tasks.create(NewTask("meanwhile", on: Day(clampingDaysSince1970: 21_000)))
            }
        }
        let report = try await opened.daybook.files.import(TaskFile(bytes), options: options)
        #expect(report.imported == (try await alone.import(bytes, as: .ndjson)).unchanged)
        #expect(try opened.tasks.read { try $0.count() } == alone.tasks.read { try $0.count() } + 1)
        #expect(fractions.allSatisfy { (0...1).contains($0) } && fractions.count > 50)
        #expect(try opened.daybook.verify().problems == [])
    }

    @Test("Undo takes an import into an empty store back, and redo restores it")
    func undo() async throws {
        var dice = Dice(3)
        let bytes = file(try lines(&dice, count: 2500, contradictions: 0, invalid: 0))
        let opened = try TestDaybook()
        _ = try await opened.import(bytes, as: .ndjson)
        let after = try opened.tasks.read { try $0.count() }
        #expect(try await opened.tasks.undo() == .importing)
        #expect(try opened.tasks.read { try $0.count() } == 0)
        _ = try await opened.tasks.redo()
        #expect(try opened.tasks.read { try $0.count() } == after)
    }
}

/// The records of a file in its order, each in the transactions of an import in batches.
private struct OrderedRecords {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Imports beside a record of another kind, which keeps the store from being loaded in one step; it is removed again.
    func `import`(into opened: TestDaybook) async throws -> ImportReport {
        let other = try await opened.tasks.create("other")
        var options = ImportOptions()
        options.format = .ndjson
        options.skipInvalid = true
        // On a day of its own it has no influence on the places of others.
        try await opened.tasks.schedule(other.id, on: .on(Day(clampingDaysSince1970: 25_000)))
        let report = try await opened.daybook.files.import(TaskFile(bytes), options: options)
        try await opened.daybook.write { try $0.tasks.purge(other.id) }
        return report
    }
}

extension TestDaybook {
    fileprivate func `import`(
        _ bytes: [UInt8], as format: TaskFormat, skipInvalid: Bool
    ) async throws -> ImportReport {
        var options = ImportOptions()
        options.format = ImportFormat(format)
        options.skipInvalid = skipInvalid
        return try await daybook.files.import(TaskFile(bytes), options: options)
    }
}
