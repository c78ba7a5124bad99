import CivilTime
import Foundation
import Records
import TestSupport
import Testing

@testable import Tasks

/// A task as a newer version could write it, with a state, a region and a bucket that this version does not know.
private struct NewerTask: Record {
    static let collection = RecordCollection<NewerTask>("tasks")

    let id: UUID
    var text: String
    var state: UInt8
    var region: UInt8
    var bucket: UInt8
    var time: Instant

    init(id: UUID, text: String, state: UInt8, region: UInt8, bucket: UInt8, time: Instant) {
        (self.id, self.text, self.state, self.region, self.bucket, self.time) = (id, text, state, region, bucket, time)
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        try self.init(
            id: id, text: fields.string(1), state: fields.optionalByte(2) ?? 0, region: fields.optionalByte(18) ?? 0,
            bucket: fields.optionalByte(19) ?? 0, time: Instant(secondsSince1970: 0))
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, text)
        fields.put(2, state)
        fields.put(3, time)
        fields.put(4, time)
        fields.put(9, Int64(0))
        fields.put(18, region)
        fields.put(19, bucket)
    }
}

@Suite struct UnknownValueTests {
    /// A store with one task of a newer version, opened by this one.
    private func opened() throws -> TestTasks {
        let folder = TemporaryFolder(on: .memory)
        let path = "\(folder.path)/store"
        let time = try Instant("2026-02-11T09:00:00Z")
        let newer = try RecordStore(at: path, schema: Schema().adding(NewerTask.collection))
        try newer.write(ChangeLabel()) { transaction in
            try transaction.put(
                NewerTask(id: uuid(1), text: "newer", state: 7, region: 8, bucket: 9, time: time))
        }
        newer.close()
        return try TestTasks(folder: folder)
    }

    private func raw(_ opened: TestTasks) throws -> [UInt8] {
        let stored = try #require(try opened.tasks.get(uuid(1)))
        return [stored.state.rawValue, stored.region.rawValue, stored.bucket.rawValue]
    }

    @Test("A task with a state, a region or a bucket of a newer version is shown in its view [D6]")
    func shown() async throws {
        let opened = try opened()
        try await opened.tasks.create("other")
        #expect(Set(try opened.texts(.inbox)) == ["newer", "other"])
        #expect(try opened.tasks.read { try $0.count(in: .notStarted) } == 2)
        #expect(try raw(opened) == [7, 8, 9])
        #expect(try opened.tasks.get(uuid(1))?.state == .unknown(7))
        var count = 0
        try opened.tasks.read { try $0.forEach { _, _ in count += 1 } }
        #expect(count == 2)
    }

    @Test("Values of a newer version survive edits of other fields, moves, undo and redo [D6]")
    func kept() async throws {
        let opened = try opened()
        try await opened.tasks.edit(uuid(1)) { $0.text = "edited" }
        try await opened.tasks.schedule(uuid(1), on: .today)
        #expect(try opened.texts(.today) == ["edited"])
        #expect(try raw(opened) == [7, 8, 9])
        try await opened.tasks.undo()
        try await opened.tasks.undo()
        try await opened.tasks.redo()
        #expect(try opened.texts(.inbox) == ["edited"])
        #expect(try raw(opened) == [7, 8, 9])
        try await opened.tasks.delete(uuid(1))
        try await opened.tasks.undo()
        #expect(try raw(opened) == [7, 8, 9])
    }

    @Test("A field with a value of a newer version cannot be changed, and no field can be set to an unknown value [D6]")
    func refused() async throws {
        let opened = try opened()
        let task = try await opened.tasks.create("other")
        let before = try opened.dump()
        let tasks = opened.tasks
        let state = TaskError.unknownValue(field: "state")
        await #expect(throws: state) { try await tasks.start(uuid(1)) }
        await #expect(throws: state) { try await tasks.complete(uuid(1)) }
        await #expect(throws: state) { try await tasks.cycle(uuid(1)) }
        await #expect(throws: state) { try await tasks.setState(task.id, to: .unknown(7)) }
        await #expect(throws: TaskError.unknownValue(field: "region")) {
            try await tasks.edit(uuid(1)) { $0.region = .morning }
        }
        await #expect(throws: TaskError.unknownValue(field: "bucket")) {
            try await tasks.edit(uuid(1)) { $0.bucket = .none }
        }
        await #expect(throws: TaskError.unknownValue(field: "region")) {
            try await tasks.edit(task.id) { $0.region = .unknown(8) }
        }
        #expect(try opened.dump() == before)
        #expect(state.code == "unknown-value")
    }

    @Test("Every number has one value, and every known value its number and its name")
    func numbers() {
        func check<Choice: TaskChoice>(_: Choice.Type) {
            for number in UInt8.min...UInt8.max {
                let value = Choice(rawValue: number)
                #expect(value.rawValue == number)
                #expect(value.isUnknown != Choice.allCases.contains(value))
                #expect((Choice(name: value.name) == value) != value.isUnknown)
            }
        }
        check(TaskState.self)
        check(TaskRegion.self)
        check(TaskBucket.self)
    }
}
