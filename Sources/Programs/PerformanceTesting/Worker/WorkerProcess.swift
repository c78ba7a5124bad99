import CommandSupport
import FoundationEssentials
import Glibc
import Processes

/// A worker process that runs operations in its own store on request: this program or another build of it.
package final class WorkerProcess {
    /// The worker's first line of output.
    let greeting: OperationWorker.Greeting
    private let program: String
    private let process: ChildProcess
    private var rest: [UInt8] = []
    private var hasEnded = false

    /// Starts a worker by the arguments that name its folder.
    init(_ program: String, _ arguments: [String]) throws {
        // Writing to a program that has ended must be an error instead of a signal.
        signal(SIGPIPE, SIG_IGN)
        self.program = program
        process = try ChildProcess(program, arguments, takesInput: true)
        let line = try Self.nextLine(of: process, after: &rest)
        guard let greeting = line.flatMap({ try? JSONDecoder().decode(OperationWorker.Greeting.self, from: Data($0)) }),
            greeting.worker == OperationWorker.protocolNumber
        else {
            process.kill()
            _ = try? process.wait()
            let words = line.map { String(decoding: $0, as: UTF8.self) } ?? ""
            throw CommandError.unusable(
                """
                \(program) cannot be compared: it is no worker of this version of the gate\
                \(words.isEmpty ? "." : "; it printed: \(VisibleText.of(words))") Name a newer build of the same program.
                """)
        }
        self.greeting = greeting
    }

    deinit {
        end()
    }

    /// Returns the total time of the given number of runs of an operation, in nanoseconds.
    func time(_ operation: String, runs: Int, slowedBy percent: Int = 0) throws -> Int64 {
        // If the program has ended, it does not respond.
        try? process.say(Array("\(operation) \(runs)\(percent > 0 ? " \(percent)" : "")\n".utf8))
        guard let line = try Self.nextLine(of: process, after: &rest) else { throw ended(during: operation) }
        let text = String(decoding: line, as: UTF8.self)
        let times = text.split(separator: " ").compactMap { Int64($0) }
        guard times.count == runs else {
            throw CommandError.unusable("\(program) could not run \(operation): \(VisibleText.of(text))")
        }
        return times.reduce(0, +)
    }

    /// Closes the worker's input, which ends it, and waits for it.
    func end() {
        guard !hasEnded else { return }
        hasEnded = true
        _ = try? process.wait()
    }

    private func ended(during operation: String) -> CommandError {
        hasEnded = true
        switch try? process.wait() {
        case .killed(let signal) where [SIGINT, SIGTERM, SIGHUP].contains(signal): return .finished(.interrupted)
        case .killed(let signal):
            return .unusable("\(program) was ended by signal \(signal) while it ran \(operation).")
        case .exited(let code): return .unusable("\(program) ended with code \(code) while it ran \(operation).")
        case nil: return .unusable("\(program) ended while it ran \(operation).")
        }
    }

    /// A signal can arrive just before the wait and would not interrupt it.
    private static let waitMilliseconds: Int32 = 200

    /// Waits for the next line and returns it without its terminator; nil at the end.
    private static func nextLine(of process: ChildProcess, after rest: inout [UInt8]) throws -> [UInt8]? {
        while true {
            if let end = rest.firstIndex(of: 0x0A) {
                let line = Array(rest[..<end])
                rest.removeFirst(end + 1)
                return line
            }
            var waited = [pollfd(fd: process.output, events: Int16(POLLIN), revents: 0)]
            let count = poll(&waited, 1, waitMilliseconds)
            if Interruption.isRequested { throw CommandError.finished(.interrupted) }
            guard count > 0 else { continue }
            guard let bytes = process.nextOutput() else { return nil }
            rest += bytes
        }
    }
}
