import Foundation
import Glibc
import TestSupport
import Testing

/// The plan on a pseudo terminal of script(1).
@Suite struct PlanGridTests {
    private static let hasTerminals = FileManager.default.isExecutableFile(atPath: "/usr/bin/script")

    private static let texts = [
        ("morning", "must", "長い長い長い長い長い長い長い長い長い長い長い長い長い長い長い長い長い長い長い長い長い"),
        ("morning", "complementary", "cafe\u{301} with cre\u{300}me"),
        ("afternoon", "misc", "🚀 한국어 text"),
        ("afternoon", "must", String(repeating: "long ", count: 40)),
        ("evening", "none", "ｆｕｌｌ width"),
        ("backlog", "misc", "plain"),
    ]

    /// What is in each column of a line: the start of a character, the rest of a wide one (nil), or a blank. Widths come from
    /// the system's `wcwidth`.
    private func cells(of line: Substring) throws -> [Unicode.Scalar?] {
        let locale = try #require(newlocale(LC_CTYPE_MASK, "C.UTF-8", nil))
        let before = uselocale(locale)
        defer {
            uselocale(before)
            freelocale(locale)
        }
        // Glibc's module does not declare it.
        let symbol = try #require(dlsym(nil, "wcwidth"))
        let width = unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Int32).self)
        return line.unicodeScalars.flatMap { scalar -> [Unicode.Scalar?] in
            switch width(Int32(bitPattern: scalar.value)) {
            case 2: [scalar, nil]
            case 1: [scalar]
            default: []
            }
        }
    }

    private func lines(_ program: borrowing TestProgram, width: Int, _ environment: [String: String]) throws
        -> [Substring]
    {
        let options = program.standing.joined(separator: " ")
        let line = "stty cols \(width); \(TestProgram.executable) plan \(options)"
        let output = try program.shell("script -qec '\(line)' /dev/null", environment: environment).output
        return output.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    }

    @Test(
        "On a terminal a plan has as many columns of regions as fit, of equal width, also with wide and combining characters",
        .enabled(if: hasTerminals, "needs script(1) for a terminal"), arguments: [(40, 1), (80, 2), (120, 2), (140, 4)])
    func widths(width: Int, count: Int) throws {
        let program = try TestProgram()
        let ids = try Self.texts.map { try program.add($0.2, "--region", $0.0, "--bucket", $0.1) }
        let lines = try lines(program, width: width, ["TERM": "xterm", "NO_COLOR": "1"])
        #expect(lines.first == "Today, Tue 2026-02-10")
        #expect(lines.contains { $0.contains("…") })
        let cellWidth = (width + 2) / count - 2
        var shortIDs: [String: Int] = [:]
        for line in lines.dropFirst() {
            let cells = try cells(of: line)
            #expect(cells.count <= width, "\(line)")
            #expect(cells.last != " ", "\(line)")
            for column in 1..<max(count, 2) where count > 1 {
                let gap = column * (cellWidth + 2) - 2
                for index in gap..<gap + 2 where index < cells.count { #expect(cells[index] == " ", "\(line)") }
            }
            for id in ids {
                let digits = Array(id.suffix(4).unicodeScalars)
                for start in cells.indices.dropLast(3) where Array(cells[start..<start + 4]) == digits {
                    shortIDs[id] = start
                }
            }
        }
        // Each task once, at the beginning of its region's column.
        let regions = ["morning", "afternoon", "evening", "backlog"]
        for (id, text) in zip(ids, Self.texts) {
            let column = try #require(regions.firstIndex(of: text.0)) % count
            #expect(shortIDs[id] == column * (cellWidth + 2) + 1, "\(text.2)")
        }
    }

    @Test(
        "Only a terminal that takes colors gets them, and they do not change the columns of a plan",
        .enabled(if: hasTerminals, "needs script(1) for a terminal"), arguments: [40, 80, 120])
    func colors(width: Int) throws {
        let program = try TestProgram()
        for text in Self.texts { _ = try program.add(text.2, "--region", text.0, "--bucket", text.1) }
        let colored = try lines(program, width: width, ["TERM": "xterm"])
        let plain = try lines(program, width: width, ["TERM": "xterm", "NO_COLOR": "1"])
        #expect(colored.contains { $0.contains("\u{1B}[1m") })
        let stripped = colored.map { $0.replacing(/\u{1B}\[[0-9]*m/, with: "") }
        #expect(stripped == plain)
        #expect(plain == (try lines(program, width: width, ["TERM": "dumb"])))
        #expect(!plain.joined().contains("\u{1B}"))
        #expect(try !program.run("plan", environment: ["TERM": "xterm"]).output.contains("\u{1B}"))
    }
}
