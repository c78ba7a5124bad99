import CFaultAddress
import CommandSupport
import Foundation
import TestSupport
import Testing

/// What a fatal signal is reported as.
@Suite struct FatalSignalTests {
    @Test("Memory that the system refuses is reported as that, and not as damage")
    func memory() throws {
        let program = try TestProgram()
        _ = try program.add("x")
        // A passphrase's key takes 32 MiB.
        #expect(try program.shell("echo secret > key").code == 0)
        let key = try program.shell("ulimit -d 25000; daybook snapshot create a.snapshot --passphrase-file key")
        #expect(key.isRefusal(3) && key.errors.contains("not enough memory"))
        #expect(!FileManager.default.fileExists(atPath: program.folder + "/a.snapshot"))
        // Swift's runtime ends the process when an array cannot grow.
        #expect(try program.shell("head -c 60000000 /dev/zero > zeros").code == 0)
        let array = try program.shell("ulimit -c 0; ulimit -d 30000; daybook add - < zeros")
        #expect(array.code == 3 && !array.wasKilled, "\(array)")
        #expect(
            array.errors.hasSuffix(
                "daybook: There is not enough memory. Raise its limit (ulimit -d, ulimit -v), or end other programs.\n")
        )
    }

    @Test("A signal that is no fault of the store's map ends the process with that signal [S-70]")
    func otherSignals() throws {
        let program = try TestProgram()
        _ = try program.add("x")
        for (signal, number) in [("SEGV", SIGSEGV), ("BUS", SIGBUS), ("ABRT", SIGABRT)] {
            // Its handlers are there once it has acknowledged a task.
            let result = try program.shell(
                "ulimit -c 0; mkfifo \(signal); "
                    + "'\(TestProgram.executable)' add - --store '\(program.store)' < \(signal) > out-\(signal) & "
                    + "daybook=$!; exec 3> \(signal); echo task >&3; until [ -s out-\(signal) ]; do :; done; "
                    + "kill -\(signal) $daybook; wait $daybook; echo $?")
            #expect(result.line == "\(128 + number)")
            #expect(!result.errors.contains("page of the store"))
        }
    }

    @Test("A fault is named and ends the process with its signal; only a page of a store has an exit code [S-70]")
    func faults() throws {
        let folder = TemporaryFolder()
        // The pages of both files are beyond their ends.
        let maps = try ["data.mdb", "other"].map { name in
            let file = open("\(folder.path)/\(name)", O_RDWR | O_CREAT, 0o600)
            defer { close(file) }
            let map = try #require(mmap(nil, 8192, PROT_READ, MAP_SHARED, file, 0))
            try #require(map != MAP_FAILED)
            return map
        }
        defer { for map in maps { munmap(map, 8192) } }
        let faults: [(name: String, signal: Int32, fault: () -> Void)] = [
            ("SIGSEGV", SIGSEGV, { UnsafeMutablePointer<Int>(bitPattern: 4096)?.pointee = 1 }),
            // A write to a map that can only be read is an error of the program, whatever the map is of.
            ("SIGSEGV", SIGSEGV, { maps[0].storeBytes(of: 1, as: UInt8.self) }),
            ("SIGBUS", SIGBUS, { withExtendedLifetime(maps[1].load(as: UInt8.self)) {} }),
            ("SIGABRT", SIGABRT, { abort() }),
            ("SIGILL", SIGILL, { preconditionFailure() }),
            ("SIGFPE", SIGFPE, { raise(SIGFPE) }),
            ("SIGTRAP", SIGTRAP, { raise(SIGTRAP) }),
        ]
        for (name, signal, fault) in faults {
            let (ending, errors) = try ending(of: fault)
            #expect(ending == -signal, "\(name)")
            #expect(
                errors.hasSuffix(
                    "daybook: This command was ended by \(name), which is an error of Daybook. "
                        + "Report it as an issue of Daybook's repository, with the command and 'daybook --version'.\n"))
        }
        let page = try ending { withExtendedLifetime(maps[0].load(as: UInt8.self)) {} }
        #expect(page.code == 3)
        #expect(page.errors == "daybook: \(CrashMessage.unreadablePage)\n")
    }

    /// Runs a fault in a process with the program's handlers.
    private func ending(of fault: () -> Void) throws -> (code: Int32, errors: String) {
        let path = NSTemporaryDirectory() + "/fault-\(UUID().uuidString)"
        let file = open(path, O_RDWR | O_CREAT, 0o600)
        defer {
            close(file)
            unlink(path)
        }
        // Nothing may be used for the first time in the child of a fork.
        let signals = [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGTRAP, SIGFPE]
        var actions = signals.map { _ in sigaction() }
        for index in signals.indices { sigaction(signals[index], nil, &actions[index]) }
        CrashMessage.install()
        for index in signals.indices { sigaction(signals[index], &actions[index], nil) }
        let code = runForked {
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
            dup2(file, STDERR_FILENO)
            CrashMessage.install()
            fault()
            return 0
        }
        return (code, try String(contentsOfFile: path, encoding: .utf8))
    }

    @Test("A page of the store that cannot be read ends a command with one line and an exit code [S-70]")
    func page() throws {
        let program = try TestProgram()
        for number in 0..<200 { _ = try program.add("task \(number)") }
        let result = try program.shell(
            "mkfifo lines; '\(TestProgram.executable)' add - --store '\(program.store)' < lines > out & "
                + "daybook=$!; exec 3> lines; echo task >&3; until [ -s out ]; do :; done; "
                + "truncate -s 8192 '\(program.store)/data.mdb'; echo task >&3; wait $daybook; echo $?")
        #expect(result.line == "3")
        #expect(result.errors == "daybook: \(CrashMessage.unreadablePage)\n")
    }

    @Test("Only an address in the map of a data file is one of the store [S-70]")
    func addresses() throws {
        let folder = TemporaryFolder()
        for (name, isStore) in [("data.mdb", true), ("xdata.mdb", false), ("data.mdb.old", false), ("lock.mdb", false)]
        {
            let path = "\(folder.path)/\(name)"
            try Data(repeating: 0, count: 8192).write(to: URL(fileURLWithPath: path))
            let file = open(path, O_RDONLY)
            let map = try #require(mmap(nil, 8192, PROT_READ, MAP_SHARED, file, 0))
            defer {
                munmap(map, 8192)
                close(file)
            }
            func answer(_ offset: Int) -> Int32 {
                var information = siginfo_t()
                information._sifields._sigfault.si_addr = map + offset
                return is_fault_in_file(&information, "/data.mdb")
            }
            #expect(answer(0) == (isStore ? 1 : 0) && answer(8191) == (isStore ? 1 : 0), "\(name)")
            // A removed file is still mapped.
            unlink(path)
            #expect(answer(4096) == (isStore ? 1 : 0), "\(name)")
            munmap(map, 8192)
            #expect(answer(0) == 0)
        }
    }
}
