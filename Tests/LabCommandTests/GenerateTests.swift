import Foundation
import TestSupport
import Testing

@Suite struct GenerateTests {
    @Test("Equal arguments generate stores that are equal to the byte", arguments: ["300", "2500"])
    func sameBytes(tasks: String) throws {
        let program = try TestProgram()
        let stores = ["a", "b"].map { "\(program.folder)/\($0)" }
        for store in stores {
            #expect(try program.run("generate", "--tasks", tasks, "--seed", "7", "--store", store).code == 0)
        }
        for name in ["data.mdb", "store.json"] {
            let files = try stores.map { try Data(contentsOf: URL(fileURLWithPath: "\($0)/\(name)")) }
            #expect(!files[0].isEmpty && files[0] == files[1], "\(name)")
        }
    }

    @Test("An interruption ends it with 130, and leaves a store that is whole", arguments: [SIGINT, SIGTERM])
    func interruption(signal: Int32) throws {
        let program = try TestProgram()
        let process = program.process(["generate", "--tasks", "1000000", "--store", program.store])
        try process.run()
        while process.isRunning, !FileManager.default.fileExists(atPath: "\(program.store)/data.mdb") { sched_yield() }
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 130)
        #expect(try program.run("verify").code == 0)
    }

    @Test(
        "Other arguments generate a store with another id, by which incremental snapshots distinguish stores",
        arguments: [["--seed", "8"], ["--tasks", "11"], ["--now", "2026-02-11T09:15:00Z"]])
    func otherIDs(variant: [String]) throws {
        let program = try TestProgram()
        let (one, other) = (program.folder + "/one", program.folder + "/other")
        let generate = ["generate", "--tasks", "10", "--seed", "7"]
        #expect(try program.run(generate + ["--store", one]).code == 0)
        #expect(try program.run(generate + variant + ["--store", other]).code == 0)
        let base = program.folder + "/base.snapshot"
        #expect(try program.run("snapshot", "create", base, "--store", one).code == 0)
        let next = program.folder + "/next.snapshot"
        #expect(try program.run("snapshot", "create", next, "--since", base, "--store", one).code == 0)
        let foreign = program.folder + "/foreign.snapshot"
        #expect(try program.run("snapshot", "create", foreign, "--since", base, "--store", other).code != 0)
    }
}
