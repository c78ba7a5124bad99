import CivilTime
import FoundationEssentials
import Records
import Testing

@testable import ByteStreams
@testable import Exchange
@testable import Tasks

@Suite struct TaskFieldTests {
    /// The names of the declared fields as files have them.
    private let declared = Set(TaskItem.collection.fields.map { $0.name == "position" ? "sortOrder" : $0.name })
        // Files have the dates themselves.
        .subtracting(["extraShiftDays"])

    /// A task without a default value in any field.
    private func full() throws -> ImportedTask {
        let time = try Instant("2026-02-10T09:15:00.5Z")
        var task = ImportedTask(
            id: try id(1), text: "full", state: .completed, createdAt: time, updatedAt: time, completedAt: time,
            scheduledDate: try Day("2026-02-11"), sortOrder: 7)
        task.notes = "notes"
        task.category = "category"
        task.completedZone = "Europe/Berlin"
        task.completedOffsetSeconds = 3600
        task.completionEpoch = 2
        task.dueAt = time
        task.dueIsAllDay = false
        task.reminderAt = time
        task.listID = try id(2)
        task.listOrder = -1
        task.region = .evening
        task.bucket = .misc
        task.planOrder = 3
        task.autoCarry = true
        task.isSticky = true
        task.expiresAt = time
        task.archivedAt = time
        task.isRecurring = true
        task.recurringPattern = "FREQ=DAILY"
        task.parentRecurringID = try id(3)
        task.carriedFromDay = try Day("2026-02-09")
        task.carryCount = 4
        task.extra = #"{"a":1}"#
        task.dueDay = try Day("2026-02-12")
        task.reminderDay = try Day("2026-02-13")
        task.reminderSecondsIntoDay = 32_400
        task.occurrenceDay = try Day("2026-02-14")
        task.dueZone = "Europe/Berlin"
        (task.dueSecondsIntoDay, task.expirySecondsIntoDay) = (9_000, 9_000)
        (task.task.tags, task.priority, task.waitUntil) = (["deep work", "a,b"], .medium, try Day("2026-02-20"))
        (task.task.parentTaskID, task.task.subtaskOrder) = (try id(5), 7)
        (task.blockedBy, task.listName) = ([try id(4)], "Home")
        return task
    }

    /// The identity, and what other records say of a task.
    private static let beyondTask = ["id", "blockedBy", "listName"]

    @Test("JSON, CSV and revisions have exactly the fields that the task declares [D6]")
    func names() throws {
        let task = try full()
        guard
            case .object(let members) = try parsed(written([task], as: .ndjson).split(separator: 10).map(Array.init)[1])
        else { throw RecordProblem("not an object") }
        #expect(Set(members.map(\.key)).subtracting(["collection"]) == declared.union(Self.beyondTask))
        #expect(Set(TaskField.all.map(\.name)) == declared.union(Self.beyondTask))
        #expect(CSVColumn.all.map(\.name) == members.map(\.key).filter { $0 != "collection" })
        for field in TaskField.all {
            var cell: [UInt8] = []
            field.appendCell(task, &cell, false)
            #expect(!cell.isEmpty, "\(field.name)")
        }
    }

    @Test(
        "Every field is read as it was written, and a revision takes it [D6]",
        arguments: [TaskFormat.json, .ndjson, .csv])
    func values(format: TaskFormat) throws {
        let task = try full()
        let read = try TaskReader.read(written([task], as: format), format: format, zone: .utc).tasks
        #expect(read.content == [task].content)
        var plain = ImportedTask(id: task.id, text: "x", createdAt: task.createdAt, updatedAt: task.updatedAt)
        let before = plain
        for field in TaskField.revisable { field.revise(&plain, task, before) }
        plain.task.extra = task.extra
        (plain.sortOrder, plain.blockedBy, plain.listName) = (task.sortOrder, task.blockedBy, task.listName)
        #expect(plain == task)
    }

    @Test(
        "States, regions and buckets of a newer version survive every format [D6, F-22]", arguments: TaskFormat.allCases
    )
    func unknownValues(format: TaskFormat) throws {
        var task = try full()
        (task.archivedAt, task.expiresAt) = (nil, nil)
        (task.completedAt, task.completedZone, task.completedOffsetSeconds) = (nil, nil, nil)
        (task.region, task.bucket) = (.unknown(8), .unknown(9))
        if [.json, .ndjson, .csv, .ics, .taskwarrior].contains(format) {
            task.state = .unknown(7)
        } else {
            task.state = .active
        }
        let read = try TaskReader.read(written([task], as: format), format: format, zone: .utc, now: task.createdAt)
        let again = try #require(read.tasks.first)
        #expect(again.state == task.state)
        // todo.txt and Markdown cannot express regions and buckets.
        guard ![.todotxt, .markdown].contains(format) else { return }
        #expect(again.region == .unknown(8))
        #expect(again.bucket == .unknown(9))
    }

    @Test("A name or a number that no version could have written is refused")
    func refused() throws {
        for value in [#""later""#, "1", "-1", "256", "true", #""7""#] {
            let file = bytes(#"[{"text":"x","createdAt":"2026-02-10T09:15:00Z","region":\#(value)}]"#)
            #expect(throws: FileError.self) { try TaskReader.read(file, format: .json, zone: .utc) }
        }
    }
}
