import CivilTime
import Daybook
import Exchange
import FoundationEssentials
import Journals
import LabSupport
import Records

/// The reader of journals: Daybook's JSON, Day One, jrnl, iCalendar.
struct JournalTarget: FuzzTarget {
    private let store: DaybookStore
    private let mutator: Mutator
    private let corpus = Self.files.map { Array($0.utf8) }

    init(in folder: String) throws {
        store = try DaybookStore.open(
            at: URL(filePath: "\(folder)/journals"), context: StoreRecords.context(1))
        mutator = Mutator(others: corpus + ImportSeeds.hostile, tokens: Self.tokens)
    }

    func input(_ random: inout SeededGenerator) -> [UInt8] { mutator.mutate(random.pick(corpus), &random) }

    func read(_ input: [UInt8], _ random: inout SeededGenerator) throws -> Verdict {
        var file: JournalFile?
        let verdict = try judge(quoting: input) { file = try JournalFile(input, zone: .utc) }
        guard let file else { return verdict }
        guard !file.entries.contains(where: { $0.content.allSatisfy(\.isWhitespace) }) else {
            throw Finding("blank", "an entry has no content")
        }
        // A store is slow.
        if random.oneIn(50) { try roundTrip(input, file) }
        return verdict
    }

    /// - Throws: ``Finding`` if what was imported is not what the file has, or is exported as something else.
    private func roundTrip(_ input: [UInt8], _ file: JournalFile) throws {
        let thread: UUID
        do {
            thread = try store.files.importJournal(input, name: "Imported").thread
        } catch {
            // Of an error of the journal's rules nothing is in the store.
            try Leak.check("\(error)", input)
            guard try store.read({ try $0.journals.threads().isEmpty }) else {
                throw Finding("partial", "a refused file left entries")
            }
            return
        }
        var exported: [UInt8] = []
        try store.files.exportThread(thread, as: .json) { exported += $1 }
        var again = try JournalFile(exported, zone: .utc)
        if Plant.active == .change, !again.entries.isEmpty { again.entries[0].content += "." }
        let ids = Set(file.entries.map(\.id))
        // Of entries with one id, the one that was edited last is kept.
        if ids.count == file.entries.count {
            let (before, after) = (file.entries.map(Line.init), again.entries.map(Line.init))
            guard before.sorted() == after.sorted() else {
                throw Finding("change", "\(before.count) entries are others when they are exported")
            }
        }
        guard try store.files.importJournal(exported, into: thread, name: "").imported == 0 else {
            throw Finding("again", "importing an export changes the store")
        }
        _ = try store.write { try $0.journals.purgeThread(thread) }
    }

    private struct Line: Comparable {
        let id: UUID
        let content: String
        let timestamp: Instant

        init(_ entry: ImportedEntry) { (id, content, timestamp) = (entry.id, entry.content, entry.timestamp) }

        static func < (left: Line, right: Line) -> Bool { left.id < right.id }
    }

    private static let files = [
        """
        {"thread":{"id":"9f247ada-f07f-4e73-8876-a3b0f24ebf37","title":"Garden"},"fields":[],"entries":[
        {"id":"9f247ada-f07f-4e73-8876-a3b0f24ebf38","content":"a\\nb","timestamp":"2026-02-10T09:15:00Z","editedAt":null,"place":"Izmir, Aegean","fields":{"Mood":"good","Sleep":null}},
        {"content":"c","timestamp":"2026-02-10T09:15:00.25Z","editedAt":"2026-02-11T09:15:00Z","fields":{}}
        ]}
        """,
        """
        {"metadata":{"version":"1.0"},"entries":[{"uuid":"B4A1D0F3C27E4F7E9E9F0A1B2C3D4E5F","creationDate":"2026-02-10T09:15:00Z","modifiedDate":"2026-02-10T10:00:00Z","text":"# A day\\n\\nin the garden","location":{"localityName":"Izmir","administrativeArea":"Aegean","longitude":27.1},"tags":["x"]},
        {"creationDate":"2026-02-11T09:15:00Z","text":" "}]}
        """,
        """
        {"tags":{"@home":1},"entries":[{"title":"Rain.","body":"All day @home.","date":"2026-02-10","time":"09:15","tags":["@home"],"starred":false},{"title":"Sun","body":"","date":"2026-02-11","time":"23:59"}]}
        """,
        "[2026-02-10 09:15] Rain. All day\nand night @home\n\n2026-02-11 09:30:00 PM Sun\n\n[2026-02-12 12:00:00 AM] Snow *\n",
        "[07/24/2019 08:00 PM] A\n[25.07.2019 20:00] B\n[Fri, 26 Jul 2019 at 8 pm] C\n[2019-07-27T20:00:00+02:00] D\n[20190728] E\n",
        "2026-02-10 09:15 A\n2026-02-11 is the day\n2026-02-12 9:15 PM B\n",
        "BEGIN:VCALENDAR\r\nBEGIN:VJOURNAL\r\nUID:19970901T130000Z-123405@example.com\r\nDTSTAMP:19970901T130000Z\r\nDTSTART;VALUE=DATE:20260210\r\nSUMMARY:Staff meeting\\, minutes\r\nDESCRIPTION:1. Who\\n2. What\r\n  folded\r\nEND:VJOURNAL\r\nBEGIN:VEVENT\r\nEND:VEVENT\r\nBEGIN:VJOURNAL\r\nDTSTART;TZID=Europe/Berlin:20260329T023000\r\nDESCRIPTION:x\r\nLAST-MODIFIED:20260401T000000Z\r\nEND:VJOURNAL\r\nEND:VCALENDAR\r\n",
    ]

    private static let tokens = [
        "{", "}", "[", "]", ":", ",", "\"", "\n", "\r\n", "\0", "\\u0000", "\\ud83d", "null", "\"entries\":[",
        "\"thread\":{",
        "\"timestamp\":", "\"creationDate\":", "\"date\":", "\"content\":\"\"", "\"fields\":{", "2026-02-29", "24:00",
        "AM",
        "12:00 PM", "[2026-02-10 09:15]", "BEGIN:VJOURNAL\n", "END:VJOURNAL\n", "DTSTART:", "DTSTART;TZID=Nowhere:",
        "SUMMARY:", "DESCRIPTION:\\n", "UID:", "\u{FEFF}", "\u{2028}", "\u{301}", "9999-12-31T23:59:59Z", "0001-01-01",
    ].map { Array($0.utf8) }
}
