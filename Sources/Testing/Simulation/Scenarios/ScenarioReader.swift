import Daybook
import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Reads scenario files. Everything that a file says has to mean something: the first thing that does not is an error
/// with its line, and what would be right.
public struct ScenarioReader: Sendable {
    private let vocabulary: Vocabulary

    /// A reader that knows Daybook's own words and those of a vocabulary.
    public init(vocabulary: Vocabulary = Vocabulary()) {
        self.vocabulary = vocabulary
    }

    /// Reads a scenario.
    ///
    /// - Parameter file: what the file is called in error messages and in stories.
    public func read(_ text: String, file: String) throws(SimulationError) -> Scenario {
        do {
            var scenario = try HeadReader(ScenarioNode(yaml: text)).scenario(vocabulary)
            scenario.file = file
            return scenario
        } catch {
            throw .scenario(file: file, line: error.line, problem: error.text)
        }
    }

    /// Reads the scenario in a file.
    ///
    /// - Throws: ``SimulationError/file(operation:path:code:)`` when it cannot be read, else as
    ///   ``read(_:file:)``.
    public func read(file path: String) throws(SimulationError) -> Scenario {
        let bytes = try wholeFile(path)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let valid = String(decoding: bytes, as: UTF8.self).prefix { $0 != "\u{FFFD}" }
            throw .scenario(
                file: path, line: 1 + valid.utf8.count { $0 == UInt8(ascii: "\n") },
                problem: "This is not UTF-8 text: save the file in that encoding.")
        }
        return try read(text, file: path)
    }

    /// Reads every `.yaml` file below a folder, in the order of their paths: `@Test(arguments:)` takes what this returns.
    ///
    /// - Throws: ``SimulationError/file(operation:path:code:)`` when there is none, else as ``read(file:)``.
    public func read(folder path: String) throws(SimulationError) -> [Scenario] {
        let below = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
        let names = below.filter { $0.hasSuffix(".yaml") }.sorted()
        // Tests of no files would pass.
        guard !names.isEmpty else { throw .file(operation: "find a .yaml file in", path: path, code: ENOENT) }
        return try names.map { (name) throws(SimulationError) in try read(file: "\(path)/\(name)") }
    }
}
