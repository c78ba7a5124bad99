import CivilTime
import FoundationEssentials
import Glibc
import Processes

/// Counts the instructions that a program executes per round of a repeated operation, using cachegrind if installed.
///
/// The program runs once with `rounds` rounds and once with twice as many, so that one-time work such as starting and
/// opening a store cancels out.
package struct InstructionCounter {
    private let executable: String
    private let scratch: String
    private let valgrind: String
    private let arguments: (Int) -> [String]
    private let clock: any TimeSource
    private let timeLimitMicroseconds: Int64

    /// Creates a counter.
    ///
    /// - Parameters:
    ///   - executable: the program's path.
    ///   - scratch: a folder for a temporary copy of the program.
    ///   - valgrind: its path, or a name to look up.
    ///   - timeLimitSeconds: the limit for each of the two runs.
    ///   - clock: measures that time.
    ///   - arguments: the program's arguments for a number of rounds.
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

    /// Returns the instructions per round; nil if valgrind is not installed.
    package func count(rounds: Int) throws -> Double? {
        let program = "\(scratch)/counted-\(getpid())"
        defer { unlink(program) }
        try BareExecutable.copy(executable, to: program)
        guard let once = try instructions(of: program, rounds), let twice = try instructions(of: program, 2 * rounds)
        else { return nil }
        return Double(twice - once) / Double(rounds)
    }

    /// Returns the instructions of a complete run.
    private func instructions(of program: String, _ rounds: Int) throws -> Int? {
        // The seed of Swift's dictionaries changes the cost of a look-up; valgrind requires an existing folder.
        let command = [
            "SWIFT_DETERMINISTIC_HASHING=1", "TMPDIR=\(scratch)", valgrind, "--tool=cachegrind", "--cache-sim=no",
            "--branch-sim=no", "--cachegrind-out-file=/dev/null",
        ]
        let (ending, output) = try run("/usr/bin/env", command + [program] + arguments(rounds))
        if ending == .exited(Self.notFound) { return nil }
        guard ending == .exited(0) else { throw CrashLabError.noAnswer("under valgrind failed with \(ending)") }
        guard let count = Self.instructions(in: output) else {
            throw CrashLabError.noAnswer("under valgrind reported no instructions")
        }
        return count
    }

    /// The exit code of `env` when the program does not exist.
    private static let notFound: Int32 = 127

    /// Parses cachegrind's line `==1== I   refs:      1,234,567` (`I refs:` in newer versions).
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
                throw CrashLabError.noAnswer("under valgrind exceeded its time limit")
            }
            guard let chunk = child.nextOutput() else { break }
            output += chunk
        }
        return (try child.wait(), String(decoding: output, as: UTF8.self))
    }
}

/// A copy of a program without its section table: valgrind always reads debug information, and versions before 2023
/// fail on the DWARF 5 that Swift's compiler writes.
///
/// A program runs by its segments; sections are for linkers and debuggers. Header layout (System V ABI, ELF-64): the
/// offset of the section table is at 0x28; the size and number of its entries and the index of the name section are at
/// 0x3A.
enum BareExecutable {
    private static let sectionTable = 0x28..<0x30
    private static let sectionCounts = 0x3A..<0x40

    static func copy(_ program: String, to copy: String) throws {
        var bytes = try Data(contentsOf: URL(filePath: program))
        guard bytes.count > sectionCounts.upperBound else {
            throw CrashLabError.system(operation: "read \(program)", code: ENOEXEC)
        }
        for offset in [sectionTable, sectionCounts].joined() { bytes[offset] = 0 }
        try bytes.write(to: URL(filePath: copy))
        guard chmod(copy, 0o700) == 0 else { throw CrashLabError.system(operation: "make \(copy) run", code: errno) }
    }
}
