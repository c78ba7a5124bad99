import Foundation
import TestSupport
import Testing

/// Compares the counts of every operation with the baseline in the repository (S-5, S-53). The program counts in
/// separate processes, because a recording covers an entire process.
@Suite struct BaselineCountTests: ~Copyable {
    private let program: TestProgram
    private let baseline = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Benchmarks/baseline.json").standardizedFileURL.path

    init() throws {
        program = try TestProgram()
    }

    @Test("Counts of every operation are those of the baseline [S-5, S-53]")
    func countsOfEveryOperationAreThoseOfTheBaseline() throws {
        let result = try bench("--baseline", baseline)
        // Another LMDB or larger pages lead to other counts: then the program must report that nothing can be compared.
        let cannotCompare = result.code == 6 && result.output.contains("nothing can be compared")
        #expect(result.code == 0 || cannotCompare, "\(result.output)\(result.errors)")
    }

    @Test("One additional flush or put in a change is found, and nothing else is", arguments: ["flush", "put"])
    func oneAdditionalFlushOrPutInAChangeIsFoundAndNothingElseIs(extra: String) throws {
        let own = program.folder + "/own.json"
        #expect(try bench("--only", "today,create", "--write-baseline", own).code == 0)
        #expect(try bench("--only", "today,create", "--baseline", own).code == 0)
        let result = try bench("--only", "today,create", "--baseline", own, "--extra-work", extra)
        #expect(result.code == 1)
        #expect(result.output.contains("WORSE  create: "))
        #expect(!result.output.contains("WORSE  today: "))
    }

    @Test("An unreadable baseline is reported before anything is measured")
    func anUnreadableBaselineIsReportedBeforeAnythingIsMeasured() throws {
        let path = program.folder + "/baseline.json"
        #expect(try bench("--baseline", path).isRefusal(3))
        try "{}".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try bench("--baseline", path).isRefusal(3))
        try #"{"format": 99}"#.write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try bench("--baseline", path).errors.contains("newer"))
    }

    private func bench(_ words: String...) throws -> TestProgram.Result {
        try program.run(
            ["bench", "--counts-only", "--check"] + words, environment: ["TMPDIR": program.folder], isBare: true)
    }
}
