import Foundation
import Testing

@Suite struct ErrorCodeTests {
    /// The files that define the codes of each layer.
    static let files = [
        "Sources/Engine/KeyValue/KeyValueError.swift", "Sources/Engine/Records/RecordsError.swift",
        "Sources/Domains/Tasks/Model/TaskError.swift", "Sources/Domains/Journals/Model/JournalError.swift",
    ]

    private func text(of path: String) throws -> String {
        try String(contentsOf: SourceTree.root.appending(path: path), encoding: .utf8)
    }

    /// The files whose errors still name a command of the command line, with the number of texts that do. None may be added: what to
    /// type next is the command line's (D17).
    private static let namingCommands = [
        "Sources/Domains/Journals/Model/JournalError.swift": 3, "Sources/Domains/Sync/Identity/DeviceKeys.swift": 2,
        "Sources/Domains/Sync/SyncError.swift": 4, "Sources/Domains/Tasks/Model/TaskError.swift": 1,
        "Sources/Engine/KeyValue/KeyValueError.swift": 1, "Sources/Engine/Records/RecordsError.swift": 3,
    ]

    @Test("No error of the library names a command, but for those that are known to")
    func commands() throws {
        for folder in ["Engine", "Domains", "Files", "Daybook", "System"] {
            for (path, text) in try SourceTree.swiftFiles(below: "Sources/" + folder) {
                let lines = SourceTree.code(of: text).split(separator: "\n").filter {
                    $0.contains(/['`]daybook [a-z]|"[^"]*\b[Rr]un (?:rebuild|verify|salvage|compact)/)
                }
                #expect(lines.count <= Self.namingCommands[path] ?? 0, "\(path): \(lines.joined(separator: "\n"))")
            }
        }
    }

    @Test("The documentation lists every error code, and no other [S-40]")
    func documented() throws {
        var codes: Set<String> = []
        for file in Self.files {
            let code = SourceTree.code(of: try text(of: file))
            codes.formUnion(code.matches(of: /case \.[^"\n]*: "([a-z-]+)"\n/).map { String($0.1) })
        }
        #expect(codes.count > 30)
        let rows = try text(of: "Documentation/Library.md").split(separator: "\n").filter {
            $0.hasPrefix("| `transient`") || $0.hasPrefix("| `recoverable`") || $0.hasPrefix("| `permanent`")
        }
        #expect(rows.count == 3)
        var named: Set<String> = []
        for row in rows {
            for code in row.matches(of: /`([a-z-]+)`/).dropFirst().map({ String($0.1) }) {
                #expect(named.insert(code).inserted, "\(code) has two kinds")
            }
        }
        #expect(named == codes)
    }
}
