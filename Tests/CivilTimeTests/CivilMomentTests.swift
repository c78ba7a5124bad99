import CivilTime
import Foundation
import Testing

@Suite struct CivilMomentTests {
    /// A Wednesday.
    private let today = Day(clampingDaysSince1970: 20_495)

    @Test(
        "Days, times, days with times, and instants are parsed",
        arguments: [
            ("17:30", "2026-02-11 17:30"), ("0:00", "2026-02-11 00:00"), ("23:59:59", "2026-02-11 23:59:59"),
            ("5pm", "2026-02-11 17:00"), ("12AM", "2026-02-11 00:00"), ("12pm", "2026-02-11 12:00"),
            ("5:05am", "2026-02-11 05:05"), ("at 9", "2026-02-11 09:00"), ("at 17:30", "2026-02-11 17:30"),
            ("17:30 tomorrow", "2026-02-12 17:30"), ("tomorrow 17:30", "2026-02-12 17:30"),
            ("Tomorrow at 9", "2026-02-12 09:00"), ("at 9 tomorrow", "2026-02-12 09:00"),
            ("tomorrow at 5pm", "2026-02-12 17:00"), ("next friday 8:15", "2026-02-20 08:15"),
            ("9:00 in 3 days", "2026-02-14 09:00"), ("feb 12 at 9", "2026-02-12 09:00"),
            ("feb 11 2027 17:30", "2027-02-11 17:30"), ("5pm on friday", "2026-02-13 17:00"),
            ("end of month 17:00", "2026-02-28 17:00"), ("2026-02-12 07:00", "2026-02-12 07:00"),
            ("fri", "2026-02-13"), ("feb 12", "2026-02-12"),
            ("2026-02-11T07:00:00Z", "2026-02-11T07:00:00Z"), ("20260211t0700z", "2026-02-11T07:00:00Z"),
            ("2026-02-11T07:00+01:00", "2026-02-11T06:00:00Z"),
        ])
    func forms(text: String, expected: String) throws {
        #expect(try CivilMoment(parsing: text, today: today).description == expected)
    }

    @Test(
        "What is no moment is an error",
        arguments: [
            "", "24:00", "17:60", "17:5", "17", "9", "at", "at 24", "at 009", "13pm", "0am", "pm", "17:30pm",
            "tomorrow 9",
            "tomorrow at", "at tomorrow", "17:30 18:30", "17:30 at tomorrow", "noonish", "17:30 ", "tomorrow  17:30",
            "5 pm",
            "17:30:60",
        ])
    func notMoments(text: String) {
        let error = #expect(throws: DatePhraseError.self) { try CivilMoment(parsing: text, today: today) }
        #expect(error == .malformedMoment || error == .malformedDay, "\(text)")
    }

    @Test("An instant that is not one is an error that says which part is wrong")
    func badInstants() {
        for text in ["2026-02-11T07:00:00+1", "2026-02-11T25:00:00Z", "2026-02-30T07:00:00Z"] {
            let error = #expect(throws: DatePhraseError.self) { try CivilMoment(parsing: text, today: today) }
            guard case .malformedInstant = error else {
                Issue.record("\(text): \(String(describing: error))")
                continue
            }
        }
    }

    @Test("A time in a gap means the first instant after it, in an overlap the first of the two")
    func gapsAndOverlaps() throws {
        let berlin = try Zone("Europe/Berlin")
        for (text, instant) in [
            ("2026-03-29 02:30", "2026-03-29T01:00:00Z"), ("2026-03-29 03:00", "2026-03-29T01:00:00Z"),
            ("2026-10-25 02:30", "2026-10-25T00:30:00Z"), ("2026-10-25 03:00", "2026-10-25T02:00:00Z"),
        ] {
            let moment = try CivilMoment(parsing: text, today: today)
            #expect(moment.instant(in: berlin)?.description == instant)
        }
        #expect(try CivilMoment(parsing: "fri", today: today).instant(in: berlin) == nil)
        let late = try CivilMoment(parsing: "2026-02-11T23:30:00Z", today: today)
        #expect(late.day(in: berlin).description == "2026-02-12")
    }

    @Test("Every printed form of a random moment parses back")
    func printedForms() throws {
        var dice = SeededNumbers(seed: 18)
        for _ in 0..<3_000 {
            let day = Day(clampingDaysSince1970: dice.below(3_652_059) - 719_162)
            let seconds = dice.below(2) == 0 ? dice.below(86_400) : dice.below(1_440) * 60
            let micros = Int64(dice.below(86_400)) * 1_000_000 + Int64(dice.below(3))
            for moment in [
                .day(day), .time(day, secondsIntoDay: seconds),
                .instant(Zone.utc.start(of: day).advanced(byMicroseconds: micros)),
            ] as [CivilMoment] {
                #expect(try CivilMoment(parsing: moment.description, today: today) == moment)
            }
        }
    }
}

@Suite struct DateGrammarTests {
    @Test("Each documented form means what its row says")
    func examples() throws {
        #expect(DateGrammar.today.weekday == .wednesday)
        for form in DateGrammar.days {
            #expect(try Day(parsing: form.example, today: DateGrammar.today).description == form.result)
        }
        for form in DateGrammar.days + DateGrammar.moments {
            #expect(try CivilMoment(parsing: form.example, today: DateGrammar.today).description == form.result)
        }
    }

    @Test("Documentation/Dates.md has the rows of the grammar, and no other")
    func page() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "Documentation/Dates.md"), encoding: .utf8)
        for (title, forms) in [("Days", DateGrammar.days), ("Moments", DateGrammar.moments)] {
            let section = try #require(
                page.components(separatedBy: "\n## \(title)\n").last?.components(separatedBy: "\n## ").first)
            let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
            #expect(rows == forms.map { "| `\($0.example)` | `\($0.result)` | \($0.meaning) |" })
        }
    }
}

/// Random numbers that a seed determines.
struct SeededNumbers {
    private let source: SeededRandomSource

    init(seed: UInt64) {
        source = SeededRandomSource(seed: seed)
    }

    mutating func below(_ bound: Int) -> Int { Int(source.next() % UInt64(bound)) }
}
