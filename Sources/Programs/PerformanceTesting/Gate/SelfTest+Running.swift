import CommandSupport
import Daybook
import Measuring

extension SelfTest {
    /// Tests a gate with operations of a program, and reports on standard error how long it takes and what it does.
    package static func run(
        of operations: [String], runs: Int, counting: Counting? = nil, progress: Progress, as program: String,
        trial: Trial
    ) async throws -> SelfTestReport {
        let clock = SystemClock()
        let start = clock.monotonic
        let test = SelfTest(Plan(operations: operations, runs: runs)) {
            Double(clock.monotonic.microseconds(since: start)) / 1e6
        }
        return try await test.run(
            trial: trial, countsWithInjection: counting,
            say: { text in
                progress.end()
                Output.report(text, as: program)
            }, progress: progress.show)
    }
}
