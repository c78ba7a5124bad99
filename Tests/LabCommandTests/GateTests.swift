#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// The command `gate`.
    @Suite(.serialized) struct GateTests {
        let scratch = TemporaryFolder(on: .memory)

        private func gate(_ arguments: String..., command: String) throws -> TestProgram.Result {
            try TestProgram().run(
                ["gate"] + arguments + ["--", "sh", "-c", command], environment: ["TMPDIR": scratch.path], isBare: true,
                program: "daybook-lab")
        }

        @Test("One flush more than the budget allows is found, and no other command is accused")
        func budget() throws {
            let allowed = try gate("--budget", "flushes=1,wall=100s", command: "echo a > f; sync f")
            #expect(allowed.code == 0)
            #expect(allowed.lines.last == "same")
            #expect(allowed.output.contains("| flushes | at most 1 | 1 | met |\n"))
            let worse = try gate("--budget", "flushes=1", command: "echo a > f; sync f; sync f")
            #expect(worse.code == 1)
            #expect(worse.lines.suffix(2) == ["flushes: 2, at most 1 is allowed", "worse"])
        }

        @Test("More work than in the baseline is found, less is accepted")
        func baseline() throws {
            let file = scratch.file("counts.json")
            #expect(try gate("--write-baseline", file, command: "echo a > f; echo b >> f").code == 0)
            #expect(try gate("--baseline", file, command: "echo a > f; echo b >> f").code == 0)
            #expect(try gate("--baseline", file, command: "echo a > f").code == 0)
            let worse = try gate("--baseline", file, "--json", command: "echo a > f; echo b >> f; echo c >> f")
            #expect(worse.code == 1)
            #expect(try worse.json()["verdict"] as? String == "worse")
            #expect((try worse.json()["counts"] as? [String: Int])?["bytes"] == 6)
        }

        @Test("A process that takes more memory than the budget allows is found, whichever it is [N-11]")
        func memory() throws {
            let small = try gate("--budget", "memory=20MB", command: "true")
            #expect(small.code == 0, "\(small.output)")
            // A child holds thirty megabytes in a variable.
            let large = "(x=$(head -c 30000000 /dev/zero | tr '\\0' a); : \"$x\"); true"
            let worse = try gate("--budget", "memory=20MB", command: large)
            #expect(worse.code == 1)
            #expect(worse.output.contains("peak memory: "))
        }

        @Test("A command that takes much longer than another one is worse, and the other one better")
        func comparison() throws {
            let (slow, fast) = ("sleep 0.1", "sleep 0.01")
            // A dozen pairs: of fewer than six, one that a busy machine delays decides nothing.
            let worse = try gate("--time", "3", "--against", fast, command: slow)
            #expect(worse.code == 1)
            #expect(worse.lines.last == "worse")
            let better = try gate("--time", "3", "--against", slow, command: fast)
            #expect(better.code == 0)
            #expect(better.lines.last == "better")
        }

        @Test("The gate's self-test finds no difference of a command from itself, and finds slowdowns")
        func selfTest() throws {
            let result = try gate("--self-test", "--runs", "3", "--time", "3", "--limit", "1.3", command: "sleep 0.02")
            #expect(result.output.contains("0 of 3"), "\(result.output)")
            #expect(result.output.contains("False alarms: 0 of 3 runs"))
            let both = try gate("--self-test", "--against", "true", command: "true")
            #expect(both.code == 2)
        }

        @Test("Each run has a fresh copy of the folder, which stays as it was")
        func folder() throws {
            try FileManager.default.createDirectory(atPath: scratch.file("data"), withIntermediateDirectories: true)
            try Data("old\n".utf8).write(to: URL(fileURLWithPath: scratch.file("data/f")))
            let result = try gate(
                "--in", scratch.file("data"), "--budget", "bytes=4",
                command: "[ \"$(cat f)\" = old ] && [ \"$HOME\" = \"$PWD\" ] && echo new >> f")
            #expect(result.code == 0)
            #expect(try String(contentsOfFile: scratch.file("data/f"), encoding: .utf8) == "old\n")
            #expect(scratch.names == ["data"])
        }

        @Test("A program by a relative path is that of the present folder")
        func relative() throws {
            let program = try TestProgram()
            let script = program.folder + "/notes"
            try Data("#!/bin/sh\necho \"$1\" >> notes.txt\n".utf8).write(to: URL(fileURLWithPath: script))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
            let result = try program.run(
                ["gate", "--budget", "bytes=5", "--", "./notes", "milk"], environment: ["TMPDIR": scratch.path],
                isBare: true, program: "daybook-lab")
            #expect(result.code == 0, "\(result.errors)")
            #expect(result.output.contains("| bytes | at most 5 | 5 | met |\n"))
        }

        @Test(
            "What cannot be measured is said in one line",
            arguments: [
                (["--in", "/nowhere"], "true", Int32(3), "/nowhere is no folder."),
                ([], "exit 7", 3, "The command that is measured failed with exit code 7."),
                (["--baseline", "/dev/null"], "true", 3, "/dev/null is no baseline of 'gate'."),
                (["--budget", "wall=1"], "true", 2, "--budget"),
                (["--budget", "speed=1"], "true", 2, "--budget"),
                (["--limit", "1"], "true", 2, "--limit must be from 1.001 to 100."),
            ])
        func unusable(options: [String], command: String, code: Int32, message: String) throws {
            let result = try TestProgram().run(
                ["gate"] + options + ["--", "sh", "-c", command], environment: ["TMPDIR": scratch.path], isBare: true,
                program: "daybook-lab")
            #expect(result.code == code)
            #expect(result.errors.contains(message), "\(result.errors)")
            #expect(scratch.names == [])
        }
    }
#endif
