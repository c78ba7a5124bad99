import FoundationEssentials
import Simulation

/// The scenario files that a command line names.
struct ScenarioFiles {
    let paths: [String]

    /// What is played when nothing is named.
    private static let standardFolder = "Simulations"

    /// - Parameter names: files, and folders that stand for every `.yaml` below them.
    init(named names: [String]) throws {
        if names.isEmpty, !Self.isFolder(Self.standardFolder) {
            throw CommandError.usage(
                "There is no folder \(Self.standardFolder) here. Name scenario files, or draw stories: "
                    + "'daybook simulate --runs 10'.")
        }
        paths = try (names.isEmpty ? [Self.standardFolder] : names).flatMap(Self.files)
    }

    /// Reads them all before the first is played.
    func scenarios() throws -> [Scenario] {
        let reader = ScenarioReader()
        return try paths.map { try reader.read(file: $0) }
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder
    }

    private static func files(_ name: String) throws -> [String] {
        guard FileManager.default.fileExists(atPath: name) else {
            throw CommandError.unusable("There is no file \(name). Name a scenario file, or a folder of them.")
        }
        guard isFolder(name) else { return [name] }
        let below: [String]
        do {
            below = try FileManager.default.subpathsOfDirectory(atPath: name)
        } catch {
            throw CommandError.unusable("The folder \(name) could not be read. Check that it is yours.")
        }
        let files = below.filter { $0.hasSuffix(".yaml") }.sorted()
        guard !files.isEmpty else {
            throw CommandError.unusable("There is no .yaml file below \(name). Name a folder that has scenarios.")
        }
        return files.map { name.hasSuffix("/") ? name + $0 : "\(name)/\($0)" }
    }
}
