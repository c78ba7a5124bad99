import Foundation
import Injection
import TestSupport

@testable import Sync

/// The helper `ReplicaProcess`: a process of its own that syncs a store, whose hub is the test.
final class SyncingProcess {
    /// What it does.
    enum State: Equatable {
        case waits
        /// It has asked its hub.
        case asks(String)
        /// It works on what it was told last.
        case works
    }

    private let process = SpawnedProcess()
    private let input = Pipe()
    private let output = Pipe()
    private var received: [UInt8] = []
    private(set) var state = State.works
    private(set) var isStopped = false
    /// The tasks that it has reported as created.
    private(set) var created: [UUID] = []
    /// How its last run of sync ended.
    private(set) var ending = ""

    init(on store: String, seed: UInt64, breaking point: InjectionPoint? = nil) throws {
        // Writing to a process that has ended is an error and must not end the tests.
        signal(SIGPIPE, SIG_IGN)
        process.executableURL = TestPrograms.url(of: "ReplicaProcess")
        process.arguments = [store, "\(seed)"] + [point?.name].compactMap { $0 }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        listen()
    }

    deinit { kill() }

    var isRunning: Bool { process.isRunning }

    /// Tells it to do something, without waiting for it.
    func tell(_ line: String) throws {
        state = .works
        try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// Waits until it has done what it was told, or has ended. Returns its line.
    @discardableResult
    func listen() -> String {
        let line = nextLine() ?? ""
        let words = line.split(separator: " ").map(String.init)
        state = words.first == "sync" || words.first == "records" ? .asks(line) : .waits
        if words.first == "done", let id = UUID(uuidString: words[1]) { created.append(id) }
        if words.first == "ended" { ending = words[1] }
        return line
    }

    private func nextLine() -> String? {
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

    /// Ends it wherever it is.
    func kill() {
        guard process.isRunning else { return }
        _ = Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Stops it wherever it is, or lets it go on.
    func setStopped(_ isStopped: Bool) {
        self.isStopped = isStopped
        _ = Foundation.kill(process.processIdentifier, isStopped ? SIGSTOP : SIGCONT)
    }
}

/// The programs beside that of the tests.
enum TestPrograms {
    static func url(of name: String) -> URL {
        #if os(Linux)
            let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        #else
            let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }!.bundleURL
        #endif
        return tests.deletingLastPathComponent().appendingPathComponent(name)
    }
}

extension [UInt8] {
    var hexadecimal: String { map { String(0x100 + Int($0), radix: 16).dropFirst() }.joined() }

    init(hexadecimal text: String) {
        let digits = text.compactMap(\.hexDigitValue)
        self = stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
