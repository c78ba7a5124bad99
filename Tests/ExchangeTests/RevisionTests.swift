import CivilTime
import Testing

@testable import ByteStreams
@testable import Exchange
@testable import Tasks

/// Files without times of change: a difference from the text that an export would write is an edit.
@Suite struct RevisionTests {
    private let now = Instant(secondsSince1970: 1_800_000_000)

    @Test("A revision without edits changes nothing", arguments: TaskFormat.allCases)
    func whatWasNotEditedChangesNothing(_ format: TaskFormat) throws {
        var random = RandomDocuments(seed: 41)
        for task in random.tasks(100) {
            guard let exported = task.exported(in: format, zone: .utc) else { continue }
            #expect(task.revised(by: exported, in: format, zone: .utc, now: now) == nil)
        }
    }

    @Test("One edited field changes that field only")
    func oneEditedFieldChangesThatFieldOnly() throws {
        var random = RandomDocuments(seed: 42)
        let edits: [(inout ImportedTask, ImportedTask) -> Void] = [
            { $0.text = $1.text }, { $0.notes = $1.notes }, { $0.category = $1.category }, { $0.dueAt = $1.dueAt },
            { $0.scheduledDate = $1.scheduledDate }, { $0.isSticky = $1.isSticky }, { $0.extra = $1.extra },
            { $0.region = $1.region }, { $0.archivedAt = $1.archivedAt }, { $0.createdAt = $1.createdAt },
            { $0.parentRecurringID = $1.parentRecurringID }, { $0.listOrder = $1.listOrder },
        ]
        for _ in 0..<50 {
            var task = random.task()
            if task.state != .completed { (task.completedZone, task.completedOffsetSeconds) = (nil, nil) }
            let other = random.task()
            for edit in edits {
                var (file, expected) = (try #require(task.exported(in: .json, zone: .utc)), task)
                edit(&file, other)
                edit(&expected, other)
                let revised = task.revised(by: file, in: .json, zone: .utc, now: now)
                #expect((revised ?? task).content == expected.content)
            }
        }
    }

    @Test("A revision keeps what the format cannot express")
    func whatTheFormatCannotSayStays() throws {
        // Taskwarrior has whole seconds, and its file lacks the attributes that another format has kept.
        var task = try task("old")
        task.createdAt = try Instant("2026-02-10T09:15:00.25Z")
        task.extra = #"{"markdown":["kept"],"taskwarrior":{"steps":["a"]}}"#
        var file = try #require(task.exported(in: .taskwarrior, zone: .utc))
        file.text = "new"
        file.extra = file.extra?.replacing(#""a""#, with: #""b""#)
        let revised = try #require(task.revised(by: file, in: .taskwarrior, zone: .utc, now: now))
        #expect(revised.text == "new")
        #expect(revised.createdAt == task.createdAt)
        #expect(revised.kept(of: .taskwarrior) == .object([JSONMember(key: "steps", value: .array([.string("b")]))]))
        #expect(revised.extra?.contains(#""markdown":["kept"]"#) == true)
    }

    @Test("Completing and reopening in a revision keep the fields consistent")
    func completingAndReopeningKeepTheRulesBetweenFields() throws {
        let open = try task()
        var file = open
        file.state = .completed
        let completed = try #require(open.revised(by: file, in: .json, zone: .utc, now: now))
        #expect(completed.completedAt == now)
        var reopened = try #require(completed.exported(in: .json, zone: .utc))
        reopened.state = .notStarted
        let again = try #require(completed.revised(by: reopened, in: .json, zone: .utc, now: now))
        #expect(again.completedAt == nil)
        #expect(again.completionEpoch == 1)
    }
}
