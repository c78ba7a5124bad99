import TestSupport
import Testing

/// The gate as a program, as `.ci/run` starts it.
@Suite struct SlowdownTests: ~Copyable {
    private let program: TestProgram

    init() throws {
        program = try TestProgram()
    }

    @Test("A planted slowdown of a budget ends the program with 1 [S-69]")
    func plantedSlowdown() throws {
        // No floor runs beside this operation, so that a slow disk cannot make it inconclusive.
        let result = try program.run(
            ["bench", "--check", "--tasks", "10", "--scale", "0", "--only", "page-1000", "--delay", "20"],
            environment: ["TMPDIR": program.folder], isBare: true)
        #expect(result.code == 1)
        #expect(result.output.contains("WORSE  page-1000 took up to "))
    }
}
