import CivilTime
import Exchange
import FoundationEssentials
import LabSupport
import Tasks

/// Malicious files, and files with common mistakes.
enum ImportSeeds {
    /// Seeds for every format.
    static let hostile: [[UInt8]] =
        [
            "", "\n", "\r", "\0", "\u{FEFF}", "\u{FEFF}\u{FEFF}\n", "a\rb\rc\r", "\r\r\n\n\r", "x\u{0}y\n",
            String(repeating: "[", count: 70), String(repeating: "{\"a\":", count: 70),
            String(repeating: "\"", count: 99),
            String(repeating: "x", count: 5_000), String(repeating: "\n", count: 300),
            String(repeating: " ", count: 300),
        ].map { Array($0.utf8) } + [
            [0xFF, 0xFE, 0x5B, 0x00], [0xFE, 0xFF, 0x00, 0x5B], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x92],
            [0xED, 0xA0, 0x80], [0xC0, 0xAF], [0xF8, 0x88, 0x80, 0x80, 0x80], [0x28, 0xB5, 0x2F, 0xFD],
        ]

    /// Seeds for one format.
    static func hostile(_ format: TaskFormat) -> [String] {
        switch format {
        case .json: json
        case .ndjson: lines
        case .taskwarrior: taskwarrior
        case .todotxt: todoText
        case .ics: calendar
        case .markdown: markdown
        case .csv: table
        }
    }

    private static let json = [
        #"[{"text":"\ud800"},{"text":"\udc00\ud800"},{"text":"\u0000"},{"text":"\u12"}]"#,
        #"{"tasks":[],"tasks":[{"text":"a","createdAt":"2026-02-10T09:15:00Z"}],"more":{"a":[[[[1]]]]}}"#,
        #"[{"text":"a","createdAt":"2026-02-10T09:15:00.123456789+14:00","sortOrder":1e2,"listOrder":-9223372036854775808}]"#,
        #"[{"text":"a","createdAt":"0001-01-01T00:00:00Z","scheduledDate":"9999-12-31","text":"b","x":1e400,"y":{"z":{}}}]"#,
        #"{"exportDate":"2026-02-10T09:15:00Z","tasks":[{"text":"a","state":"completed","completedAt":null},{}]}"#,
        #"[{"text":"a","extra":{"b":[{"c":"\uD83D\uDE00"}]},"extra":{},"createdAt":"2026-02-30T25:61:00Z"}]"#,
    ]

    private static let lines = [
        "{\"format\":\"daybook\",\"version\":1}\n{\"collection\":\"tasks\",\"text\":\"a\",\"createdAt\":\"2026-02-10T09:15:00Z\"}\n",
        "{\"format\":\"daybook\",\"version\":99999999999999999999}\n", "{\"version\":2,\"format\":\"daybook\"}",
        "{\"format\":\"daybook\",\"version\":1}\n\n\n{\"collection\":\"tombstones\",\"id\":\"9f247ada-f07f-4e73-8876-a3b0f24ebf37\",\"deletedAt\":\"2026-02-10T09:15:00Z\"}\n{oops}\n",
    ]

    private static let taskwarrior = [
        #"[{"description":"a","entry":"20260210T091500Z","status":"pending","tags":["x","y"],"annotations":[{"entry":"20260210T091500Z","description":"n"}]}]"#,
        #"{"description":"a","entry":1770714900,"status":"recurring","recur":"weekly","due":"1770714900","mask":"--+X","imask":3},"#
            + #"{"description":"b","uuid":"9f247ada-f07f-4e73-8876-a3b0f24ebf37","status":"deleted","end":"20260210T091500Z","depends":["9f247ada-f07f-4e73-8876-a3b0f24ebf37"]}"#,
        #"[{"description":"a","entry":-1,"status":"waiting","wait":99999999999999,"until":"2026-02-10T09:15:00Z","daybook":"{\"notes\":\"n\"}"}]"#,
    ]

    private static let todoText = [
        "x 2026-02-11 2026-02-10 (B) Rake +garden @home due:2026-02-12 t:2026-02-11 rec:+1w pri:A note:a%20b%zz%0\n",
        "(A) (B) x +\n@\n+a:b id:9f247ada-f07f-4e73-8876-a3b0f24ebf37 +garden due:\nx\nx \n2026-02-30 a\n",
        "\u{FEFF}(Z) 2026-02-10 Call  home\u{A0}due:soon\u{2028}state:active archived:2026-02-11 category:a%C3%A9%FF\r\n",
        "id:9f247ada-f07f-4e73-8876-a3b0f24ebf37 id:42 rec: note:\n%25 %0a note:%0A%00\n",
    ]

    private static let calendar = [
        """
        BEGIN:VCALENDAR
        BEGIN:VTIMEZONE
        TZID:Mine
        X-LIC-LOCATION:Europe/Berlin
        END:VTIMEZONE
        BEGIN:VTODO
        UID;X="a;b":urn:uuid:9f247ada-f07f-4e73-8876-a3b0f24ebf37
        SUMMARY;LANGUAGE=de:a\\, b\\nc ^n
        DTSTART;TZID=Mine:20260329T023000
        DUE;VALUE=DATE:20260230
        DURATION:P1W
        RRULE:FREQ=YEARLY;BYMONTH=13;COUNT=0
        CATEGORIES:a,b\\,c,,
        BEGIN:VALARM
        ACTION:DISPLAY
        TRIGGER;RELATED=END:-PT99999999999M
        END:VALARM
        X-DAYBOOK:{"notes":"x"}
        END:VTODO
        END:VCALENDAR
        """,
        "BEGIN:VTODO\r\nSUMMARY:long\r\n er\r\n\t text\r\nDUE:20260210T091500Z\r\nDURATION:-P1DT2H\r\nSTATUS:CANCELLED\r\nEND:VTODO\r\n",
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nRRULE:FREQ=DAILY;UNTIL=2026\nEND:VTODO\nBEGIN:VTODO\nDESCRIPTION:\\n\\n x\nRECURRENCE-ID:20260210\nCOMPLETED:99991231T235960Z\nEND:VTODO",
        String(repeating: "BEGIN:VTODO\n", count: 40), "begin:vcalendar\n :\n;=:\nA;B=\"\n END:VCALENDAR\n",
        "BEGIN:VTODO\nSUMMARY;ALTREP=\"CID:<x>\";X=^'^^^n:a\nDURATION:P99999999999999999999D\nDTSTART:00010101\nDUE:99991231T240000Z\nPERCENT-COMPLETE:50\nEND:VTODO\n",
    ]

    private static let markdown = [
        "---\ntitle: x\n---\n# H\n- [ ] a 📅 2026-02-30 ⏳ 2026-02-11 🔁 every week ✅ 2026-02-12 ➕ 2026-02-10 🆔 abc ^link\n    notes\n\n    more\n",
        "> 1. [x] b 🔺 [category:: a b] #tag &#128197; &#0; &#x110000; &#99999999999;\n>     n\n* [/] c\n\t- [-] d ❌ 2026-02-12\n",
        "```\n- [ ] no\n~~~\n```\n+ [X] e [x](y) 🛫 2026-02-12 ⛔ q 🏁 delete\n1) [?] f\n-  [ ]\n- [ ]  \n",
        "- [ ] \\[ ] \u{FE0F}📅\u{FE0F} 2026-02-12\u{200D}\n \t \t deep\n",
    ]

    private static let table = [
        "text,id,scheduledDate,notes\n\"a\nb\",,2026-02-11,\"x\"\"y\"\n\"unclosed",
        "sep=;\r\nTEXT;State;other;extra\r\n'=1+1;completed;o;\"{\"\"a\"\":1}\"\r\n\r\n;;;\r\n",
        "\u{FEFF}text\tcreatedAt\tisSticky\n=cmd\t2026-02-10T09:15:00Z\tTRUE\na\t\t1\n", "text,text\na,b\n",
        "text,notes\n\"a\"b,c\n\"a\",\"b\",c\n'''+x,@y\n",
        "text," + (0..<200).map { "c\($0)" }.joined(separator: ",") + "\na" + String(repeating: ",", count: 200) + "\n",
    ]

    /// Tokens of a format, and delimiters of every format.
    static func tokens(_ format: TaskFormat) -> [[UInt8]] {
        let common = [
            "\n", "\r\n", "\r", "\0", "\u{FEFF}", "\"", "\\", "\\u0000", "\\ud83d", "2026-02-29", "0001-01-01",
            "9999-12-31",
            "2026-02-10T09:15:00Z", "9f247ada-f07f-4e73-8876-a3b0f24ebf37", "\u{2028}", "\u{85}", "\u{301}",
        ]
        let own: String =
            switch format {
            case .json:
                #"{ } [ ] , : true false null "text": "state": "completed" "active" "createdAt": "extra":{ "sortOrder": "tasks":[ 1e9"#
            case .ndjson:
                #"{ } [ ] , : {"format":"daybook","version":1} "collection":"tasks", "collection":"tombstones", "deletedAt":"#
            case .taskwarrior:
                #"{ } [ ] , : "description": "status":"deleted" "status":"recurring" "entry": "until": "scheduled": "daybook":"{}" "tags":[ "parent":"#
            case .todotxt: "x (A) + @ due: t: rec: pri: id: state:active archived: note: category: %00 %C3 %25 : \u{A0}"
            case .ics:
                "BEGIN:VTODO END:VTODO BEGIN:VALARM END:VALARM BEGIN:VEVENT : ; = , ^n \\n RRULE:FREQ=DAILY DTSTART DUE DURATION:PT1H TZID=Europe/Berlin VALUE=DATE COMPLETED: STATUS:COMPLETED X-DAYBOOK:{} UID: TRIGGER:-P1D CATEGORIES: 20260210T091500Z 20260210"
            case .markdown:
                "- [ ] [x] [/] [-] * + 1. > ``` ~~~ 📅 ⏳ 🔁 ✅ ❌ ➕ 🆔 🛫 ⛔ 🏁 🔺 ^link [category:: ] &#1; &# ; \\[ \u{FE0F}"
            case .csv: ", ; \" \"\" ' = + - @ sep=; text id state notes extra {} true 1"
            }
        var words = common + own.split(separator: " ").map(String.init) + [" ", "\t", "    "]
        if format == .ics { words += ["\n ", "\r\n\t"] }
        return words.map { Array($0.utf8) }
    }
}

/// Tasks with default and other values in every field, and texts of all kinds.
struct SeedDocuments {
    var random: SeededGenerator

    mutating func tasks(_ count: Int) -> [ImportedTask] { (0..<count).map { _ in task() } }

    mutating func task() -> ImportedTask {
        var task = ImportedTask(id: id(), text: text(), createdAt: instant(), updatedAt: instant())
        task.state = random.pick(TaskState.allCases)
        if task.state == .completed { task.completedAt = instant() }
        if random.oneIn(2) { task.scheduledDate = day() }
        task.sortOrder = random.below(100)
        if random.oneIn(3) { task.notes = text() + "\n" + text() }
        if random.oneIn(3) { task.category = random.pick(["home", "front garden", "Straßenbahnhaltestelle"]) }
        if random.oneIn(3) { task.dueAt = random.oneIn(2) ? instant() : Instant(secondsSince1970: 1_770_768_000) }
        task.dueIsAllDay = random.oneIn(2)
        if task.dueAt == nil, random.oneIn(3) { task.dueDay = Day(daysSince1970: Int32(random.below(40_000))) }
        if random.oneIn(4) { task.reminderAt = instant() }
        if random.oneIn(4) { task.archivedAt = instant() }
        // Not a period such as 1w: an export for Taskwarrior says it in Taskwarrior's words, and is read as the rule that it means.
        if random.oneIn(4) { task.recurringPattern = random.pick(["FREQ=WEEKLY;BYDAY=MO", "every week", "36h"]) }
        if random.oneIn(4) { addRareFields(to: &task) }
        if random.oneIn(6) { task.extra = #"{"plugin":{"a":[1,2.5e3,"x\ny",null]}}"# }
        return task
    }

    private mutating func addRareFields(to task: inout ImportedTask) {
        task.completedZone = random.oneIn(2) ? "Europe/Istanbul" : nil
        task.completedOffsetSeconds = random.oneIn(2) ? Int32(random.below(86_400) - 43_200) : nil
        task.completionEpoch = UInt32(random.below(3))
        task.listID = random.oneIn(2) ? id() : nil
        task.listOrder = Int64(random.below(9)) - 4
        task.region = random.pick(TaskRegion.allCases)
        task.bucket = random.pick(TaskBucket.allCases)
        task.planOrder = Int64(bitPattern: random.next())
        (task.autoCarry, task.isSticky, task.isRecurring) = (random.oneIn(2), random.oneIn(2), random.oneIn(2))
        task.expiresAt = random.oneIn(2) ? instant() : nil
        task.parentRecurringID = random.oneIn(2) ? id() : nil
        task.carriedFromDay = random.oneIn(2) ? day() : nil
        task.carryCount = UInt32(random.below(4))
    }

    mutating func tombstone() -> Tombstone {
        Tombstone(
            id: id(), deletedAt: instant(), completedAt: random.oneIn(2) ? instant() : nil,
            completedZone: random.oneIn(2) ? "Pacific/Apia" : nil)
    }

    private mutating func text() -> String {
        let pieces = [
            "Geburtstagsfeier", "internationalisation", "milk", "\"", "\\", "a,b;c", "#tag", "+garden", "@phone", "(A)",
            "due:2026-02-12", "x", "[ ]", "📅 2026-02-12", "é", "日本語", "👩‍👩‍👧‍👦", "%20", "'=1+1", "{}", "\t",
            "\u{1}", "\u{FEFF}", "\u{2028}", "&amp;",
        ]
        return (0...random.below(6)).map { _ in random.pick(pieces) }.joined(separator: " ") + "."
    }

    private mutating func id() -> UUID {
        let bytes = (0..<16).map { _ in random.byte() }
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
                bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }

    /// An instant of recent decades, sometimes with a fraction of a second.
    private mutating func instant() -> Instant {
        let seconds = Int64(1_500_000_000 + random.below(300_000_000))
        return Instant(
            microsecondsSince1970: seconds * 1_000_000 + (random.oneIn(4) ? Int64(random.below(1_000_000)) : 0))
    }

    private mutating func day() -> Day { Day(clampingDaysSince1970: 18_000 + random.below(5_000)) }
}
