import CivilTime
import Testing

@testable import Archive

@Suite(.enabled(if: SharedData.isExpected, "needs the files of $DAYBOOK_SHARED/data, or ../shared/data"))
struct RealFileTests {
    @Test(arguments: [
        "taskwarrior-2.6.2-export.json", "history-etcd.taskwarrior.json",
    ])
    func taskwarriorGetsEveryAttributeBack(_ name: String) throws {
        let zone = try Zone("Europe/Istanbul")
        let original = try SharedData.bytes(name)
        #expect(try TaskFormat.detect(original) == .taskwarrior)
        let tasks = try TaskReader.read(original, format: .taskwarrior, zone: zone).tasks
        // All 12,000 take too long in a debug build.
        let some = Array(tasks.prefix(1_500))
        let exported = try objects(try written(some, as: .taskwarrior, zone: zone), limit: 1_500)
        // Canonical text, because the order of keys means nothing in JSON.
        let expected = try objects(original, limit: 1_500).map(JSONValue.canonicalText)
        #expect(exported.map(JSONValue.canonicalText) == expected)

        let lines = try TaskReader.read(try written(some, as: .ndjson), format: .ndjson, zone: zone)
        #expect(lines.tasks == some)
    }

    @Test func theExportOfTheRealProgramMeansWhatItSays() throws {
        let file = try SharedData.bytes("taskwarrior-2.6.2-export.json")
        let tasks = try TaskReader.read(file, format: .taskwarrior, zone: .utc).tasks
        #expect(tasks.count == 67)
        #expect(tasks.filter { $0.state == .completed }.map(\.text) == ["Ünïcode — 日本語 タスク 🎉"])
        #expect(tasks.filter { $0.state == .active }.count == 1)
        #expect(tasks.filter(\.isRecurring).count == 1)
        #expect(tasks.filter { $0.archivedAt != nil }.count == 2)
        #expect(tasks.first?.extra?.contains(#""urgency":12.0846"#) == true)
    }

    @Test func anObjectSpreadOverLinesIsRead() throws {
        let tasks = try TaskReader.read(
            try SharedData.bytes("taskwarrior-import-3.json"), format: .taskwarrior, zone: .utc
        ).tasks
        #expect(tasks.map(\.text) == ["four"])
        #expect(tasks.first?.createdAt == Instant(secondsSince1970: 1_234_567_889))
    }
}
