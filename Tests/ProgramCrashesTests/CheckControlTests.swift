#if os(Linux)
    import CivilTime
    import Foundation
    import TestSupport
    import Testing

    @testable import ProgramCrashes

    /// Controls of the check, and what cannot be tested.
    @Suite(.serialized) struct CheckControlTests {
        private func error(work: String = "echo new > f && echo new", check: String) throws -> String {
            try TestedProgram(work: work, check: check).error().description
        }

        @Test("A check that refuses the undamaged result is rejected")
        func refusesAll() throws {
            let text = try error(check: "echo 'lost: all'; exit 1")
            #expect(text.hasPrefix("The check refuses the undamaged result (lost: all)."))
        }

        @Test("A check that accepts an empty folder is rejected")
        func acceptsAll() throws {
            #expect(try error(check: "true").hasPrefix("The check accepts an empty folder."))
        }

        @Test("A check that accepts the loss of everything acknowledged is reported to prove nothing")
        func ignoresLines() throws {
            let report = try TestedProgram(
                before: "echo 'old 1' > f; echo 'old 1'", work: "echo 'new 1' >> f && echo 'new 1'", check: "[ -f f ]"
            ).run()
            #expect(report.findsLossWithoutFlushes == false)
            #expect(report.warnings.contains { $0.contains("proves nothing about acknowledged work") })
        }

        @Test("A check that ends with neither 0 nor 1 says nothing", arguments: [2, 127])
        func otherExitCode(code: Int) throws {
            let text = try error(check: "echo 'no such file'; exit \(code)")
            #expect(text.contains("exit code \(code): no such file"))
        }

        @Test("A check that a signal ends finds a broken promise")
        func signal() throws {
            let report = try TestedProgram(
                before: "echo 'old 1' > f; echo 'old 1'",
                work: "echo 'new 1' > g && mv g f && echo 'old 1'", check: "grep -q . f || kill -11 $$"
            ).run([.posix])
            #expect(try report.result(.posix).broken.keys.sorted() == ["check ended by signal 11"])
        }

        @Test("Work or preparation that fails is reported with its message")
        func failedCommands() throws {
            let work = try error(work: "echo 'no space' >&2; exit 4", check: "true")
            #expect(work == "The command given by --work failed with exit code 4: no space")
            let before = try TestedProgram(before: "exit 5", work: "true").error().description
            #expect(before == "The command given by --before failed with exit code 5.")
        }

        @Test("A call after which paths cannot be followed is refused with the reason")
        func chroot() throws {
            let error = try TestedProgram(work: "'\(TestedProgram.torturing)' chroot").error()
            #expect(error == .refused("chroot or mount: paths cannot be followed after it"))
        }

        @Test("A change by a process that was not traced makes the recording incomplete")
        func untraced() throws {
            let error = try TestedProgram(
                before: "echo old > f; (sleep 0.5; echo late > late) >/dev/null 2>&1 &", work: "sleep 2; echo new"
            ).error()
            #expect(error == .incomplete("late"))
        }

        @Test("A folder that is not empty is refused and keeps its content")
        func folderInUse() throws {
            var program = TestedProgram(work: "true")
            let folder = TemporaryFolder()
            try Data("mine".utf8).write(to: URL(fileURLWithPath: folder.file("f")))
            program.options.folder = folder.path
            #expect(try program.error() == .folderInUse(folder.path))
            #expect(folder.names == ["f"])
        }

        @Test("An interruption ends the program and leaves no folder")
        func interruption() throws {
            struct Interrupted: Error {}
            let program = TestedProgram(work: "sleep 60")
            #expect(throws: Interrupted.self) {
                try ProgramCrashTest(program.options, clock: SystemClock(), checkpoint: { throw Interrupted() }).run()
            }
            #expect(program.scratch.names == ["report"])
        }
    }
#endif
