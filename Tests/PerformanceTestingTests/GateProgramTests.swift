import Foundation
import TestSupport
import Testing

/// A gate as its users run it: a program with operations of its own (N-11).
@Suite struct GateProgramTests: ~Copyable {
    private let program: TestProgram

    init() throws {
        program = try TestProgram()
    }

    @Test("Equal runs count the same, and a commit too many is found in the operation that makes it [N-11]")
    func counts() throws {
        let baseline = program.folder + "/baseline.json"
        #expect(try store("--counts-only", "--write-baseline", baseline).code == 0)
        let equal = try store("--counts-only", "--check", "--baseline", baseline)
        #expect(equal.code == 0 && equal.output.contains("Counted 3 operations; no result is worse than allowed."))
        let worse = try store("--counts-only", "--check", "--baseline", baseline, defect: "commit")
        #expect(worse.code == 1)
        let findings = worse.lines.filter { $0.hasPrefix("WORSE") }
        #expect(
            findings.contains {
                $0.contains("create: 100 ") || $0.contains("create: ") && $0.contains("flushes in 50 runs")
            })
        #expect(findings.allSatisfy { $0.contains("create: ") })
    }

    @Test("Operations with blanks in their names have hyphens in files, and can be chosen by either")
    func names() throws {
        for name in ["list-of-today", "list of today"] {
            let result = try store("--counts-only", "--only", name, "--json")
            let counts = try #require(try result.json()["counts"] as? [[String: Any]])
            #expect(counts.map { $0["operation"] as? String } == ["list-of-today"])
            let sums = try #require(counts.first?["sums"] as? [String: Int])
            #expect(sums["flushes"] == 0 && sums["cursorSteps"] ?? 0 > 0 && sums["allocations"] ?? 0 > 0)
        }
    }

    @Test("What prepares an operation is not counted")
    func preparation() throws {
        let result = try store("--counts-only", "--json")
        let counts = try #require(try result.json()["counts"] as? [[String: Any]])
        let flushes = counts.map { ($0["sums"] as? [String: Int])?["flushes"] ?? 0 }
        // An undo is one commit, as a create is.
        #expect(flushes.count == 3 && flushes[0] >= 50 && flushes[2] >= 50 && flushes[2] < flushes[0] * 3 / 2)
    }

    @Test("A query whose time grows with the store is found, and one whose time does not is not [N-11]")
    func growth() throws {
        let grown = try store("--check", "--only", "list-of-today", defect: "scan")
        #expect(grown.code == 1 && grown.output.contains("times as long with 2000 records as with 50"))
        #expect(try store("--check", "--only", "list-of-today").code != 1)
    }

    @Test("A broken budget ends the program with 1")
    func budget() throws {
        let result = try parser("--check", "--delay", "201")
        #expect(result.code == 1 && result.output.contains("parse took up to"))
        #expect(try parser("--check").code == 0)
    }

    @Test("Another build of the program is compared, and a slowdown is found [N-11]")
    func otherBuild() throws {
        let other = program.folder + "/other"
        try "#!/bin/sh\nDEFECT= exec '\(executable)' \"$@\"\n".write(toFile: other, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: other)
        let slower = try parser("--check", "--against", other, defect: "time")
        #expect(slower.code == 1 && slower.output.contains("times as long as in the other program"))
        #expect(try parser("--check", "--against", other).code != 1)
        // With the defect in the other one, this one is faster.
        let faster = try run(["--check", "--against", slowed()], ["GATE": "parser"])
        #expect(faster.code == 0)
    }

    @Test("Operations on anything in a folder are counted, too [N-11]")
    func files() throws {
        let result = try run(["--counts-only", "--json"], ["GATE": "files"])
        #expect(result.code == 0)
        let counts = try #require(try result.json()["counts"] as? [[String: Any]])
        let sums = try #require(counts.first?["sums"] as? [String: Int])
        #expect(sums == ["flushes": 50, "writeCalls": 50, "bytesWritten": 350, "pagesWritten": 0])
    }

    @Test("The report is written as Markdown and as a page, under the gate's name")
    func reports() throws {
        let (markdown, html) = (program.folder + "/gate.md", program.folder + "/gate.html")
        #expect(try store("--counts-only", "--markdown", markdown, "--html", html).code == 0)
        #expect(try String(contentsOfFile: markdown, encoding: .utf8).contains("diary: Counted 3 operations"))
        #expect(try String(contentsOfFile: html, encoding: .utf8).contains("<p class=\"kind\">diary</p>"))
    }

    @Test(
        "A wrong command line is refused in one line under the gate's name",
        arguments: [
            ["--only", "nothing"], ["--runs", "0"], ["--counts-only", "--check"], ["--self-test", "--check"],
            ["--such"],
        ])
    func usage(arguments: [String]) throws {
        let result = try run(arguments, ["GATE": "parser"])
        #expect(result.code == 2 && result.bytes.isEmpty)
        #expect(result.errors.hasPrefix("parser: ") && result.errors.split(separator: "\n").count == 1)
    }

    @Test("An unusable file or program is refused before anything is measured")
    func unusable() throws {
        for arguments in [["--baseline", "/nonexistent"], ["--against", "/bin/true"], ["--against", "/nonexistent"]] {
            let result = try run(arguments, ["GATE": "parser"])
            #expect(result.code == 3 && result.bytes.isEmpty && result.errors.hasPrefix("parser: "))
        }
        let help = try parser("--help")
        #expect(help.code == 0 && help.output.contains("--baseline <file>"))
    }

    private var executable: String {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent("GateProcess").path
    }

    /// Writes a script that starts the program with the slow parser.
    private func slowed() throws -> String {
        let path = program.folder + "/slowed"
        try "#!/bin/sh\nDEFECT=time exec '\(executable)' \"$@\"\n".write(
            toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return path
    }

    private func store(_ arguments: String..., defect: String = "") throws -> TestProgram.Result {
        try run(arguments, ["GATE": "store", "DEFECT": defect])
    }

    private func parser(_ arguments: String..., defect: String = "") throws -> TestProgram.Result {
        try run(arguments, ["GATE": "parser", "DEFECT": defect])
    }

    private func run(_ arguments: [String], _ environment: [String: String]) throws -> TestProgram.Result {
        try program.run(arguments, environment: environment, isBare: true, program: "GateProcess")
    }
}
