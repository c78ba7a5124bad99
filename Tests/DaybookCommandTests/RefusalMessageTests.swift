#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// What a person reads where a store cannot be, or cannot be used.
    @Suite struct RefusalMessageTests {
        static let mayMount: Bool = {
            let process = SpawnedProcess()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
            process.arguments = ["-m", "sh", "-c", "mount -t tmpfs none /mnt"]
            process.standardError = FileHandle.nullDevice
            return (try? process.run()) != nil && process.terminationStatus == 0
        }()

        private func refusal(_ arguments: String..., at store: String? = nil, in program: borrowing TestProgram) throws
            -> String
        {
            let place = store.map { ["--store", $0] } ?? []
            let result = try program.run(arguments + place, isBare: store != nil)
            #expect(result.isRefusal(3), "\(arguments) \(result.output) \(result.errors)")
            #expect(!result.errors.contains("system error"))
            return result.errors
        }

        @Test("A path that cannot be a store is refused with the reason and what to do", arguments: ["add x", "today"])
        func paths(command: String) throws {
            let program = try TestProgram()
            let long = "\(program.folder)/" + String(repeating: "n", count: 300)
            let deep = program.folder + String(repeating: "/" + String(repeating: "d", count: 100), count: 60)
            let file = "\(program.folder)/file"
            try Data().write(to: URL(fileURLWithPath: file))
            let words = command.split(separator: " ").map(String.init)
            for (path, text) in [
                (long, "the path is too long (ENAMETOOLONG). Use a shorter path."),
                (deep, "the path is too long (ENAMETOOLONG). Use a shorter path."),
                ("\(file)/store", "a part of the path is not a folder (ENOTDIR). Check the path."),
                (file, "is not a Daybook store. Name an empty or new folder"),
                ("/", "/ is not a Daybook store. Name an empty or new folder"),
            ] {
                let result = try program.run(words + ["--store", path], isBare: true)
                #expect(result.isRefusal(3), "\(result.output) \(result.errors)")
                #expect(result.errors.contains(text), "\(result.errors)")
            }
        }

        @Test("A limit of the address space is named")
        func addressSpace() throws {
            let program = try TestProgram()
            _ = try program.add("Buy milk")
            let result = try program.shell("ulimit -v 600000; daybook today")
            // A map that fits would do as well.
            guard result.code != 0 else { return }
            #expect(result.isRefusal(3), "\(result.errors)")
            #expect(result.errors.contains("ENOMEM") && result.errors.contains("ulimit -v"), "\(result.errors)")
        }

        @Test(
            "A read-only file system is named, whatever is to be written to it",
            .enabled(if: mayMount, "this user may not mount a file system in a namespace"))
        func readOnlyFileSystem() throws {
            let program = try TestProgram()
            let daybook = TestProgram.executable
            let commands = [
                "add b --store /mnt/s", "compact --store /mnt/s", "add b --store /mnt/new", "wipe --yes --store /mnt/s",
                "snapshot create /mnt/x --store /mnt/s", "export --format csv -o /mnt/y --store /mnt/s",
            ]
            let lines = commands.map { "\"\(daybook)\" \($0) 2>&1; echo code $?" }
            let result = try program.shell(
                """
                unshare -m sh -c 'mount -t tmpfs none /mnt; "\(daybook)" add a --store /mnt/s >/dev/null
                mount -o remount,ro /mnt
                \(lines.joined(separator: "\n"))
                "\(daybook)" inbox --store /mnt/s'
                """)
            #expect(result.code == 0, "\(result.output)")
            let read = result.output.split(separator: "\n").filter { $0.contains("is on a read-only file system") }
            #expect(read.count == commands.count, "\(result.output)")
            #expect(result.output.components(separatedBy: "code 3").count == commands.count + 1, "\(result.output)")
            #expect(!result.output.contains("No permission"))
        }

        @Test("A data file without store.json is no store, and salvage is named, which reads it")
        func dataFileAlone() throws {
            let program = try TestProgram()
            _ = try program.add("Buy milk")
            let copy = "\(program.folder)/copy"
            try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: "\(program.store)/data.mdb", toPath: "\(copy)/data.mdb")
            for command in ["today", "verify", "info"] {
                let message = try refusal(command, at: copy, in: program)
                #expect(message.contains("no store.json") && message.contains("'daybook salvage \(copy) --to NEW'"))
            }
            let new = "\(program.folder)/new"
            #expect(try program.run("salvage", copy, "--to", new, isBare: true).code == 0)
            #expect(try program.run("inbox", "--store", new, isBare: true).output.contains("Buy milk"))
        }

        @Test("The zone of $TZ is used in every form, and its fallback is named")
        func zoneVariable() throws {
            let program = try TestProgram()
            _ = try program.add("Buy milk")
            func today(_ variable: String) throws -> TestProgram.Result {
                try program.run(
                    "today", "--json", "--store", program.store, "--now", "2026-02-10T23:30:00Z",
                    environment: ["TZ": variable], isBare: true)
            }
            for (variable, day) in [
                (":Europe/Berlin", "2026-02-11"), ("/usr/share/zoneinfo/Europe/Berlin", "2026-02-11"),
                ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-02-11"), ("UTC0", "2026-02-10"), ("", "2026-02-10"),
            ] {
                let result = try today(variable)
                #expect(try result.json()["date"] as? String == day, "\(variable)")
                #expect(result.errors.isEmpty)
            }
            let fallback = try today("Mars/Olympus")
            let used = try #require(try fallback.json()["zone"] as? String)
            #expect(
                fallback.errors.hasPrefix("daybook: The time zone in $TZ cannot be used, so \(used) is used. "),
                "\(fallback.errors)")
        }
    }
#endif
