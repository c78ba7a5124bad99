import CommandSupport
import Daybook
import FoundationEssentials

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

    /// Runs an operation so many times, slowed down by a percentage, and returns the nanoseconds of each run.
    package typealias Sampler = (_ operation: String, _ runs: Int, _ percent: Int) async throws -> [Int64]

    /// The protocol: each request is a line with an operation's name, a number of runs and, in the self-test, a
    /// slowdown in percent. Each response is a line with the nanoseconds of each run.
    static let protocolNumber = 1

    private let operations: [String]
    private let sample: Sampler

    /// Creates a worker. The names of operations are without blanks.
    package init(_ operations: [String], sample: @escaping Sampler) {
        self.operations = operations
        self.sample = sample
    }

    /// Handles requests until the input ends.
    package func serve() async throws {
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

    private func times(of request: LineReader.Numbered) async throws -> [Int64] {
        guard case .text(let text) = request.line else {
            throw CommandError.usage("Line \(request.number) is not a valid request.")
        }
        let words = text.split(separator: " ")
        guard (2...3).contains(words.count), let runs = Int(words[1]), runs >= 0,
            let percent = words.count == 3 ? Int(words[2]) : 0, percent >= 0, operations.contains(String(words[0]))
        else { throw CommandError.usage("Line \(request.number) is not a valid request.") }
        return try await sample(String(words[0]), runs, percent)
    }

    private func respond(_ line: [UInt8]) throws {
        try Output.standard.write(line + [0x0A])
    }
}
