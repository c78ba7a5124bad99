import Foundation
import Testing

/// The program `daybook` on a store of its own, run as a person or a script runs it.
struct TestProgram: ~Copyable {
    /// A folder that goes with this value; the store is a folder in it that is not there yet.
    let folder: String
    var store: String { folder + "/store" }
    /// The moment and the zone that every run is given.
    var now: String? = "2026-02-10T09:15:00Z"
    var zone: String? = "Europe/Istanbul"

    init() throws {
        // A line to a process that has died is an error to see, not the end of the tests.
        signal(SIGPIPE, SIG_IGN)
        folder = NSTemporaryDirectory() + "/daybook-command-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// What a run left behind.
    struct Result {
        let code: Int32
        /// Whether a signal ended it.
        let wasKilled: Bool
        let bytes: Data
        let errors: String

        var output: String { String(decoding: bytes, as: UTF8.self) }
        var lines: [String] { output.split(separator: "\n").map(String.init) }
        /// The only line of output.
        var line: String { lines.count == 1 ? lines[0] : "not one line: \(output)" }

        /// The output as JSON: whole, and nothing else.
        func json() throws -> [String: Any] {
            try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
        }

        /// Whether it ended with a code, one line that says why, and nothing on standard output.
        func isRefusal(_ expected: Int32) -> Bool {
            !wasKilled && code == expected && bytes.isEmpty && errors.hasPrefix("daybook: ") && errors.hasSuffix("\n")
                && errors.split(separator: "\n", omittingEmptySubsequences: false).count == 2
        }
    }

    /// Runs a command to its end.
    func run(
        _ arguments: String..., input: Data = Data(), environment: [String: String] = [:], isBare: Bool = false
    ) throws -> Result {
        try run(arguments, input: input, environment: environment, isBare: isBare)
    }

    /// - Parameter isBare: without the store, the moment and the zone.
    func run(
        _ arguments: [String], input: Data = Data(), environment: [String: String] = [:], isBare: Bool = false
    ) throws -> Result {
        // A run's own option wins over the standing one.
        let process = self.process(
            isBare ? arguments : [arguments.first ?? "today"] + standing + arguments.dropFirst(),
            environment: environment)
        // Files, since a pipe that nobody empties would hold the program up.
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
            errors: String(decoding: try Data(contentsOf: URL(fileURLWithPath: name + ".err")), as: UTF8.self))
    }

    /// Runs a line of shell in which `daybook` is this program, with the store and the time as variables and options.
    func shell(_ line: String, environment: [String: String] = [:]) throws -> Result {
        let process = Process()
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
            errors: String(decoding: messages, as: UTF8.self))
    }

    /// A command that is not run yet.
    func process(_ arguments: [String], environment: [String: String] = [:]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.executable)
        process.arguments = arguments
        process.environment = self.environment(environment)
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        return process
    }

    /// The options of every run.
    var standing: [String] {
        ["--store", store] + (now.map { ["--now", $0] } ?? []) + (zone.map { ["--zone", $0] } ?? [])
    }

    private func environment(_ more: [String: String]) -> [String: String] {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return ["PATH": path, "HOME": folder, "TZ": "UTC", "LC_ALL": "C"].merging(more) { $1 }
    }

    /// Lies beside the test program, wherever the build's folder is.
    static let executable: String = {
        #if os(Linux)
            let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        #else
            let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }!.bundleURL
        #endif
        return tests.deletingLastPathComponent().appendingPathComponent("daybook").path
    }()
}

extension TestProgram {
    /// Adds a task and returns its id.
    func add(_ text: String, _ more: String...) throws -> String {
        let result = try run(["add", text] + more)
        try #require(result.code == 0, "\(result.errors)")
        return result.line
    }

    /// The texts of a view, in its order.
    func texts(_ view: String) throws -> [String] {
        try tasks(view).compactMap { $0["text"] as? String }
    }

    /// The tasks of a view, in its order.
    func tasks(_ view: String) throws -> [[String: Any]] {
        let json = try run(view, "--json").json()
        if let days = json["days"] as? [[String: Any]] {
            return days.flatMap { $0["tasks"] as? [[String: Any]] ?? [] }
        }
        return try #require(json["tasks"] as? [[String: Any]])
    }

    /// The bytes of every file of a folder, by name.
    func contents(of folder: String) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            contents[name] = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        return contents
    }
}
