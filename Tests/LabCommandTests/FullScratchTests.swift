#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// A temporary folder without space, in a mount namespace of its own.
    @Suite(.serialized) struct FullScratchTests {
        static let mayMount: Bool = {
            let process = SpawnedProcess()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
            process.arguments = ["-m", "sh", "-c", "mount -t tmpfs none /mnt"]
            process.standardError = FileHandle.nullDevice
            return (try? process.run()) != nil && process.terminationStatus == 0
        }()

        /// Runs a command of the lab with a temporary folder of some size, which it leaves empty.
        private func run(_ command: String, size: String) throws -> TestProgram.Result {
            let program = try TestProgram()
            let line = """
                mount -t tmpfs -o size=\(size) none /mnt && TMPDIR=/mnt "\(TestProgram.executable)" \(command)
                code=$?
                ls -A /mnt | grep -v '^store$' >&2
                exit $code
                """
            return try program.shell("unshare -m sh -c '\(line)'")
        }

        @Test(
            "A full temporary folder is no result: the exit code is 3, and the message names the folder",
            .enabled(if: mayMount, "this user may not mount a file system in a namespace"),
            arguments: [
                "simulate --runs 1 --steps 30 --seed 1", "simulate --runs 1 --steps 30 --seed 1 --plain",
                "simulate sync --runs 1 --steps 30 --seed 1",
                "simulate service-levels --operations 20 --seed 1", "crashtest --only small --budget 5 --seed 1",
                "crashtest --kills 10 --seed 1", "bench --only create --scale 0",
                "bench --counts-only --only create", "generate --tasks 2000 --store /mnt/store",
            ])
        func full(command: String) throws {
            let result = try run(command, size: "16k")
            #expect(result.code == 3, "\(result.output) \(result.errors)")
            #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
            #expect(result.errors.contains("/mnt/") && result.errors.contains(" is full"), "\(result.errors)")
        }

        @Test(
            "With enough space in it, the same simulation has a result",
            .enabled(if: mayMount, "this user may not mount a file system in a namespace"))
        func enough() throws {
            let result = try run("simulate --runs 1 --steps 30 --seed 1", size: "32m")
            #expect(result.code == 0, "\(result.output) \(result.errors)")
        }
    }
#endif
