import Foundation
import TestSupport
import Testing

@testable import CivilTime

/// The forms of `$TZ`, compared with what the C library makes of them.
@Suite struct ZoneVariableTests {
    private func zone(_ variable: String?, localtime: String = "/nonexistent") throws -> Zone {
        try SystemZone().zone(variable, localtimePath: localtime)
    }

    @Test("A zone variable names a zone, a zone file or a rule")
    func forms() throws {
        let folder = TemporaryFolder()
        let copy = try folder.copy("Asia/Tokyo", as: "copied.tzif")
        let own = try folder.write("own.tzif", ZoneFileMaker.bytes(offsets: [5400], footer: "<+0130>-1:30"))
        let elsewhere = try folder.write(
            "zoneinfo/Europe/Berlin", ZoneFileMaker.bytes(offsets: [5400], footer: "<+0130>-1:30"))
        let localtime = try folder.link("localtime", to: ZoneDirectory.current.path(of: "Europe/Berlin"))
        let cases: [(variable: String, identifier: String, offset: Int)] = [
            ("Asia/Tokyo", "Asia/Tokyo", 32_400),
            (":Asia/Tokyo", "Asia/Tokyo", 32_400),
            ("posix/Asia/Tokyo", "Asia/Tokyo", 32_400),
            ("\(ZoneDirectory.current.path)/Asia/Tokyo", "Asia/Tokyo", 32_400),
            (":\(ZoneDirectory.current.path)/Asia/Tokyo", "Asia/Tokyo", 32_400),
            (copy, "Asia/Tokyo", 32_400), (":\(copy)", "Asia/Tokyo", 32_400),
            (own, "<+0130>-1:30", 5_400), (elsewhere, "Europe/Berlin", 5_400),
            (localtime, "Europe/Berlin", 7_200), (":\(localtime)", "Europe/Berlin", 7_200),
            ("CET-1CEST,M3.5.0,M10.5.0/3", "CET-1CEST,M3.5.0,M10.5.0/3", 7_200),
            (":CET-1CEST,M3.5.0,M10.5.0/3", "CET-1CEST,M3.5.0,M10.5.0/3", 7_200),
            ("UTC0", "UTC0", 0), ("<+03>-3", "<+03>-3", 10_800), ("EST5EDT4", "EST5EDT4", -14_400),
            ("", "UTC", 0), (":", "UTC", 0), ("UTC", "UTC", 0),
        ]
        let summer = try Instant("2026-07-01T12:00:00Z")
        for (variable, identifier, offset) in cases {
            let zone = try zone(variable, localtime: localtime)
            #expect(zone.identifier == identifier, "\(variable)")
            #expect(zone.offsetSeconds(at: summer) == offset, "\(variable)")
        }
    }

    @Test("The machine's zone is used where the variable cannot be read, then UTC")
    func fallback() throws {
        let folder = TemporaryFolder()
        let localtime = try folder.link("localtime", to: ZoneDirectory.current.path(of: "Asia/Tokyo"))
        let damaged = try folder.write("damaged", Array("TZif2".utf8))
        for variable in ["Mars/Olympus", "/nonexistent/zone", "CEX", "CET-25", damaged, "/dev/null", "/etc/passwd"] {
            let system = SystemZone()
            #expect(throws: CivilTimeError.self) { try system.zone(variable, localtimePath: localtime) }
            #expect(system.usableZone(variable, localtimePath: localtime).identifier == "Asia/Tokyo")
            #expect(system.usableZone(variable, localtimePath: damaged) == .utc)
            #expect(system.usableZone(variable, localtimePath: "/nonexistent") == .utc)
            #expect(system.followsLocaltime(variable, localtimePath: localtime))
        }
        let system = SystemZone()
        #expect(system.followsLocaltime(nil, localtimePath: localtime))
        #expect(system.followsLocaltime(":\(localtime)", localtimePath: localtime))
        for variable in ["Europe/Berlin", "CET-1CEST", ""] {
            #expect(!system.followsLocaltime(variable, localtimePath: localtime))
        }
    }

    @Test("A zone file that is replaced gives another zone")
    func replacement() throws {
        let folder = TemporaryFolder()
        let system = SystemZone()
        for (offset, footer) in [(3600, "AAA-1"), (7200, "BBB-2")] {
            let path = try folder.write("own", ZoneFileMaker.bytes(offsets: [Int32(offset)], footer: footer))
            #expect(try system.zone(path, localtimePath: "/nonexistent").identifier == footer)
        }
    }

    @Test("The path of every installed zone gives the zone of that name")
    func paths() throws {
        let system = SystemZone()
        for name in Zone.allIdentifiers() {
            for variable in [
                ":\(name)", ZoneDirectory.current.path(of: name), ":" + ZoneDirectory.current.path(of: name),
            ] {
                let zone = try system.zone(variable, localtimePath: "/nonexistent")
                #expect(zone.identifier == name)
                #expect(zone.rules === (try Zone(name)).rules)
            }
        }
    }

    @Test(
        "Offsets of any rule are those of the C library",
        .enabled(if: LibraryClock.isAvailable, "python3, which asks the C library, is not installed"))
    func rulesOfTheLibrary() throws {
        let random = RuleMaker(seed: 33)
        var questions: [(variable: String, seconds: [Int])] = []
        for _ in 0..<400 {
            // The C library looks at the changes of one year of UTC only, so neither a change nor an instant may be near
            // the end of one: a change at hour 167 counts in the year that its date is in. Before 1971 it takes the changes
            // of 1970.
            questions.append((random.rule(), (0..<40).map { _ in random.second(years: 1971...2200) }))
        }
        for _ in 0..<100 {
            questions.append((random.ruleWithoutDates(), (0..<40).map { _ in random.second(years: 1971...2200) }))
        }
        questions.append(("CET-1CEST,M3.5.0,M10.5.0/3", [1_774_745_999, 1_774_746_000, 1_792_889_999, 1_792_890_000]))
        let answers = try LibraryClock.offsets(questions)
        try #require(answers.count == questions.count)
        for (question, answer) in zip(questions, answers) {
            let zone = try zone(question.variable)
            let found = question.seconds.map { zone.offsetSeconds(at: Instant(secondsSince1970: Int64($0))) }
            #expect(found == answer, "TZ=\(question.variable)")
        }
        // The comparison can fail: the same answers are not those of another rule.
        let other = try zone("CET-1CEST,M3.5.0,M10.5.0/4")
        let last = try #require(questions.last)
        #expect(
            last.seconds.map { other.offsetSeconds(at: Instant(secondsSince1970: Int64($0))) } != answers.last)
    }
}

/// Rules with every form of date, from a seed.
private struct RuleMaker {
    private let random: SeededRandomSource

    init(seed: UInt64) {
        random = SeededRandomSource(seed: seed)
    }

    private func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(random.next() % UInt64(range.count))
    }

    private func pick<T>(_ values: [T]) -> T { values[number(0...values.count - 1)] }

    /// An instant at least nine days from the end of a year.
    func second(years: ClosedRange<Int>) -> Int {
        let newYear = CalendarMath.days(year: number(years), month: 1, day: 1)
        return (newYear + number(9...355)) * 86_400 + number(0...86_399)
    }

    private func name() -> String { pick(["CET", "Abcde", "<+03>", "<-0330>", "<A1B2>", "EST"]) }

    private func time(hours: Int) -> String {
        let sign = pick(["", "-", "+"])
        let hours = number(0...hours)
        return sign
            + pick(["\(hours)", "\(hours):\(padded(number(0...59), width: 2))", "\(hours):05:\(number(10...59))"])
    }

    private func date(inMonth month: Int) -> String {
        switch number(0...2) {
        case 0: "M\(month).\(number(1...5)).\(number(0...6))"
        case 1: "J\(30 * (month - 1) + number(1...30))"
        default: "\(30 * (month - 1) + number(0...29))"
        }
    }

    private func change(inMonth month: Int) -> String {
        date(inMonth: month) + (number(0...2) == 0 ? "" : "/" + time(hours: 166))
    }

    /// The two changes are at least a month apart: a rule in which they change places from year to year has no meaning.
    func rule() -> String {
        let standard = name() + time(hours: 23)
        if number(0...5) == 0 { return standard }
        let month = number(2...11)
        let other = pick((2...11).filter { abs($0 - month) > 2 })
        let changes = "\(change(inMonth: month)),\(change(inMonth: other))"
        return "\(standard)\(name())\(number(0...1) == 0 ? "" : time(hours: 23)),\(changes)"
    }

    func ruleWithoutDates() -> String {
        name() + "\(number(-12...12))" + name() + pick(["", ","])
    }
}

/// The C library's answers, from a process of its own, since `$TZ` belongs to a whole process.
private enum LibraryClock {
    static let isAvailable = (try? offsets([("UTC0", [0])])) == [[0]]

    static func offsets(_ questions: [(variable: String, seconds: [Int])]) throws -> [[Int]] {
        let script = """
            import os, sys, time
            # For rules without dates, the library takes those of a file in that folder before its own.
            os.environ["TZDIR"] = "/nonexistent"
            for line in sys.stdin:
                variable, *seconds = line.split()
                os.environ["TZ"] = variable
                time.tzset()
                print(*[time.localtime(int(second)).tm_gmtoff for second in seconds])
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script]
        let folder = TemporaryFolder()
        let lines = questions.map { "\($0.variable) " + $0.seconds.map(String.init).joined(separator: " ") + "\n" }
        process.standardInput = try FileHandle(
            forReadingFrom: URL(fileURLWithPath: try folder.write("questions", Array(lines.joined().utf8))))
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text.split(separator: "\n").map { $0.split(separator: " ").compactMap { Int($0) } }
    }
}

extension TemporaryFolder {
    fileprivate func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let url = URL(filePath: file(name))
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url, options: .atomic)
        return url.path
    }

    fileprivate func copy(_ zone: String, as name: String) throws -> String {
        try write(name, Array(Data(contentsOf: URL(fileURLWithPath: ZoneDirectory.current.path(of: zone)))))
    }

    fileprivate func link(_ name: String, to target: String) throws -> String {
        try FileManager.default.createSymbolicLink(atPath: file(name), withDestinationPath: target)
        return file(name)
    }
}
