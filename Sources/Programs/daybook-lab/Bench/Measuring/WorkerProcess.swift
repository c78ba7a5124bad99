import CommandSupport
import FoundationEssentials
import Glibc
import KeyValue
import Workloads

/// A program that runs operations in a store of its own when it is asked: this one, or another build of it.
final class WorkerProcess {
    /// What it said first.
    let greeting: BenchWorker.Greeting
    private let program: String
    private let process: ChildProcess
    private var rest: [UInt8] = []
    private var hasEnded = false

    /// Starts a program that works in a store.
    init(_ program: String, in folder: String) throws {
        // A write to a program that has ended is then an error, and no signal.
        signal(SIGPIPE, SIG_IGN)
        self.program = program
        process = try ChildProcess(program, ["bench", "--worker", folder], takesInput: true)
        let line = try Self.nextLine(of: process, after: &rest)
        guard let greeting = line.flatMap({ try? JSONDecoder().decode(BenchWorker.Greeting.self, from: Data($0)) }),
            greeting.worker == BenchWorker.protocolNumber
        else {
            process.kill()
            _ = try? process.wait()
            let words = line.map { String(decoding: $0, as: UTF8.self) } ?? ""
            throw CommandError.unusable(
                """
                \(program) cannot be compared: it does not answer as a worker of 'daybook bench' of this version does\
                \(words.isEmpty ? "." : ", but says: \(VisibleText.of(words))") Name a newer build of daybook.
                """)
        }
        self.greeting = greeting
    }

    deinit {
        end()
    }

    /// What so many runs of an operation took together, in nanoseconds.
    func time(_ operation: String, runs: Int, slowedBy percent: Int = 0) throws -> Int64 {
        // A program that has ended is noticed when it does not answer.
        try? process.say(Array("\(operation) \(runs)\(percent > 0 ? " \(percent)" : "")\n".utf8))
        guard let line = try Self.nextLine(of: process, after: &rest) else { throw ended(during: operation) }
        let text = String(decoding: line, as: UTF8.self)
        let times = text.split(separator: " ").compactMap { Int64($0) }
        guard times.count == runs else {
            throw CommandError.unusable("\(program) could not run \(operation): \(VisibleText.of(text))")
        }
        return times.reduce(0, +)
    }

    /// Ends it, which it does by itself when nobody can ask any more.
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

    /// A signal may come just before the waiting begins, and would not end it.
    private static let waitMilliseconds: Int32 = 200

    /// The next line without its end, waiting for it; nil at the end.
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
