import Foundation

/// `daybook add -` at work: lines go in, ids come out.
final class RunningProgram {
    private let process: Process
    private let input = Pipe()
    private let output = Pipe()
    private var received: [UInt8] = []

    init(_ process: Process) throws {
        self.process = process
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        kill()
    }

    /// Sends lines without waiting for anything.
    func send(_ lines: [String]) {
        // The program may be gone already; then what it did not acknowledge is nobody's loss.
        try? input.fileHandleForWriting.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
    }

    /// The next whole line of output; nil at its end.
    func line() -> String? {
        while true {
            if let end = received.firstIndex(of: 0x0A) {
                defer { received.removeFirst(end + 1) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            received += more
        }
    }

    /// Ends it as a crash would.
    func kill() {
        guard process.isRunning else { return }
        _ = Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Ends its input and waits for its end. Returns its exit code.
    func finish() throws -> Int32 {
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
