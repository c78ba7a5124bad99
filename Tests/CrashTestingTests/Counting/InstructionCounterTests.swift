#if os(Linux)
    import CivilTime
    import Foundation
    import Testing

    @testable import CrashTesting

    @Suite struct InstructionCounterTests {
        let folder: LabFolder

        init() throws {
            folder = try LabFolder()
        }

        static let hasValgrind = FileManager.default.isExecutableFile(atPath: "/usr/bin/valgrind")

        /// `seq`, which does a little for each number.
        private func counter(
            of executable: String = "/usr/bin/seq", valgrind: String = "valgrind", timeLimitSeconds: Int64 = 120,
            lines: Int = 1000
        ) -> InstructionCounter {
            InstructionCounter(
                executable: executable, scratch: folder.path, valgrind: valgrind,
                timeLimitSeconds: timeLimitSeconds, clock: SystemClock()
            ) { ["1000000", "\(1_000_000 + $0 * lines - 1)"] }
        }

        @Test("The same is counted twice, and for twice the work twice as much", .enabled(if: Self.hasValgrind))
        func count() throws {
            let first = try #require(try counter().count(rounds: 10))
            let second = try #require(try counter().count(rounds: 10))
            let double = try #require(try counter(lines: 2000).count(rounds: 10))
            #expect(first > 1000)
            #expect(abs(first - second) <= first / 1000)
            #expect(abs(double - 2 * first) <= first / 100)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }

        @Test("Without valgrind there is no count")
        func missing() throws {
            #expect(try counter(valgrind: "no-such-program").count(rounds: 1) == nil)
        }

        @Test("A program that fails or takes too long is an error, not a count", .enabled(if: Self.hasValgrind))
        func failures() throws {
            #expect(throws: CrashLabError.noAnswer("under valgrind took longer than its time")) {
                try counter(timeLimitSeconds: 0).count(rounds: 1)
            }
            #expect(throws: CrashLabError.noAnswer("under valgrind ended otherwise: exited(1)")) {
                try counter(of: "/usr/bin/false").count(rounds: 1)
            }
        }

        @Test("The number is found among what the program says")
        func parsing() {
            let output = """
                ==7== Cachegrind, a cache and branch-prediction profiler
                I refs: 5
                ==7== I1  misses:        3
                ==7== I   refs:      1,071,598,933
                """
            #expect(InstructionCounter.instructions(in: output) == 1_071_598_933)
            #expect(InstructionCounter.instructions(in: "==12== I refs:        42") == 42)
            #expect(InstructionCounter.instructions(in: "==12== D refs:        42") == nil)
        }
    }
#endif
