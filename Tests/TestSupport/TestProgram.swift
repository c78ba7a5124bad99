import Foundation

/// The program `daybook` with a separate store.
package struct TestProgram: ~Copyable {
    /// A temporary folder, removed with this value. The store is a folder in it that does not exist yet.
    package var folder: String { temporary.path }
    private let temporary = TemporaryFolder()
    package var store: String { folder + "/store" }
    /// The instant that every run gets.
    package var now: String? = "2026-02-10T09:15:00Z"
    /// The zone that every run gets.
    package var zone: String? = "Europe/Istanbul"

    package init() throws {
        // Makes writing to a process that has ended an error instead of the end of the tests.
        signal(SIGPIPE, SIG_IGN)
    }

    /// The result of a run.
    package struct Result {
        package let code: Int32
        /// Whether a signal ended it.
        package let wasKilled: Bool
        package let bytes: Data
        package let errors: String

        package var output: String { String(decoding: bytes, as: UTF8.self) }
        package var lines: [String] { output.split(separator: "\n").map(String.init) }
        /// The only line of output.
        package var line: String { lines.count == 1 ? lines[0] : "not one line: \(output)" }

        /// Parses the output, which must be one JSON object.
        package func json() throws -> [String: Any] {
            guard let object = try JSONSerialization.jsonObject(with: bytes) as? [String: Any] else {
                throw UnexpectedOutput(text: output)
            }
            return object
        }

        /// Whether it ended with a code, a one-line message and no output.
        package func isRefusal(_ expected: Int32) -> Bool {
            !wasKilled && code == expected && bytes.isEmpty && errors.hasPrefix("daybook: ") && errors.hasSuffix("\n")
                && errors.split(separator: "\n", omittingEmptySubsequences: false).count == 2
        }
    }

    /// Runs a command to its end.
    package func run(
        _ arguments: String..., input: Data = Data(), environment: [String: String] = [:], isBare: Bool = false
    ) throws -> Result {
        try run(arguments, input: input, environment: environment, isBare: isBare)
    }

    /// - Parameters:
    ///   - isBare: without the store, the moment and the zone.
    ///   - program: the program to run, beside the tests' program.
    package func run(
        _ arguments: [String], input: Data = Data(), environment: [String: String] = [:], isBare: Bool = false,
        program: String = "daybook"
    ) throws -> Result {
        // An option of the run overrides the standard one.
        let process = self.process(
            isBare ? arguments : [arguments.first ?? "today"] + standing + arguments.dropFirst(),
            environment: environment)
        process.executableURL = process.executableURL?.deletingLastPathComponent().appendingPathComponent(program)
        // Files, because a full pipe would block the program.
        let name = "\(folder)/\(UUID().uuidString)"
        let suffixes = [".in", ".out", ".err"]
        for suffix in suffixes { _ = FileManager.default.createFile(atPath: name + suffix, contents: nil) }
        defer { for suffix in suffixes { try? FileManager.default.removeItem(atPath: name + suffix) } }
        try input.write(to: URL(fileURLWithPath: name + ".in"))
        process.standardInput = FileHandle(forReadingAtPath: name + ".in")
        process.standardOutput = FileHandle(forWritingAtPath: name + ".out")
        process.standardError = FileHandle(forWritingAtPath: name + ".err")
        try process.run()
        process.waitUntilExit()
        return Result(
            code: process.terminationStatus, wasKilled: process.terminationReason == .uncaughtSignal,
            bytes: try Data(contentsOf: URL(fileURLWithPath: name + ".out")),
            errors: Self.ownMessages(of: try Data(contentsOf: URL(fileURLWithPath: name + ".err"))))
    }

    /// What the program wrote. Under `Scripts/coverage` the compiler's runtime adds lines when it cannot write its profile,
    /// as on a disk that a test has filled.
    private static func ownMessages(of errors: Data) -> String {
        let text = String(decoding: errors, as: UTF8.self)
        guard text.contains("LLVM Profile") else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("LLVM Profile") }
            .joined(separator: "\n")
    }

    /// Runs a shell command in which `daybook` is this program with the standard options.
    package func shell(_ line: String, environment: [String: String] = [:]) throws -> Result {
        let process = SpawnedProcess()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        let options = standing.map { "'\($0)'" }.joined(separator: " ")
        process.arguments = ["-c", "daybook() { '\(Self.executable)' \"$@\" \(options); }; \(line)"]
        process.environment = self.environment(environment)
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        let messages = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Result(
            code: process.terminationStatus, wasKilled: process.terminationReason == .uncaughtSignal, bytes: bytes,
            errors: Self.ownMessages(of: messages))
    }

    /// Returns a process that has not been started.
    package func process(_ arguments: [String], environment: [String: String] = [:]) -> SpawnedProcess {
        let process = SpawnedProcess()
        process.executableURL = URL(fileURLWithPath: Self.executable)
        process.arguments = arguments
        process.environment = self.environment(environment)
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        return process
    }

    /// The options that every run gets.
    package var standing: [String] {
        ["--store", store] + (now.map { ["--now", $0] } ?? []) + (zone.map { ["--zone", $0] } ?? [])
    }

    private func environment(_ more: [String: String]) -> [String: String] {
        let own = ProcessInfo.processInfo.environment
        var environment = ["PATH": own["PATH"] ?? "/usr/bin:/bin", "HOME": folder, "TZ": "UTC", "LC_ALL": "C"]
        // Where `Scripts/coverage` collects what the program reached.
        environment["LLVM_PROFILE_FILE"] = own["LLVM_PROFILE_FILE"]
        return environment.merging(more) { $1 }
    }

    /// The program beside the tests' program, wherever the build folder is.
    package static let executable: String = {
        #if os(Linux)
            let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        #else
            let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }!.bundleURL
        #endif
        return tests.deletingLastPathComponent().appendingPathComponent("daybook").path
    }()
}

/// The program wrote something other than a test needs to continue.
package struct UnexpectedOutput: Error, CustomStringConvertible {
    let text: String
    package var description: String { "Unexpected output: \(text)" }
}

extension TestProgram {
    /// Adds a task and returns its id.
    package func add(_ text: String, _ more: String...) throws -> String {
        let result = try run(["add", text] + more)
        guard result.code == 0 else { throw UnexpectedOutput(text: result.errors) }
        return result.line
    }

    /// The texts of a view, in its order.
    package func texts(_ view: String, _ arguments: String...) throws -> [String] {
        try tasks(view, arguments).compactMap { $0["text"] as? String }
    }

    /// The tasks of a view, in its order.
    package func tasks(_ view: String, _ arguments: [String] = []) throws -> [[String: Any]] {
        let json = try run([view, "--json"] + arguments).json()
        if let days = json["days"] as? [[String: Any]] {
            return days.flatMap { $0["tasks"] as? [[String: Any]] ?? [] }
        }
        guard let tasks = json["tasks"] as? [[String: Any]] else { throw UnexpectedOutput(text: "no tasks in \(view)") }
        return tasks
    }

    /// The bytes of every file of a folder, by name.
    package func contents(of folder: String) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            contents[name] = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        return contents
    }
}

/// A running `daybook add -`, which reads lines and responds with ids.
package final class RunningProgram {
    private let process: SpawnedProcess
    private let input = Pipe()
    private let output = Pipe()
    private var received: [UInt8] = []

    package init(_ process: SpawnedProcess) throws {
        self.process = process
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        kill()
    }

    /// Sends lines without waiting for a response.
    package func send(_ lines: [String]) {
        // The program may have ended already; what it did not acknowledge may be lost.
        try? input.fileHandleForWriting.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
    }

    /// Returns the next line of output; nil at its end.
    package func line() -> String? {
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

    /// Kills the program.
    package func kill() {
        guard process.isRunning else { return }
        _ = Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Closes its input, waits for its end, and returns its exit code.
    package func finish() throws -> Int32 {
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
