import Foundation
import TestSupport
import Testing

@Suite struct MeasureTests {
    /// Runs `daybook-lab measure` and returns its exit code and its rows, each split into cells.
    private func measure(_ arguments: [String], in program: borrowing TestProgram) throws -> (Int32, [[String]]) {
        let result = try program.run(["measure"] + arguments, isBare: true, program: "daybook-lab")
        let rows = result.lines.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        return (result.code, rows)
    }

    @Test("A measurement prints each row with its target and verdict, and fails if a target is missed")
    func rows() throws {
        let program = try TestProgram()
        let folder = program.folder + "/stores"
        let expected = [
            "injection": ["check of a fault injection point"],
            "reads": ["Today, 50 tasks decoded", "Today, 50 of 2000", "Today, 50 of 1000", "all statistics"],
            "writes": [
                "durable create,", "durable create without", "durable change of state,",
                "durable change of state without", "durable reorder without",
                "one 4 KiB write and flush", "durable creates a second",
            ],
        ]
        for (part, names) in expected {
            let (code, rows) = try measure(
                ["--folder", folder, "--tasks", "2000", "--rounds", "20", "--only", part], in: program)
            try #require(rows.count == names.count + 2, "\(part): \(rows)")
            #expect(rows[0] == ["what", "target", "measured", ""])
            for (row, name) in zip(rows.dropFirst(2), names) {
                try #require(row.count == 4, "\(row)")
                #expect(row[0].hasPrefix(name) && ["met", "**missed**", "-"].contains(row[3]))
                #expect((row[1] == "-") == (row[3] == "-"))
            }
            #expect(code == (rows.contains { $0.last == "**missed**" } ? 1 : 0))
        }
        // The stores stay for the next run.
        #expect(FileManager.default.fileExists(atPath: folder + "/large/data.mdb"))
    }

    @Test("Stores that measure did not make are refused")
    func foreignStores() throws {
        let program = try TestProgram()
        for name in ["small", "large"] {
            let store = "\(program.folder)/stores/\(name)"
            #expect(try program.run("generate", "--tasks", "10", "--store", store).code == 0)
        }
        let (code, rows) = try measure(
            ["--folder", program.folder + "/stores", "--only", "reads", "--rounds", "20"], in: program)
        #expect(code == 3 && rows.isEmpty)
    }

    @Test(
        "Too few tasks and rounds are refused", arguments: [["--tasks", "999"], ["--rounds", "1"], ["--only", "x"]])
    func invalid(arguments: [String]) throws {
        let program = try TestProgram()
        #expect(try measure(arguments, in: program).0 == 2)
    }
}
