import Daybook
import LabSupport
import Simulation

/// Run records that a page must draw correctly.
enum StorySamples {
    /// The night of the gap in Berlin.
    static func shortNight() throws -> Story {
        var builder = try StoryBuilder(
            "The night on which clocks go forward has only 23 hours", starts: "2026-03-28 21:40",
            zone: "Europe/Berlin", requirements: ["C-S3.9", "S-21"])
        builder.create("Water the plants", on: builder.today)
        builder.create("Call grandmother", on: builder.today.advanced(by: 1))
        builder.create("Read about tides")
        builder.reportView(.inbox, ["inserted Read about tides at 0"])
        builder.setState("Water the plants", .active)
        builder.advance(.seconds(95))
        builder.setState("Water the plants", .completed)
        builder.expect("completed today: 1")
        try builder.advance(to: "2026-03-29 01:59:59.5")
        builder.reportView(.today, ["removed Water the plants at 0", "inserted Call grandmother at 0"])
        builder.reportView(.upcoming, ["removed Call grandmother at 0"])
        builder.reportView(.past, ["inserted Water the plants at 0"])
        builder.expect("today: [Call grandmother], past: [Water the plants]")
        builder.advance(.milliseconds(500))
        builder.expect("clock: 2026-03-29 03:00")
        builder.machine("sleep")
        try builder.advance(to: "midnight")
        builder.machine("wake")
        builder.expect("past: [Call grandmother, Water the plants]")
        return builder.story
    }

    /// Across the date line and back, and the Friday that Apia skipped.
    static func dateLine() throws -> Story {
        var builder = try StoryBuilder(
            "Apia skips a Friday, and a flight east repeats a day", starts: "2011-12-29 22:00",
            zone: "Pacific/Apia", requirements: ["C-S3.11"])
        builder.setObservers(["UTC", "Pacific/Auckland"])
        builder.create("Close the books", on: builder.today)
        builder.create("New Year's breakfast", on: Day(year: 2012, month: 1, day: 1))
        try builder.advance(to: "midnight")
        builder.expect("date: 2011-12-31")
        builder.setState("Close the books", .completed)
        try builder.travel(to: "Pacific/Honolulu")
        builder.expect("date: 2011-12-30")
        builder.advance(.days(1))
        try builder.travel(to: "Pacific/Auckland")
        builder.setState("New Year's breakfast", .active)
        builder.jump(.hours(-30))
        builder.expect("date: 2011-12-31")
        builder.jump(.days(366))
        builder.advance(.days(400))
        builder.refuse("undo", code: "undo-expired")
        return builder.story
    }

    /// A power failure, after which acknowledged changes must be present.
    static func crash() throws -> Story {
        var builder = try StoryBuilder(
            "What was acknowledged is there after a power failure", starts: "2026-07-01 23:59:58.25",
            zone: "America/Los_Angeles", requirements: ["S-50", "S-51"])
        builder.setObservers(["UTC"])
        for name in ["Pack", "Buy a ticket", "Lock the door"] { builder.create(name, on: builder.today) }
        builder.moveLast("Lock the door")
        builder.advance(.milliseconds(1_750))
        builder.machine(
            "crash: power, during: complete: Pack, choice: 77", outcome: "crashed after call 3 of 8, 2 writes lost")
        builder.machine("fault: full disk, writes: 1")
        builder.refuse("create: Too much", code: "storage-full")
        builder.close()
        builder.advance(.hours(3))
        builder.open()
        builder.machine("crash: process", outcome: "crashed between two operations")
        builder.delete("Pack")
        builder.expect("past: [Buy a ticket, Lock the door], tasks: 2")
        builder.fail(
            StoryFailure(
                "past", expected: "[Buy a ticket, Lock the door]", found: "[Lock the door, Buy a ticket]",
                line: builder.story.events.last?.line))
        return builder.story
    }

    /// Names that try to inject markup.
    static func hostileNames() throws -> Story {
        let name = "</script><b>bold</b> & \"quotes\" 'n' &amp; <!-- "
        var builder = try StoryBuilder(name, starts: "2026-03-10 12:00", zone: "UTC")
        builder.setObservers([])
        for name in [
            "</script><b>x", "\" onmouseover=\"alert(1)", "🧑‍🚀 to the 🌙", "קנה חלב ולחם", "שלום <b>עולם</b> 12",
            "\u{202E}backwards",
            "A_very_long_word_without_a_single_place_to_break_it_" + String(repeating: "x", count: 90),
            "null\u{0}bell\u{7}", "C:\\${name}\\#(1)",
        ] {
            builder.create(name, on: builder.today)
        }
        builder.fail(StoryFailure("today <i>", expected: "</dd><script>alert(1)</script>", found: "[\u{0}]"))
        return builder.story
    }

    /// A random run with the given number of events.
    static func random(events count: Int, seed: UInt64) throws -> Story {
        var generator = SeededGenerator(seed: seed)
        func draw(_ limit: Int) -> Int { generator.number(below: limit) }
        let zones = ["Europe/Berlin", "Asia/Kathmandu", "America/St_Johns"]
        var builder = try StoryBuilder("Random story \(seed)", starts: "2026-03-20 09:00", zone: zones[draw(3)])
        while builder.story.events.count < count {
            let name = builder.names.isEmpty ? "" : builder.names[draw(builder.names.count)]
            switch draw(24) {
            case 0...6:
                builder.create(
                    "Task \(builder.story.events.count)",
                    on: draw(4) == 0 ? nil : builder.today.advanced(by: draw(5) - 1)
                )
            case 7...11: builder.setState(name, TaskState.allCases[draw(3)])
            case 12: builder.schedule(name, on: builder.today.advanced(by: draw(3)))
            case 13: builder.moveLast(name)
            case 14: builder.delete(name)
            case 15...17: builder.advance(.milliseconds([1, 900, 60_000, 3_600_000, 40_000_000, 100_000_000][draw(6)]))
            case 18: builder.advance(.days(draw(40)))
            case 19: try builder.travel(to: zones[draw(3)])
            case 20: builder.jump(.hours(draw(50) - 25))
            case 21:
                builder.machine("crash: power, choice: \(draw(900))", outcome: "crashed after call \(draw(9)) of 9")
            case 22:
                builder.machine("sleep")
                builder.advance(.hours(draw(200)))
                builder.machine("wake")
            default:
                builder.close()
                builder.open()
            }
        }
        return builder.story
    }
}

/// Just enough parsing of markup to check a page.
extension String {
    /// Returns every text between two delimiters; up to the end if the second one is nil.
    func pieces(between start: String, and end: String?) -> [String] {
        var found: [String] = []
        var rest = self[...]
        while let range = rest.firstRange(of: start) {
            rest = rest[range.upperBound...]
            guard let end else { return [String(rest)] }
            guard let close = rest.firstRange(of: end) else { break }
            found.append(String(rest[..<close.lowerBound]))
            rest = rest[close.upperBound...]
        }
        return found
    }

    /// Returns the number of occurrences of a text.
    func count(of text: String) -> Int { ranges(of: text).count }

    /// The text without elements.
    var textOnly: String {
        var isInside = false
        var text = ""
        for character in self {
            if character == "<" {
                isInside = true
            } else if character == ">" {
                isInside = false
            } else if !isInside {
                text.append(character)
            }
        }
        return text
    }

    /// The first element that is closed without being open, or never closed; nil if there is none. List items may be
    /// closed by the next one or by the end of the list, as HTML allows.
    var unbalancedElement: String? {
        let void: Set<String> = ["meta", "link", "br", "circle", "path", "use"]
        var open: [String] = []
        var rest = self[...]
        while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
            let tag = rest[rest.index(after: start)..<end]
            rest = rest[rest.index(after: end)...]
            let name = String(tag.drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber })
            if tag.hasPrefix("!") || void.contains(name) { continue }
            if tag.hasPrefix("/") {
                while name != "li", open.last == "li" { open.removeLast() }
                guard open.popLast() == name else { return String(tag) }
            } else {
                if name == "li", open.last == "li" { open.removeLast() }
                open.append(name)
            }
            if name == "script" || name == "style", !tag.hasPrefix("/"), let close = rest.firstRange(of: "</\(name)>") {
                rest = rest[close.upperBound...]
                open.removeLast()
            }
        }
        return open.last
    }
}
