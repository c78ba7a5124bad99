import Foundation
import TestSupport
import Testing

/// A short run of the fuzzer, and tests that it detects faults.
@Suite struct FuzzTests {
    /// Runs the fuzzer to its end. Returns its output and its result.
    private func fuzz(_ arguments: String...) throws -> (output: String, code: Int32) {
        let process = SpawnedProcess()
        let output = Pipe()
        process.executableURL = Programs.url(of: "daybook-lab")
        process.arguments = ["fuzz"] + arguments
        process.standardOutput = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (String(decoding: bytes, as: UTF8.self), process.terminationStatus)
    }

    /// A sanitizer exceeds the limits of memory and time.
    @Test(
        "No reader crashes, hangs, takes too much memory or quotes its input in an error [S-62]",
        .enabled(if: AllocatingProcess.shouldCount))
    func nothingIsFound() throws {
        let runs = TestBudget.count(10_000, quick: 2_000)
        let (output, code) = try fuzz("--runs", "\(runs)", "--seed", "2026")
        #expect(code == 0, "\(output)")
        #expect(output.contains("\(runs) mutations"), "\(output)")
        #expect(output.hasSuffix("nothing found\n"), "\(output)")
    }

    @Test(
        "An injected fault is found, with a line that replays it", .enabled(if: AllocatingProcess.shouldCount),
        arguments: [
            ("crash", "signal 6"), ("memory", "MiB"), ("text", "an error quotes the file"), ("change", "text: "),
            ("hang", "1 s"),
        ])
    func plantedFaults(_ plant: String, _ text: String) throws {
        let (output, code) = try fuzz("--runs", "300", "--only", "todotxt", "--seed", "1", "--plant", plant)
        #expect(code == 1)
        #expect(output.contains("FOUND \(plant) in todotxt: "), "\(output)")
        #expect(output.contains(text), "\(output)")
        #expect(output.contains("Scripts/fuzz --replay todotxt:1:"), "\(output)")
    }
}
