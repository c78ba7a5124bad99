import Daybook
import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Reads scenario files. Reading is strict: the first thing without a meaning is an error with its line and a hint at
/// what would be right.
public struct ScenarioReader: Sendable {
    private let vocabulary: Vocabulary

    /// Creates a reader for the built-in words and those of a vocabulary.
    public init(vocabulary: Vocabulary = Vocabulary()) {
        self.vocabulary = vocabulary
    }

    /// Reads a scenario.
    ///
    /// - Parameter file: the file name for error messages and run records.
    public func read(_ text: String, file: String) throws(SimulationError) -> Scenario {
        do {
            var scenario = try HeadReader(ScenarioNode(yaml: text)).scenario(vocabulary)
            scenario.file = file
            return scenario
        } catch {
            throw .scenario(file: file, line: error.line, problem: error.text)
        }
    }

    /// Reads a scenario from a file.
    ///
    /// - Throws: ``SimulationError/file(operation:path:code:)`` if it cannot be read, otherwise as ``read(_:file:)``.
    public func read(file path: String) throws(SimulationError) -> Scenario {
        let bytes = try contentsOfFile(path)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let valid = String(decoding: bytes, as: UTF8.self).prefix { $0 != "\u{FFFD}" }
            throw .scenario(
                file: path, line: 1 + valid.utf8.count { $0 == UInt8(ascii: "\n") },
                problem: "This is not UTF-8 text: save the file in that encoding.")
        }
        return try read(text, file: path)
    }

    /// Reads every `.yaml` file below a folder, sorted by path; pass the result to `@Test(arguments:)`.
    ///
    /// - Throws: ``SimulationError/file(operation:path:code:)`` if there is none, otherwise as ``read(file:)``.
    public func read(folder path: String) throws(SimulationError) -> [Scenario] {
        let below = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
        let names = below.filter { $0.hasSuffix(".yaml") }.sorted()
        // A test without scenarios would pass.
        guard !names.isEmpty else { throw .file(operation: "find a .yaml file in", path: path, code: ENOENT) }
        return try names.map { (name) throws(SimulationError) in try read(file: "\(path)/\(name)") }
    }
}

/// Returns the bytes of a file.
package func contentsOfFile(_ path: String) throws(SimulationError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .file(operation: "read", path: path, code: errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 8_192)
    while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw .file(operation: "read", path: path, code: errno) }
        if count == 0 { return bytes }
        bytes.append(contentsOf: buffer[..<count])
    }
}

/// Reads the top-level keys of a scenario.
struct HeadReader {
    private static let keys = [
        "name", "requirements", "starts", "zone", "week starts", "seed", "looked at from", "follows", "steps",
    ]
    private let line: Int
    private let fields: [ScenarioField]

    init(_ root: ScenarioNode) throws(ScenarioProblem) {
        line = root.line
        fields = try root.fields("A scenario", "named values at its top: name, starts, zone, steps")
        for field in fields where !Self.keys.contains(field.key) {
            throw ScenarioProblem(
                field.line,
                "There is no key \(quoted(field.key)) at the top of a scenario"
                    + SpellingSuggestions.suggestion(
                        for: field.key, of: Self.keys,
                        otherwise: ": there may be \(Self.keys.joined(separator: ", "))."))
        }
    }

    func scenario(_ vocabulary: Vocabulary) throws(ScenarioProblem) -> Scenario {
        var scenario = Scenario(
            name: try required("name", "what the scenario shows, in a sentence").text("name", "a sentence"),
            start: try start(),
            zone: try required("zone", "an IANA name such as Europe/Berlin").zone("zone"))
        if let node = self["requirements"] {
            let wanted = "a list such as [C-S3.9]"
            scenario.requirements = try node.list("requirements", wanted).map { (part) throws(ScenarioProblem) in
                try part.text("requirements", wanted)
            }
        }
        if let node = self["week starts"] { scenario.weekStart = try weekStart(node) }
        if let node = self["seed"] { scenario.seed = try node.number("seed", from: 0) }
        if let node = self["looked at from"] {
            let zones = try node.list("looked at from", "a list of zones")
            scenario.observers = try zones.map { (part) throws(ScenarioProblem) in try part.zone("looked at from") }
        }
        if let node = self["follows"] {
            let views = try node.list("follows", "a list of views")
            scenario.followedViews = try views.map { (part) throws(ScenarioProblem) in try part.view("follows") }
        }
        var reader = StepReader(vocabulary: vocabulary)
        for node in try required("steps", "what happens, in order").list("steps", "a list of steps") {
            scenario.steps.append(try reader.read(node))
        }
        return scenario
    }

    private func start() throws(ScenarioProblem) -> Moment {
        let node = try required("starts", "a moment such as 2026-03-10 23:59")
        let moment = try node.moment("starts")
        switch moment {
        case .local, .instant: return moment
        case .timeOfDay, .midnight: throw node.misfit("starts", "a moment with its day, such as 2026-03-10 23:59")
        }
    }

    private func weekStart(_ node: ScenarioNode) throws(ScenarioProblem) -> Weekday {
        let days: [Weekday] = [.monday, .sunday, .saturday]
        let text = try node.text("week starts", "monday, sunday or saturday")
        guard let day = days.first(where: { "\($0)" == text }) else {
            throw node.misfit("week starts", "monday, sunday or saturday")
        }
        return day
    }

    private subscript(key: String) -> ScenarioNode? {
        fields.first { $0.key == key }?.value
    }

    private func required(_ key: String, _ wanted: String) throws(ScenarioProblem) -> ScenarioNode {
        guard let node = self[key] else {
            throw ScenarioProblem(line, "A scenario needs \(quoted(key)) at its top: \(wanted).")
        }
        return node
    }
}
