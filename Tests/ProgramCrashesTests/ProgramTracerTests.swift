#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    @testable import ProgramCrashes

    @Suite(.serialized) struct ProgramTracerTests {
        @Test("A recording reproduces what threads and child processes do to a folder in every way [N-12]")
        func torture() throws {
            for seed in TestBudget.range(4, long: 40) {
                var program = TestedProgram(
                    work: "'\(TestedProgram.torturing)' torture 60 \(seed)", check: "[ -n \"$(ls -A)\" ] || exit 1")
                program.options.images = 1
                let report = try program.run([.killed])
                #expect(report.callsByKind.values.reduce(0, +) > 100, "\(seed)")
            }
        }

        @Test("Stores to a shared map are recorded, and msync is a flush of their pages")
        func map() throws {
            let program = TestedProgram(
                work: "'\(TestedProgram.torturing)' map",
                check: """
                    [ -f map ] || exit 1
                    while read -r line; do grep -q "${line#new }" map || { echo "lost: $line"; exit 1; }; done
                    """)
            let report = try program.run()
            let example = try report.example("lost")
            #expect(example.text == "new second")
            #expect(example.lost == ["write map bytes 4096..4102 (mapped memory)"])
            #expect(try report.result(.killed).broken.isEmpty)
        }

        @Test("Lines on another descriptor are acknowledged, and those on standard output are not")
        func acknowledgmentDescriptor() throws {
            var program = TestedProgram(
                before: "echo 'old 1' > f; echo 'old 1' >&5",
                work: "echo 'new 1' >> f && echo 'new 1' >&5 && echo 'new 2'")
            program.options.acknowledgmentDescriptor = 5
            let report = try program.run()
            #expect(report.acknowledged == 1)
            #expect(try report.example("lost").text == "new 1")
        }

        /// Whether an interleaving of two writers of one file keeps what each of them has acknowledged.
        private func isKept(interleaving: Int, lock: String = "") throws -> Bool {
            var program = TestedProgram(
                before: "echo 'old 1' > f; echo 'old 1'",
                work: """
                    w() { \(lock) { cat f; echo "new $1"; } > "f.$1" && mv "f.$1" f && echo "new $1"; }
                    w a & w b & wait
                    """)
            program.options.interleaving = UInt64(interleaving)
            do {
                return try program.run([.killed]).result(.killed).broken.isEmpty
            } catch ProgramCrashError.unfitCheck {
                // The loser of the race has acknowledged what the winner has removed.
                return false
            }
        }

        @Test("A race of two processes is found in one of their interleavings, and none where they lock [N-12]")
        func interleavings() throws {
            #expect(try (1...100).contains { try !isKept(interleaving: $0) })
            for number in 1...TestBudget.count(8, long: 40) {
                #expect(try isKept(interleaving: number, lock: "exec 9> l; flock 9;"), "\(number)")
            }
        }

        @Test("Lines that arrive together cause a warning about buffered output")
        func buffered() throws {
            let report = try TestedProgram(
                work: "echo 'new 1' > f; echo 'new 2' >> f; printf 'new 1\\nnew 2\\n'"
            ).run([.killed])
            #expect(report.warnings.contains { $0.contains("arrived together") })
        }

        @Test("The commands run in the folder, which the environment names")
        func environment() throws {
            let report = try TestedProgram(
                work: "[ \"$PWD\" = \"$CRASH_FOLDER\" ] && [ \"$HOME\" = \"$CRASH_FOLDER\" ] && pwd > f && cat f",
                check: "read -r line && [ -f f ] && [ \"$(cat f)\" = \"$PWD\" ] || exit 1"
            ).run([.killed])
            #expect(report.examples.map(\.kind).allSatisfy { $0 == "broken" })
            #expect(report.acknowledged == 1)
        }

        @Test("A replay builds the same image from the report's folder alone, and its check finds the same")
        func replay() throws {
            let program = TestedProgram.lines("{ cat f; echo \"new $i\"; } > f.tmp && mv f.tmp f")
            let example = try program.run().example("destroyed")
            let checked = try ProgramCrashTest.replay(
                report: program.options.report, reproducer: example.reproducer, into: nil,
                scratch: program.scratch.path)
            #expect(checked.isBroken == true)
            #expect(checked.example.text == example.text)
            #expect(checked.example.lost == example.lost)
            let copy = program.scratch.file("copy")
            let written = try ProgramCrashTest.replay(
                report: program.options.report, reproducer: example.reproducer, into: copy,
                scratch: program.scratch.path)
            #expect(written.isBroken == nil)
            #expect(try FileManager.default.contentsOfDirectory(atPath: copy) == ["f"])
            #expect(try Data(contentsOf: URL(fileURLWithPath: copy + "/f")).isEmpty)
        }

        @Test(
            "A reproducer reads back as it was written",
            arguments: [
                "killed:3:kept=0-4", "xfs:4:kept=0,2", "ext4:12+:kept=none", "posix:7:kept=0,3:zeros=2",
                "posix:9:kept=1:torn=2.3.first", "xfs:900:kept=0-299,301",
            ])
        func reproducer(text: String) throws {
            #expect(try #require(ImageRecipe(text)).description == text)
        }

        @Test(
            "An invalid reproducer is refused",
            arguments: [
                "", "ext4", "ntfs:1:kept=0", "xfs:x:kept=0", "xfs:1:kept=3-1", "xfs:1:kept=0:torn=1", "xfs:1:kept=",
            ])
        func invalidReproducer(text: String) {
            #expect(ImageRecipe(text) == nil)
        }

        @Test("An image that the report does not have is refused")
        func unknownImage() throws {
            let program = TestedProgram.lines("echo \"new $i\" >> f")
            _ = try program.run([.killed])
            #expect(throws: ProgramCrashError.noSuchImage("xfs:99:kept=0")) {
                try ProgramCrashTest.replay(
                    report: program.options.report, reproducer: "xfs:99:kept=0", into: nil,
                    scratch: program.scratch.path)
            }
            #expect(throws: ProgramCrashError.invalidReport(folder: program.scratch.path)) {
                try ProgramCrashTest.replay(
                    report: program.scratch.path, reproducer: "xfs:1:kept=0", into: nil, scratch: program.scratch.path)
            }
        }
    }
#endif
