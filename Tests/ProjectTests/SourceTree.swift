import Foundation

/// The project's own files, for tests that read them.
enum SourceTree {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Every Swift file below a folder of the project, with its text.
    static func swiftFiles(below folder: String) throws -> [(path: String, text: String)] {
        let top = root.appending(path: folder)
        let names = FileManager.default.enumerator(atPath: top.path)?.compactMap { $0 as? String } ?? []
        return try names.filter { $0.hasSuffix(".swift") && !$0.contains(".build") }.sorted().map { name in
            (folder + "/" + name, try String(contentsOf: top.appending(path: name), encoding: .utf8))
        }
    }

    /// The modules that a file imports.
    static func imports(in text: String) -> [String] {
        text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ").drop { $0.hasPrefix("@") || $0 == "internal" || $0 == "public" }
            guard words.first == "import", let last = words.last else { return nil }
            return last.split(separator: ".").first.map(String.init)
        }
    }

    /// A file's code without its comments.
    static func code(of text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.range(of: "//").map { String(line[..<$0.lowerBound]) } ?? String(line)
        }.joined(separator: "\n")
    }
}
