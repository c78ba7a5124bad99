import Foundation
import TestSupport
import Testing

/// `--wait`: what a command does while another process has the store.
@Suite struct WaitTests {
    @Test("A command that may not wait exits with 3 and names the process [S-77]", arguments: ["0", "0.05", ".1"])
    func gate(seconds: String) throws {
        let program = try TestProgram()
        #expect(try program.run("add", "Water the plants").code == 0)
        let lock = open(program.store, O_RDONLY | O_CLOEXEC)
        try #require(flock(lock, LOCK_EX | LOCK_NB) == 0)
        for command in [["today"], ["add", "Call"]] {
            let result = try program.run(command + ["--wait", seconds])
            #expect(result.code == 3)
            #expect(result.errors.contains("rocess \(getpid()) ("))
            #expect(result.errors.split(separator: "\n").count == 1)
        }
        close(lock)
        #expect(try program.run("today", "--wait", seconds).code == 0)
    }

    @Test("A command that waits says for whom, once, and writes when it can [S-77]")
    func message() throws {
        let program = try TestProgram()
        #expect(try program.run("add", "Water the plants").code == 0)
        let lock = open(program.store, O_RDONLY | O_CLOEXEC)
        try #require(flock(lock, LOCK_EX | LOCK_NB) == 0)
        let result = try program.run("add", "Call", "--wait", "1.1")
        close(lock)
        #expect(result.code == 3)
        let lines = result.errors.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.contains("Waiting for process \(getpid())") == true)
        #expect(try program.run("add", "Call").code == 0)
    }
}
