import Foundation
import TestSupport
import Testing

/// Worker processes, which run operations on request for comparisons.
@Suite struct BenchWorkerTests: ~Copyable {
    private let program: TestProgram

    init() throws {
        program = try TestProgram()
    }

    @Test("A worker lists its operations, and responds to each line with the time of each run")
    func aWorkerListsItsOperationsAndRespondsToEachLineWithTheTimeOfEachRun() throws {
        try #require(try program.run("generate", "--tasks", "10").code == 0)
        let result = try worker("today 3\ncreate 2 50\ntoday 0\n")
        #expect(result.code == 0 && result.errors.isEmpty)
        let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
        let first = Data(try #require(lines.first).utf8)
        let greeting = try #require(try JSONSerialization.jsonObject(with: first) as? [String: Any])
        #expect(greeting["worker"] as? Int == 1)
        #expect((greeting["operations"] as? [String])?.contains("create") == true)
        #expect(lines.dropFirst().map { $0.split(separator: " ").count { Int($0) != nil } } == [3, 2, 0, 0])
    }

    @Test(
        "A worker refuses an invalid request",
        arguments: ["nothing 1", "today", "today x", "today -1", "today 1 -1", "today 1 1 1"])
    func aWorkerRefusesAnInvalidRequest(line: String) throws {
        try #require(try program.run("generate", "--tasks", "1").code == 0)
        let result = try worker(line + "\n")
        #expect(result.code == 2 && result.errors.contains("Line 1 is not a valid request."))
    }

    @Test("A worker runs one operation and exits")
    func aWorkerRunsOneOperationAndExits() throws {
        try #require(try program.run("generate", "--tasks", "1").code == 0)
        let result = try program.run(
            "bench", "--worker", program.store, "--run", "create", "--rounds", "5", isBare: true)
        #expect(result.code == 0 && result.bytes.isEmpty)
        #expect(try program.run("export", "--json").output.components(separatedBy: "in a hurry").count == 6)
    }

    @Test(
        "A program that is not a worker is refused in one line",
        arguments: ["/bin/true", "/bin/echo", "/nonexistent/daybook"])
    func aProgramThatIsNotAWorkerIsRefusedInOneLine(other: String) throws {
        #expect(try against(other).isRefusal(3))
    }

    @Test("A program that exits while it works is named with its code")
    func aProgramThatExitsWhileItWorksIsNamedWithItsCode() throws {
        let result = try against(try script("read line; exit 7", operations: "\"today\""))
        #expect(result.isRefusal(3) && result.errors.contains("ended with code 7 while it ran today"))
    }

    @Test("A program that responds with something else is refused")
    func aProgramThatRespondsWithSomethingElseIsRefused() throws {
        let result = try against(try script("read line; echo what?", operations: "\"today\""))
        #expect(result.isRefusal(3) && result.errors.contains("could not run today: what?"))
    }

    @Test("Operations that the other program does not have are skipped and reported")
    func operationsThatTheOtherProgramDoesNotHaveAreSkippedAndReported() throws {
        let result = try against(try script("cat > /dev/null", operations: ""))
        #expect(result.code == 0 && (result.errors + result.output).contains("today"))
    }

    private func worker(_ lines: String) throws -> TestProgram.Result {
        try program.run("bench", "--worker", program.store, input: Data(lines.utf8), isBare: true)
    }

    private func against(_ other: String) throws -> TestProgram.Result {
        let result = try program.run(
            "bench", "--against", other, "--only", "today", "--tasks", "1", "--scale", "0",
            environment: ["TMPDIR": program.folder],
            isBare: true)
        // No temporary file remains.
        #expect(try FileManager.default.contentsOfDirectory(atPath: program.folder).allSatisfy { $0 == "other" })
        return result
    }

    /// Returns a program that begins like a worker.
    private func script(_ body: String, operations: String) throws -> String {
        let path = program.folder + "/other"
        let text = """
            #!/bin/bash
            echo '{"worker":1,"version":"0.0.1","operations":[\(operations)]}'
            \(body)

            """
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return path
    }
}
