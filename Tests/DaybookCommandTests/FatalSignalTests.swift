import CFaultAddress
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

    @Test("Only an address in the map of a data file is one of the store [S-70]")
    func addresses() throws {
        let folder = try TemporaryFolder()
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
