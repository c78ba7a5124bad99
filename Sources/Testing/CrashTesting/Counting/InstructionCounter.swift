import CivilTime
import Glibc
import KeyValue

/// Counts the instructions that a program spends on one round of what it repeats, by cachegrind, if that is installed.
///
/// The program is run for so many rounds and again for twice as many: what it does once, as starting and opening a store,
/// is in both counts, and not in their difference.
package struct InstructionCounter {
    private let executable: String
    private let scratch: String
    private let valgrind: String
    private let arguments: (Int) -> [String]
    private let clock: any TimeSource
    private let timeLimitMicroseconds: Int64

    /// - Parameters:
    ///   - executable: the program's path.
    ///   - scratch: a folder where a copy of the program can lie for a while.
    ///   - valgrind: its path, or its name to be looked for.
    ///   - timeLimitSeconds: for each of the two runs.
    ///   - clock: measures that time.
    ///   - arguments: of a number of rounds.
    package init(
        executable: String, scratch: String, valgrind: String = "valgrind", timeLimitSeconds: Int64 = 120,
        clock: any TimeSource, arguments: @escaping (Int) -> [String]
    ) {
        self.executable = executable
        self.scratch = scratch
        self.valgrind = valgrind
        self.arguments = arguments
        self.clock = clock
        timeLimitMicroseconds = timeLimitSeconds * 1_000_000
    }

    /// Instructions for each round; nil where there is no valgrind.
    package func count(rounds: Int) throws -> Double? {
        let program = "\(scratch)/counted-\(getpid())"
        defer { unlink(program) }
        try BareExecutable.copy(executable, to: program)
        guard let once = try instructions(of: program, rounds), let twice = try instructions(of: program, 2 * rounds)
        else { return nil }
        return Double(twice - once) / Double(rounds)
    }

    /// Those of a whole run.
    private func instructions(of program: String, _ rounds: Int) throws -> Int? {
        // The seed of Swift's dictionaries changes what a look-up costs; valgrind wants a folder that exists.
        let command = [
            "SWIFT_DETERMINISTIC_HASHING=1", "TMPDIR=\(scratch)", valgrind, "--tool=cachegrind", "--cache-sim=no",
            "--branch-sim=no", "--cachegrind-out-file=/dev/null",
        ]
        let (ending, output) = try run("/usr/bin/env", command + [program] + arguments(rounds))
        if ending == .exited(Self.notFound) { return nil }
        guard ending == .exited(0) else { throw CrashLabError.noAnswer("under valgrind ended otherwise: \(ending)") }
        guard let count = Self.instructions(in: output) else {
            throw CrashLabError.noAnswer("under valgrind said nothing of instructions")
        }
        return count
    }

    /// What `env` ends with when there is no such program.
    private static let notFound: Int32 = 127

    /// The number in cachegrind's line `==1== I   refs:      1,234,567` (`I refs:` in newer ones).
    static func instructions(in output: String) -> Int? {
        for line in output.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 4, words[0].hasPrefix("=="), words[1...2].elementsEqual(["I", "refs:"]) else {
                continue
            }
            return Int(words[3].filter { $0 != "," })
        }
        return nil
    }

    private func run(_ program: String, _ words: [String]) throws -> (ChildProcess.Ending, String) {
        let child = try ChildProcess(program, words)
        let end = clock.monotonic.advanced(byMicroseconds: timeLimitMicroseconds)
        var output: [UInt8] = []
        while true {
            let left = end.microseconds(since: clock.monotonic)
            var descriptor = pollfd(fd: child.output, events: Int16(POLLIN), revents: 0)
            let ready = left > 0 ? poll(&descriptor, 1, Int32(clamping: left / 1000 + 1)) : 0
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else {
                child.kill()
                _ = try child.wait()
                throw CrashLabError.noAnswer("under valgrind took longer than its time")
            }
            guard let chunk = child.nextOutput() else { break }
            output += chunk
        }
        return (try child.wait(), String(decoding: output, as: UTF8.self))
    }
}
