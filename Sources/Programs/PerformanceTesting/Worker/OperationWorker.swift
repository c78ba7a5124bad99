import CommandSupport
import Daybook
import FoundationEssentials
import Measuring

/// The worker process of a comparison. It runs operations on request and measures the time itself, so that communication with
/// the parent process does not count.
package struct OperationWorker {
    /// The first line of output.
    struct Greeting: Codable {
        /// The version of the protocol. The parent process must support it.
        let worker: Int
        /// The version of the program.
        let version: String
        /// The names of the supported operations.
        let operations: [String]
    }

    /// Runs an operation once, whose runs are numbered from 0, and returns the nanoseconds.
    package typealias Timer = (_ operation: String, _ turn: Int) async throws -> Int64

    /// The protocol: each request is a line with an operation's name, a number of runs and, in the self-test, a
    /// slowdown in percent. Each response is a line with the nanoseconds of each run.
    static let protocolNumber = 1

    private let operations: [String]
    private let time: Timer
    /// The number of runs of each operation. Two workers with equal stores and equal requests do the same work in the same order.
    private var turns: [String: Int] = [:]

    /// Creates a worker. The names of operations are without blanks.
    package init(_ operations: [String], time: @escaping Timer) {
        self.operations = operations
        self.time = time
    }

    /// Handles requests until the input ends.
    package mutating func serve() async throws {
        let greeting = Greeting(
            worker: Self.protocolNumber, version: LibraryVersion.current, operations: operations)
        try respond(Array(try JSONEncoder().encode(greeting)))
        var lines = LineReader(.standard)
        while let requests = try lines.next() {
            for line in requests {
                let times = try await times(of: line)
                try respond(Array(times.map { "\($0)" }.joined(separator: " ").utf8))
            }
        }
    }

    private mutating func times(of request: LineReader.Numbered) async throws -> [Int64] {
        guard case .text(let text) = request.line else {
            throw CommandError.usage("Line \(request.number) is not a valid request.")
        }
        let words = text.split(separator: " ")
        guard (2...3).contains(words.count), let runs = Int(words[1]), runs >= 0,
            let percent = words.count == 3 ? Int(words[2]) : 0, percent >= 0, operations.contains(String(words[0]))
        else { throw CommandError.usage("Line \(request.number) is not a valid request.") }
        return try await sample(String(words[0]), runs: runs, slowedBy: percent)
    }

    /// Runs an operation and returns the nanoseconds of each run. A slowdown busy-waits after it: the gate must detect it.
    private mutating func sample(_ operation: String, runs: Int, slowedBy percent: Int) async throws -> [Int64] {
        var times: [Int64] = []
        for _ in 0..<runs {
            let turn = turns[operation, default: 0]
            turns[operation] = turn + 1
            let time = try await time(operation, turn)
            times.append(time + Stopwatch.slowdown(of: time, percent: percent))
        }
        return times
    }

    private func respond(_ line: [UInt8]) throws {
        try Output.standard.write(line + [0x0A])
    }
}
