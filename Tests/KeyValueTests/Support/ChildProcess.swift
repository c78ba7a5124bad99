import Foundation
import TestSupport
import Testing

/// The helper `StoreProcess`: a second process on the same store, controlled by lines of text.
final class ChildProcess {
    private let process = SpawnedProcess()
    private let input = Pipe()
    private let output = Pipe()
    private var received: [UInt8] = []

    /// - Parameters:
    ///   - explainsSignals: whether the process prints where a signal ended it.
    ///   - wrapper: a program with arguments that starts it, such as `unshare`; its identifier is then the program's.
    init(explainsSignals: Bool = true, startedBy wrapper: [String] = []) throws {
        // Writing to a process that has ended is an error and must not end the tests.
        signal(SIGPIPE, SIG_IGN)
        process.executableURL = wrapper.first.map { URL(fileURLWithPath: $0) } ?? Self.executable
        if !wrapper.isEmpty { process.arguments = wrapper.dropFirst() + [Self.executable.path] }
        if !explainsSignals {
            process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        kill()
    }

    var identifier: pid_t { process.processIdentifier }

    /// Sends a line without waiting for its answer.
    func send(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// The next line of answer; nil when the process has ended.
    func answer() -> String? {
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

    @discardableResult
    func ask(_ line: String) throws -> String? {
        try send(line)
        return answer()
    }

    /// Ends the process as a crash would.
    func kill() {
        guard process.isRunning else { return }
        _ = Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// It is beside the test program in the build folder.
    private static var executable: URL {
        #if os(Linux)
            let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        #else
            let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }!.bundleURL
        #endif
        return tests.deletingLastPathComponent().appendingPathComponent("StoreProcess")
    }
}
