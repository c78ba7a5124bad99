import CivilTime
import TestSupport
import Testing

@testable import ByteStreams
@testable import Exchange

@Suite(.enabled(if: SharedData.isExpected, "needs the files of $DAYBOOK_SHARED/data, or ../shared/data"))
struct RealICalendarTests {
    private let now = Instant(secondsSince1970: 1_770_000_000)

    @Test(
        "Tasks are exported as they were imported",
        arguments: [
            ("icalendar-all-components.ics", ["Test Todo 1"]), ("icalendar-events-and-todos.ics", ["Test Todo 1"]),
            ("icalendar-journal-example.ics", []),
            ("icalendar-todo-example.ics", ["Submit Quebec Income Tax Return for 2006"]),
            ("libical-2445.ics", ["1996 Income Tax Preparation", "Submit Income Taxes"]),
            ("libical-3-vtodo.ics", ["Submit Income Taxes"]), ("libical-4-vjournal.ics", []),
        ])
    func tasksComeInAndGoOutAsTheyWere(_ name: String, _ texts: [String]) throws {
        let file = try SharedData.bytes(name)
        #expect(try TaskFormat.detect(file) == .ics)
        let tasks = try TaskReader.read(file, format: .ics, zone: .utc, now: now).tasks
        #expect(tasks.map(\.text) == texts)
        #expect(todos(in: text(try written(tasks, as: .ics))) == todos(in: text(file)))
    }

    /// Each VTODO, word for word.
    private func todos(in file: String) -> [String] {
        file.replacing("\r\n", with: "\n").split(separator: "BEGIN:VTODO", omittingEmptySubsequences: false).dropFirst()
            .compactMap { $0.split(separator: "END:VTODO").first.map(String.init) }
    }

    @Test("Fields of real files are read correctly")
    func theirFieldsAreWhatTheySay() throws {
        let file = try SharedData.bytes("libical-3-vtodo.ics")
        let task = try #require(try TaskReader.read(file, format: .ics, zone: .utc).tasks.first)
        #expect(task.dueAt == (try Instant("1998-04-15T23:59:59Z")))
        #expect(!task.dueIsAllDay)
        #expect(task.reminderAt == (try Instant("1998-04-03T12:00:00Z")))
        #expect(task.updatedAt == (try Instant("1998-01-30T13:45:00Z")))
    }

    @Test("A damaged file is refused with the line")
    func theDamagedOneIsRefusedWithItsLine() throws {
        let file = try SharedData.bytes("libical-recur-errors.ics")
        let error = #expect(throws: FileError.self) {
            try TaskReader.read(file, format: .ics, zone: .utc, now: now)
        }
        #expect(error?.description.contains("line 1 ") == true)
    }
}
