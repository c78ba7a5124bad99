#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// The command `crashtest --program`.
    @Suite(.serialized) struct CrashProgramTests {
        let scratch = TemporaryFolder(on: .memory)
        private let check =
            "[ -f f ] || exit 1; while read -r l; do grep -qx \"$l\" f || { echo \"lost: $l\"; exit 1; }; done"

        private func run(_ arguments: [String]) throws -> TestProgram.Result {
            try TestProgram().run(
                ["crashtest", "--program"] + arguments,
                environment: ["TMPDIR": scratch.path, "DAYBOOK_COMMIT": "abc1234"], isBare: true)
        }

        private func test(_ work: String, _ arguments: String...) throws -> TestProgram.Result {
            try run(
                [
                    "--before", "echo old > f; echo old", "--work", work, "--check", check, "--out",
                    scratch.file("report"),
                ] + arguments)
        }

        @Test("A broken promise is printed with its example, its reproducer and exit code 1")
        func broken() throws {
            let result = try test("echo new >> f && echo new")
            #expect(result.code == 1)
            #expect(result.lines.first == "crashtest --program: seed 1, commit abc1234, disks killed,ext4,xfs")
            #expect(result.lines.last == "BROKEN: 1 kind of broken promises; the first: lost: new")
            #expect(result.output.contains("lost: new    on ext4, xfs; not on killed\n"))
            #expect(result.output.contains("  Not on the disk        write f bytes 4..8\n"))
            #expect(result.output.contains("--replay \(scratch.file("report")) --image 'ext4:4:kept=0'\n"))
            #expect(scratch.names == ["report"])
        }

        @Test("A replay checks the image again, or writes it to a folder")
        func replay() throws {
            _ = try test("echo new >> f && echo new")
            let words = ["--replay", scratch.file("report"), "--image", "ext4:4:kept=0"]
            let checked = try run(words)
            #expect(checked.code == 1)
            #expect(checked.lines.last == "BROKEN: lost: new")
            let written = try run(words + ["--into", scratch.file("copy")])
            #expect(written.code == 0)
            #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.file("copy/f"))).count == 8)
        }

        @Test("Kept promises end with 0; the JSON has calls, disks, controls and no example")
        func kept() throws {
            let result = try test("echo new >> f && sync f && echo new", "--json", "--disk", "posix,killed")
            #expect(result.code == 0)
            let json = try result.json()
            #expect(json["ok"] as? Bool == true)
            #expect(json["calls"] as? [String: Int] == ["write": 1, "sync": 1])
            let disks = try #require(json["disks"] as? [[String: Any]])
            #expect(disks.map { $0["disk"] as? String } == ["killed", "posix"])
            #expect((json["examples"] as? [Any])?.isEmpty == true)
            #expect((json["controls"] as? [String: Bool])?["lossWithoutFlushesFails"] == true)
        }

        @Test("What a program documents is allowed")
        func allowed() throws {
            let result = try test("echo new >> f && echo new", "--allow", "lost")
            #expect(result.code == 0)
            #expect(result.lines.last == "OK: no promise is broken, except for what was allowed")
        }

        @Test("Work that fails, and a check that proves nothing, end with 3")
        func untestable() throws {
            let failed = try test("exit 7", "--json")
            #expect(failed.isRefusal(3))
            #expect(failed.errors == "daybook: The command given by --work failed with exit code 7.\n")
            let unfit = try run([
                "--work", "echo new > f", "--check", "true", "--json", "--out", scratch.file("report"),
            ])
            #expect(unfit.isRefusal(3))
        }

        @Test(
            "An invalid command line ends with 2",
            arguments: [
                ["--work", "true"], ["--work", "true", "--check", "true", "--disk", "ntfs"], ["--replay", "x"],
                ["--work", "true", "--check", "true", "--ack-fd", "0"],
            ])
        func usage(arguments: [String]) throws {
            let result = try run(arguments)
            #expect(result.isRefusal(2))
            #expect(result.errors.contains("crashtest --program"), "\(result.errors)")
        }

        @Test("An interruption ends the test and its program with 130, and leaves the report only")
        func interruption() throws {
            let program = try TestProgram()
            let process = program.process(
                [
                    "crashtest", "--program", "--work", "touch \(scratch.file("report/started")); sleep 100", "--check",
                    "true", "--out", scratch.file("report"),
                ],
                environment: ["TMPDIR": scratch.path])
            try process.run()
            while !FileManager.default.fileExists(atPath: scratch.file("report/started")) { usleep(1000) }
            kill(process.processIdentifier, SIGINT)
            process.waitUntilExit()
            #expect(process.terminationStatus == 130)
            #expect(scratch.names == ["report"])
        }
    }
#endif
