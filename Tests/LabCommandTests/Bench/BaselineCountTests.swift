import Foundation
import TestSupport
import Testing

/// S-5, S-53: what every operation does is agreed on in a file beside the code, and this is the gate that keeps it. The
/// program counts in processes of their own, for a recording is a whole process's.
@Suite struct BaselineCountTests: ~Copyable {
    private let program: TestProgram
    private let baseline = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Benchmarks/baseline.json").standardizedFileURL.path

    init() throws {
        program = try TestProgram()
    }

    @Test("Counts of every operation are those of the baseline")
    func countsOfEveryOperationAreThoseOfTheBaseline() throws {
        let result = try bench("--baseline", baseline)
        // Another LMDB or larger pages write other pages: then nothing can be compared, and it says so.
        let cannotCompare = result.code == 6 && result.output.contains("nothing can be compared")
        #expect(result.code == 0 || cannotCompare, "\(result.output)\(result.errors)")
    }

    @Test("One flush or put too many in a change is found, and nothing else is", arguments: ["flush", "put"])
    func oneFlushOrPutTooManyInAChangeIsFoundAndNothingElseIs(extra: String) throws {
        let own = program.folder + "/own.json"
        #expect(try bench("--only", "today,create", "--write-baseline", own).code == 0)
        #expect(try bench("--only", "today,create", "--baseline", own).code == 0)
        let result = try bench("--only", "today,create", "--baseline", own, "--extra-work", extra)
        #expect(result.code == 1)
        #expect(result.output.contains("WORSE  create: "))
        #expect(!result.output.contains("WORSE  today: "))
    }

    @Test("A baseline that cannot be read is told before anything is measured")
    func aBaselineThatCannotBeReadIsToldBeforeAnythingIsMeasured() throws {
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
