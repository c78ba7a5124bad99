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
