import CivilTime
import FoundationEssentials
import Testing

@testable import ByteStreams
@testable import Exchange
@testable import Tasks

@Suite struct TaskShapeTests {
    @Test("A plain task has eight keys in order")
    func aPlainTaskHasEightKeysInOrder() throws {
        let export = try written([try task()], as: .json)
        #expect(
            text(export) == """
                {
                  "exportDate": "2026-02-11T10:00:00Z",
                  "appVersion": "1.0.0",
                  "tasks": [
                    {
                      "id": "00000000-0000-0000-0000-000000000001",
                      "text": "Write the report",
                      "state": "notStarted",
                      "createdAt": "2026-02-10T09:15:00Z",
                      "updatedAt": "2026-02-10T09:15:00Z",
                      "completedAt": null,
                      "scheduledDate": null,
                      "sortOrder": 0
                    }
                  ]
                }

                """)
    }

    @Test("A file without tasks has an empty array")
    func noTasksIsAnEmptyArray() throws {
        #expect(text(try written([], as: .json, pretty: false)).hasSuffix("\"tasks\":[]}\n"))
        #expect(text(try written([], as: .taskwarrior)) == "[\n]\n")
        #expect(text(try written([], as: .ndjson)) == #"{"format":"daybook","version":1}"# + "\n")
    }

    @Test("Every field is written in its documented place")
    func everyFieldHasItsPlace() throws {
        var task = try task()
        let moment = try Instant("2026-02-11T08:00:00.25Z")
        let day = try Day("2026-02-11")
        task.state = .completed
        (task.completedAt, task.dueAt, task.reminderAt, task.expiresAt) = (moment, moment, moment, moment)
        (task.archivedAt, task.scheduledDate, task.carriedFromDay) = (moment, day, day)
        (task.notes, task.category, task.completedZone, task.recurringPattern) = ("n", "c", "UTC", "daily")
        (task.completedOffsetSeconds, task.completionEpoch, task.carryCount, task.sortOrder) = (0, 1, 2, 3)
        (task.listID, task.parentRecurringID) = (try id(2), try id(3))
        (task.listOrder, task.planOrder, task.region, task.bucket) = (4, 5, .morning, .must)
        (task.dueIsAllDay, task.autoCarry, task.isSticky, task.isRecurring) = (false, true, true, true)
        task.extra = #"{"a":[1]}"#
        (task.dueDay, task.reminderDay, task.reminderSecondsIntoDay) = (day, day, 32_400)
        (task.occurrenceDay, task.dueZone) = (day, "Europe/Berlin")
        (task.dueSecondsIntoDay, task.expirySecondsIntoDay) = (9_000, 9_000)
        (task.task.tags, task.priority, task.waitUntil) = (["deep work", "a,b"], .medium, try Day("2026-02-20"))
        (task.task.parentTaskID, task.task.subtaskOrder) = (try id(5), 7)
        (task.blockedBy, task.listName) = ([try id(4)], "Home")
        var writer = JSONWriter()
        writer.value(task)
        guard case .object(let members) = try parsed(writer.bytes) else { return }
        #expect(
            members.map(\.key) == [
                "id", "text", "state", "createdAt", "updatedAt", "completedAt", "scheduledDate", "sortOrder", "note",
                "category", "completedZone", "completedOffsetSeconds", "completionEpoch", "dueAt", "dueIsAllDay",
                "reminderDate", "list", "listOrder", "region", "bucket", "planOrder", "autoCarry", "isSticky",
                "expiresAt", "archivedAt", "isRecurring", "recurringPattern", "parent", "carriedFrom",
                "carryCount", "extra", "dueDay", "reminderDay", "reminderSecondsIntoDay",
                "occurrenceDay", "dueZone", "dueSecondsIntoDay", "expirySecondsIntoDay", "tags", "priority",
                "waitUntil", "parentTask", "subtaskOrder", "blockedBy", "listName",
            ])
        #expect(members["completedAt"] == .string("2026-02-11T08:00:00.25Z"))
    }

    @Test("Keys of earlier versions name the same fields [X-30]")
    func formerKeysNameTheSameFields() throws {
        let values = [
            "notes": #""n""#, "reminderAt": #""2026-02-11T08:00:00Z""#, "carriedFromDay": #""2026-02-09""#,
            "listID": #""00000000-0000-4000-8000-000000000002""#,
            "parentRecurringID": #""00000000-0000-4000-8000-000000000003""#,
        ]
        #expect(Set(values.keys) == Set(TaskField.formerNames.keys))
        for (former, value) in values {
            let name = try #require(TaskField.formerNames[former])
            let exports = try [former, name].map { key in
                let file =
                    "[{\"text\":\"x\",\"createdAt\":\"2026-02-10T09:15:00Z\",\"id\":\"00000000-0000-4000-8000-000000000001\",\"\(key)\":\(value)}]"
                return try written(TaskReader.read(bytes(file), format: .json, zone: .utc).tasks, as: .json)
            }
            #expect(exports[0] == exports[1])
            #expect(String(decoding: exports[0], as: UTF8.self).contains("\"\(name)\""))
            #expect(CSVColumn(header: former) == CSVColumn(header: name))
        }
    }

    @Test("Another JSON parser reads the export")
    func anotherParserReadsTheExport() throws {
        struct Export: Decodable {
            struct Task: Decodable {
                var id: UUID
                var text: String
                var completedAt: String?
            }
            var exportDate: String
            var tasks: [Task]
        }
        var random = RandomDocuments(seed: 11)
        let tasks = random.tasks(200)
        for pretty in [true, false] {
            let export = try written(tasks, as: .json, pretty: pretty)
            let decoded = try JSONDecoder().decode(Export.self, from: Data(export))
            #expect(decoded.tasks.map(\.id) == tasks.map(\.id))
            #expect(decoded.tasks.map(\.text) == tasks.map(\.text))
            #expect(decoded.tasks.map(\.completedAt) == tasks.map { $0.completedAt?.description })
        }
    }

    @Test("Lines begin with their collection")
    func linesBeginWithTheirCollection() throws {
        let tombstone = Tombstone(id: try id(2), deletedAt: try Instant("2026-02-10T09:15:00Z"))
        #expect(
            text(try written([try task()], [tombstone], as: .ndjson)) == """
                {"format":"daybook","version":1}
                {"collection":"tasks","id":"00000000-0000-0000-0000-000000000001","text":"Write the report",\
                "state":"notStarted","createdAt":"2026-02-10T09:15:00Z","updatedAt":"2026-02-10T09:15:00Z",\
                "completedAt":null,"scheduledDate":null,"sortOrder":0}
                {"collection":"tombstones","id":"00000000-0000-0000-0000-000000000002",\
                "deletedAt":"2026-02-10T09:15:00Z"}

                """)
    }
}
