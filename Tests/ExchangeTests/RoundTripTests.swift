import CivilTime
import Testing

@testable import ByteStreams
@testable import Exchange
@testable import Tasks

@Suite struct RoundTripTests {
    @Test("NDJSON is lossless", arguments: [1, 2, 3] as [UInt64])
    func linesAreLossless(_ seed: UInt64) throws {
        var random = RandomDocuments(seed: seed)
        let tasks = random.linkedTasks(200)
        let tombstones = (0..<50).map { _ in random.tombstone() }
        let export = try written(tasks, tombstones, as: .ndjson)
        let read = try TaskReader.read(export, format: .ndjson, zone: .utc)
        #expect(read.tasks.content == tasks.content)
        #expect(read.tombstones == tombstones)
        #expect(try written(read.tasks, read.tombstones, as: .ndjson) == export)
    }

    @Test("JSON is lossless for tasks", arguments: [4, 5] as [UInt64], [true, false])
    func theDocumentIsLosslessForTasks(_ seed: UInt64, _ pretty: Bool) throws {
        var random = RandomDocuments(seed: seed)
        let tasks = random.linkedTasks(200)
        let export = try written(tasks, as: .json, pretty: pretty)
        #expect(try TaskReader.read(export, format: .json, zone: .utc).tasks.content == tasks.content)
    }

    @Test("A place is kept by formats that state places, 0 as well; in others the order of the file is one [N-2]")
    func placesOfSubtasks() throws {
        var random = RandomDocuments(seed: 9)
        let whole = random.id()
        let parts = ["first", "second"].map { text in
            var part = ImportedTask(
                id: random.id(), text: text, createdAt: .init(secondsSince1970: 0),
                updatedAt: .init(secondsSince1970: 0))
            part.task.parentTaskID = whole
            return part
        }
        for format in TaskFormat.allCases {
            let read = try TaskReader.read(written(parts, as: format), format: format, zone: .utc).tasks
            let statesPlaces = [.json, .ndjson, .csv].contains(format)
            #expect(read.map(\.gaps.subtaskOrder) == [!statesPlaces, !statesPlaces], "\(format)")
            #expect(read.map(\.consistent.task.subtaskOrder).allSatisfy { ($0 == 0) == statesPlaces }, "\(format)")
        }
    }

    @Test(
        "Taskwarrior keeps everything but positions and fractions of seconds", arguments: [6, 7, 8] as [UInt64],
        ["UTC", "Europe/Istanbul", "America/New_York"])
    func taskwarriorKeepsAllButPositionsAndFractionsOfSeconds(_ seed: UInt64, _ zone: String) throws {
        let zone = try Zone(zone)
        var random = RandomDocuments(seed: seed)
        let tasks = random.linkedTasks(200)
        let export = try written(tasks, as: .taskwarrior, zone: zone)
        let read = try TaskReader.read(export, format: .taskwarrior, zone: zone)
        #expect(read.tasks.count == tasks.count)
        for (read, task) in zip(read.tasks, tasks) {
            #expect(read == asTaskwarriorSays(task))
        }
    }

    private func asTaskwarriorSays(_ task: ImportedTask) -> ImportedTask {
        func cut(_ instant: Instant) -> Instant {
            // Our own attribute keeps instants outside of Taskwarrior's range, which is 1980 to 9999, exactly.
            guard 315_532_800_000_000...253_402_214_400_000_000 ~= instant.microsecondsSince1970 else { return instant }
            let second: Int64 = 1_000_000
            let rest = ((instant.microsecondsSince1970 % second) + second) % second
            return Instant(microsecondsSince1970: instant.microsecondsSince1970 - rest)
        }
        var task = task
        task.createdAt = cut(task.createdAt)
        task.updatedAt = cut(task.updatedAt)
        task.completedAt = task.completedAt.map(cut)
        task.dueAt = task.dueAt.map(cut)
        task.expiresAt = task.expiresAt.map(cut)
        if task.state != .completed { task.archivedAt = task.archivedAt.map(cut) }
        (task.sortOrder, task.listOrder, task.planOrder) = (0, 0, 0)
        return task
    }

    @Test("Long files are written to the sink in chunks")
    func longFilesReachTheSinkInChunks() throws {
        var random = RandomDocuments(seed: 9)
        let output = Output()
        var writer = TaskWriter(format: .ndjson, exportDate: Instant(secondsSince1970: 0)) {
            (bytes) throws(FileError) in output.chunks.append(bytes)
        }
        for task in random.tasks(1000) { try writer.append(task) }
        try writer.finish()
        #expect(output.chunks.count > 3)
        #expect(output.chunks.allSatisfy { $0.count < 128 * 1024 })
    }

    @Test("A sink that fails stops the writer")
    func aSinkThatFailsStopsTheWriter() throws {
        var writer = TaskWriter(format: .json, exportDate: Instant(secondsSince1970: 0)) {
            (_) throws(FileError) in throw .diskFull(path: "/x")
        }
        try writer.append(try task())
        #expect(throws: FileError.diskFull(path: "/x")) { try writer.finish() }
    }
}
