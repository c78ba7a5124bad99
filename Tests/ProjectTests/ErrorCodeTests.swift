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

    @Test("No error of the libraries names a command: what to type next is the command line's [S-68, D17]")
    func commands() throws {
        var texts = 0
        for folder in [
            "Sources/Engine", "Sources/Domains", "Sources/Files", "Sources/Daybook", "Sources/System",
            "Hub/Sources/DaybookHubSync",
        ] {
            for (path, text) in try SourceTree.swiftFiles(below: folder) {
                let lines = SourceTree.code(of: text).split(separator: "\n")
                texts += lines.count { $0.contains("\"") }
                let naming = lines.filter(Self.namesCommand)
                #expect(naming.isEmpty, "\(path): \(naming.joined(separator: "\n"))")
            }
        }
        #expect(texts > 1000)
        #expect(Self.namesCommand("\"Use `daybook verify`.\"") && Self.namesCommand("\"Run rebuild.\""))
    }

    private static func namesCommand(_ line: Substring) -> Bool {
        line.contains(/['`]daybook [a-z]|"[^"]*\b[Rr]un (?:rebuild|verify|salvage|compact)/)
    }

    @Test("The documentation lists every error code, and no other [S-40]")
    func documented() throws {
        var codes: Set<String> = []
        for file in Self.files {
            let code = SourceTree.code(of: try text(of: file))
            codes.formUnion(code.matches(of: /case \.[^"\n]*: "([a-z-]+)"\n/).map { String($0.1) })
        }
        #expect(codes.count > 30)
        let page = try text(of: "Documentation/Library.md")
        let begin = try #require(page.range(of: "\n- `transient`"))
        let end = try #require(page.range(of: "\n\n", range: begin.upperBound..<page.endIndex))
        let kinds: Set = ["transient", "recoverable", "permanent"]
        var named: Set<String> = []
        for code in page[begin.lowerBound..<end.lowerBound].matches(of: /`([a-z-]+)`/).map({ String($0.1) }) {
            #expect(named.insert(code).inserted, "\(code) has two kinds")
        }
        #expect(named.isSuperset(of: kinds))
        named.subtract(kinds)
        #expect(named == codes)
    }
}
