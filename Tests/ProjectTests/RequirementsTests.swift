import Foundation
import TestSupport
import Testing

/// Which requirements of the documents the tests name.
@Suite struct RequirementsTests {
    @Test("Each requirement has a test that names it, or a stated reason for none")
    func complete() throws {
        let (code, output) = try Self.run([:])
        #expect(code == 0, "\(output.filter { $0.hasPrefix("requirements: ") }.joined(separator: "\n"))")
        #expect(output.contains { $0.hasPrefix("all ") && $0.hasSuffix(" 0 missing") })
    }

    @Test("Ids are found in titles, ranges, scenarios, and for some beginnings alone")
    func found() throws {
        let project = try Project(
            list: [
                "C-FR1 | One", "C-FR2 | Two", "C-FR3 | Three", "S-1 | Key", "S-12 | Pages",
                "C-AD1 | Git | external: work",
            ],
            naming: "C-FR1 to C-FR3, S-1", scenario: "requirements: [S-12]\n")
        let (code, output) = try project.run("S-")
        #expect(code == 0)
        #expect(
            output == [
                "S-1      tested    Key  <- Example", "S-12     tested    Pages  <- scenario.yaml",
                "C     3 of   4 tested,  0 interface,  1 external,  0 open, 0 missing",
                "S     2 of   2 tested,  0 interface,  0 external,  0 open, 0 missing",
                "all   5 of   6 tested,  0 interface,  1 external,  0 open, 0 missing",
            ])
    }

    @Test(
        "A requirement without test or reason, an id that does not exist and a reason beside a test are refused",
        arguments: [
            (["S-1 | Key"], "S-1 has neither a test nor a reason: Key"),
            (["S-1 | Key | open: not built", "C-FR1 | One"], "C-FR1 has neither a test nor a reason: One"),
            (["S-1 | Key | interface:"], "Requirements.txt:1 states no reason"),
            (["S-1 | Key | later: not built"], "Requirements.txt:1 has an unknown state: later"),
            (["S-2 | Two | interface: pixels"], "S-2 is marked interface although a test names it: Example"),
            (["S-2 | Two", "S-2 | Again"], "Requirements.txt has S-2 twice"),
            (["S-3 | Three | open: not built"], "Example:1 names S-2, which does not exist"),
        ])
    func refused(list: [String], problem: String) throws {
        let project = try Project(list: list, naming: "S-2")
        let (code, output) = try project.run()
        #expect(code == 1)
        #expect(output.contains("requirements: " + problem), "\(output)")
    }

    @Test("A list that lacks a requirement of the documents, or has another one, is refused")
    func documents() throws {
        let project = try Project(
            list: ["S-2 | Two", "C-AD9 | Nine | open: not built"], naming: "S-2")
        try project.write("design/requirements.md", "- **S-2** Two **CHECK** so. **C-AD5/6** and **C-AD7 (old), 8**")
        try project.write("design/architecture.md", "**D1. A day**: **bold**\n")
        let (code, output) = try project.run()
        #expect(code == 1)
        let problems = output.filter { $0.hasPrefix("requirements: ") }.map { String($0.dropFirst(14)) }
        let missing = ["C-AD5", "C-AD6", "C-AD7", "C-AD8", "D1"].map { "Requirements.txt lacks \($0)" }
        #expect(Set(problems) == Set(missing + ["Requirements.txt has C-AD9, which the documents do not state"]))
    }

    /// A list, tests and a scenario of their own.
    private final class Project {
        let folder = TemporaryFolder()

        init(list: [String], naming ids: String, scenario: String = "") throws {
            try write("Requirements.txt", list.joined(separator: "\n") + "\n")
            try write("Tests/Example.swift", "@Test(\"Works [" + ids + "]\")\n")
            try write("Tests/scenario.yaml", scenario)
        }

        func write(_ name: String, _ text: String) throws {
            let file = URL(fileURLWithPath: folder.file(name))
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }

        func run(_ arguments: String...) throws -> (code: Int32, output: [String]) {
            let (code, output) = try RequirementsTests.run(
                [
                    "DAYBOOK_REQUIREMENTS": folder.file("Requirements.txt"),
                    "DAYBOOK_REQUIREMENTS_TESTS": folder.file("Tests"), "DAYBOOK_SHARED": folder.path,
                    "DAYBOOK_REQUIRE_SHARED": "0",
                ], arguments)
            return (code, output.map { $0.replacing(folder.file("Tests/"), with: "") })
        }
    }

    /// Runs the script, and returns its exit code and the lines of both outputs.
    private static func run(
        _ environment: [String: String], _ arguments: [String] = []
    ) throws -> (code: Int32, output: [String]) {
        let process = SpawnedProcess()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["bash", SourceTree.root.appending(path: "Scripts/requirements").path] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (
            process.terminationStatus, String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        )
    }
}
