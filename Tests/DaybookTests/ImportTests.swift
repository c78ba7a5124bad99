import Daybook
import Foundation
import Synchronization
import TestSupport
import Testing

/// A flag that threads share.
private final class Flag: Sendable {
    private let value = Mutex(false)

    func store() { value.withLock { $0 = true } }

    func load() -> Bool { value.withLock { $0 } }
}

/// Imports that are long, interrupted, out of order, or without times of change.
@Suite struct ImportTests {
    private struct Interrupted: Error {}

    private static let moment = Instant(secondsSince1970: 1_700_000_000)

    private func importing(_ format: TaskFormat = .json) -> ImportOptions {
        var options = ImportOptions()
        options.format = ImportFormat(format)
        return options
    }

    /// Tasks of a few days, each with its place in its day.
    private func documents(_ count: Int, dice: inout Dice) -> [ImportedTask] {
        var orders: [Int: Int] = [:]
        return (0..<count).map { number in
            let day = dice.below(4)
            let order = orders[day, default: 0]
            orders[day] = order + 1
            return ImportedTask(
                id: Foundation.UUID(), text: "\(number)", createdAt: Self.moment, updatedAt: Self.moment,
                scheduledDate: day == 0 ? nil : Day(clampingDaysSince1970: 20_000 + day), sortOrder: order)
        }
    }

    private func file(_ tasks: [ImportedTask], as format: TaskFormat = .json) throws -> [UInt8] {
        let file = Chunks()
        var writer = TaskWriter(format: format, exportDate: Self.moment) { (part) throws(FileError) in
            file.bytes += part
        }
        for task in tasks { try writer.append(task) }
        try writer.finish()
        return file.bytes
    }

    @Test("An older file does not restore a task that was deleted after the clock stepped backward [S-22]")
    func deletedWithTheClockSetBack() async throws {
        let opened = try TestDaybook()
        let task = try await opened.tasks.create("x")
        try await opened.tasks.start(task.id)
        let file = try opened.export(as: .ndjson)
        opened.clock.setWall(opened.clock.wall.advanced(bySeconds: -3600))
        try await opened.tasks.delete(task.id)
        for _ in 0..<2 {
            #expect(try await opened.import(file, as: .ndjson).imported == 0)
            #expect(try opened.tasks.get(task.id) == nil)
        }
        // A task that was changed after its deletion is restored.
        let later = ImportedTask(
            id: task.id, text: "x", createdAt: task.createdAt, updatedAt: task.updatedAt.advanced(bySeconds: 3600))
        #expect(try await opened.import(self.file([later]), as: .json).imported == 1)
        #expect(try opened.tasks.get(task.id) != nil)
    }

    @Test(
        "The order of a day does not depend on the order of the file or on batches",
        arguments: 1...3 as ClosedRange<UInt64>)
    func shuffled(seed: UInt64) async throws {
        var dice = Dice(seed)
        let tasks = documents(3500, dice: &dice)
        let (sorted, shuffled) = (try TestDaybook(), try TestDaybook())
        _ = try await sorted.import(try file(tasks), as: .json)
        _ = try await shuffled.import(try file(tasks.shuffled(using: &dice)), as: .json)
        #expect(try shuffled.export(as: .ndjson) == sorted.export(as: .ndjson))
        #expect(try shuffled.daybook.verify().problems == [])
    }

    @Test("Tasks without a sort order are appended in the order of the file")
    func fileOrder() async throws {
        let opened = try TestDaybook()
        try await opened.tasks.create("first")
        let tasks = (0..<2300).map { number in
            ImportedTask(id: Foundation.UUID(), text: "\(number)", createdAt: Self.moment, updatedAt: Self.moment)
        }
        _ = try await opened.import(try file(tasks), as: .json)
        #expect(try opened.tasks.inbox().map(\.text) == ["first"] + tasks.map(\.text))
        try await opened.tasks.create("last")
        #expect(try opened.tasks.inbox().last?.text == "last")
    }

    @Test("Sort orders of any size are accepted")
    func hostilePlaces() async throws {
        let opened = try TestDaybook()
        for round in 0..<6 {
            let tasks = [Int.max, .min, 1 << 40, 0].map { order in
                ImportedTask(
                    id: Foundation.UUID(), text: "\(round)", createdAt: Self.moment, updatedAt: Self.moment,
                    sortOrder: order)
            }
            #expect(try await opened.import(try file(tasks), as: .json).imported == 4)
            try await opened.tasks.create("mine")
        }
        #expect(try opened.tasks.inbox().count == 30)
        #expect(try opened.tasks.inbox().last?.text == "mine")
    }

    @Test("Running an interrupted import again completes it")
    func interrupted() async throws {
        var dice = Dice(5)
        let bytes = try file(documents(4200, dice: &dice))
        let undisturbed = try TestDaybook()
        // A store without records is loaded in one step: BulkImportTests.
        let other = try await undisturbed.tasks.create("other")
        _ = try await undisturbed.import(bytes, as: .json)
        for moment in [0, 1, 17, 20, 25, 33] {
            let opened = try TestDaybook()
            #expect(try await opened.tasks.create("other").id == other.id)
            var count = 0
            var known = ImportReport()
            var options = importing()
            options.progress = { progress in
                known = progress.report
                count += 1
                if count > moment { throw Interrupted() }
            }
            await #expect(throws: Interrupted.self) {
                try await opened.daybook.files.import(TaskFile(bytes), options: options)
            }
            let there = try opened.tasks.read { try $0.count() } - 1
            #expect(there == known.imported)
            // Whole batches, which double in size while they take no time.
            #expect([0, 16, 48, 112, 240, 496, 1008, 2008, 3008, 4008].contains(there))
            let report = try await opened.import(bytes, as: .json)
            #expect(report.imported == 4200 - there)
            #expect(report.unchanged == there)
            #expect(try opened.export(as: .ndjson) == undisturbed.export(as: .ndjson))
        }
    }

    @Test("An invalid record anywhere in a file or pipe prevents the whole import")
    func allOrNothing() async throws {
        var dice = Dice(6)
        var bytes = try file(documents(2500, dice: &dice), as: .ndjson)
        bytes += Array("{\"collection\":\"tasks\",\"text\":\"\"}\n".utf8)
        for file in [TaskFile(bytes), TaskFile(source: Self.pipe(bytes))] {
            let opened = try TestDaybook()
            await #expect(throws: FileError.self) {
                try await opened.daybook.files.import(file, options: importing(.ndjson))
            }
            #expect(try opened.daybook.information().lastSequence == 0)
        }
        let opened = try TestDaybook()
        var options = importing(.ndjson)
        options.skipInvalid = true
        var lines: [Int] = []
        options.leftOut = { lines.append($0.line) }
        let report = try await opened.daybook.files.import(TaskFile(source: Self.pipe(bytes)), options: options)
        #expect(report.imported == 2500)
        #expect(report.skipped == 1)
        #expect(lines == [2502])
    }

    private static func pipe(_ bytes: [UInt8]) -> ByteSource {
        var rest = bytes[...]
        return { () throws(FileError) in
            defer { rest = rest.dropFirst(1000) }
            return Array(rest.prefix(1000))
        }
    }

    @Test("Progress increases from zero to the total")
    func progress() async throws {
        var dice = Dice(7)
        let bytes = try file(documents(3000, dice: &dice))
        let opened = try TestDaybook()
        var seen: [Double] = []
        var options = importing()
        options.progress = { seen.append($0.fraction ?? -1) }
        _ = try await opened.daybook.files.import(TaskFile(bytes), options: options)
        #expect(seen.count > 10)
        #expect(seen == seen.sorted())
        #expect(seen.allSatisfy { (0...1).contains($0) })
        var exported: [FileProgress] = []
        var exporting = ExportOptions()
        exporting.progress = { exported.append($0) }
        try opened.daybook.files.export(as: .json, options: exporting) { (_) throws(FileError) in }
        #expect(exported.map(\.done) == [1000, 2000, 3000])
        #expect(exported.allSatisfy { $0.total == 3000 })
    }

    @Test("Exports of two processes at once are independent and complete [C-S7.2]")
    func exportsOfTwoProcesses() async throws {
        let opened = try TestDaybook()
        try await opened.tasks.create((0..<3000).map { NewTask("\($0)") })
        let daybook = opened.daybook
        let (hasStarted, mayContinue) = (Flag(), Flag())
        // It blocks its thread, and Swift has as many as there are processors.
        let exporting = Task.detached(executorPreference: OwnThread()) {
            let file = Chunks()
            try daybook.files.export(as: .ndjson) { (bytes) throws(FileError) in
                if file.bytes.isEmpty {
                    hasStarted.store()
                    while !mayContinue.load() { usleep(1000) }
                }
                file.bytes += bytes
            }
            return file.bytes
        }
        while !hasStarted.load() { await Task.yield() }
        let path = opened.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let store = try DaybookStore.open(at: path)
            let file = Chunks()
            try store.files.export(as: .ndjson) { (bytes) throws(FileError) in file.bytes += bytes }
            let lines = file.bytes.count { $0 == UInt8(ascii: "\n") }
            try #require(lines == 3001)
        }
        mayContinue.store()
        #expect(try await exporting.value == opened.export(as: .ndjson))
    }

    @Test("A second concurrent export of a store is refused [C-S7.2]")
    func busy() async throws {
        let opened = try TestDaybook()
        try await opened.tasks.create("x")
        let again = try DaybookStore.open(at: opened.path, context: opened.daybook.context)
        var options = ExportOptions()
        options.progress = { _ in }
        var inner: FileError?
        try opened.daybook.files.export(as: .json) { (_) throws(FileError) in
            do {
                try again.files.export(as: .ndjson) { (_) throws(FileError) in }
            } catch {
                inner = error as? FileError
            }
        }
        #expect(inner == .busy)
        // The next one may begin once the first has ended, with or without an error.
        #expect(throws: FileError.diskFull(path: "x")) {
            try opened.daybook.files.export(as: .json) { (_) throws(FileError) in throw .diskFull(path: "x") }
        }
        #expect(try !opened.export(as: .json).isEmpty)
    }

    @Test("A compressed export contains the bytes of the uncompressed one [S-33]", arguments: TaskFormat.allCases)
    func compressed(format: TaskFormat) async throws {
        let opened = try TestDaybook()
        for number in 0..<50 { try await opened.tasks.create("task \(number)") }
        let plain = try opened.export(as: format)
        let file = Chunks()
        var options = ExportOptions()
        options.isCompressed = true
        try opened.daybook.files.export(as: format, options: options) { (part) throws(FileError) in file.bytes += part }
        let source = try TaskFile(file.bytes).bytes()
        var back: [UInt8] = []
        while case let part = try source(), !part.isEmpty { back += part }
        #expect(back == plain)
        #expect(file.bytes.count < max(plain.count, 20))
    }

    @Test("A sink that fails at any write ends the export with its error [C-S7.4]", arguments: [false, true])
    func failingSink(isCompressed: Bool) async throws {
        let opened = try TestDaybook()
        var dice = Dice(8)
        for _ in 0..<8 {
            // Incompressible content, so that there is something to write.
            let text = (0..<60_000).map { _ in String(dice.below(36), radix: 36) }.joined()
            try await opened.tasks.create(text)
        }
        var options = ExportOptions()
        options.isCompressed = isCompressed
        var count = 0
        try opened.daybook.files.export(as: .ndjson, options: options) { (_) throws(FileError) in count += 1 }
        #expect(count > 2)
        for failing in 0..<count {
            var calls = 0
            #expect(throws: FileError.diskFull(path: "x")) {
                try opened.daybook.files.export(as: .ndjson, options: options) { (_) throws(FileError) in
                    defer { calls += 1 }
                    if calls == failing { throw .diskFull(path: "x") }
                }
            }
            #expect(calls == failing + 1)
        }
    }

    @Test("Only the edits of a file without times are imported")
    func undated() async throws {
        let opened = try TestDaybook()
        let first = try await opened.tasks.create("one", notes: "kept")
        let second = try await opened.tasks.create("two")
        let gone = try await opened.tasks.create("gone")
        var file = try TaskReader.read(try opened.export(as: .json), format: .json, zone: .utc)
        for index in file.tasks.indices { file.tasks[index].isUndated = true }
        try await opened.tasks.delete(gone.id)
        try await opened.tasks.edit(second.id) { $0.category = "here" }
        let unchanged = try opened.dump()
        var new = file.tasks[0]
        new.id = Foundation.UUID()

        file.tasks = file.tasks.filter { $0.id != second.id }
        #expect(try await opened.daybook.files.import(file).imported == 0)
        #expect(try opened.dump() == unchanged)

        file.tasks[0].text = "edited"
        file.tasks.append(new)
        opened.clock.advance(byMicroseconds: 5_000_000)
        #expect(try await opened.daybook.files.import(file).imported == 2)
        let task = try #require(try opened.tasks.read { try $0.get(first.id) })
        #expect(task.text == "edited")
        #expect(task.notes == "kept")
        #expect(task.updatedAt == opened.clock.wall)
        #expect(try opened.tasks.inbox().map(\.text) == ["edited", "two", "one"])
        // A second import changes nothing.
        let sequence = try opened.daybook.information().lastSequence
        #expect(try await opened.daybook.files.import(file).imported == 0)
        #expect(try opened.daybook.information().lastSequence == sequence)
    }

    @Test("Who named the format of a file that has another one is not told to name it")
    func namedFormat() async throws {
        let store = try TestDaybook()
        let file = Array("[{\"description\":x}]".utf8)
        let detected = await #expect(throws: FileError.self) {
            try await store.daybook.files.import(TaskFile(file, name: "a.json"))
        }
        #expect(detected?.description.hasSuffix("or name its format.") == true)
        let error = await #expect(throws: FileError.self) { try await store.import(file, as: .taskwarrior) }
        #expect(error?.description.hasSuffix("or name another format.") == true)
    }
}
