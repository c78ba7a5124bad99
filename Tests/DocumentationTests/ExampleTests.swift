import Foundation
import Testing

/// Compares the pages with the code that is compiled and run, and follows their links.
@Suite struct ExampleTests {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static let catalogue = "Sources/Daybook/Daybook/Daybook.docc"

    /// The pages with Swift code, and the files that compile it.
    static let pages = [
        ("README.md", ["Tests/DocumentationTests/ReadmeExample.swift"]),
        (
            "Documentation/Library.md",
            ["Tests/DocumentationTests/LibraryExamples.swift", "Tests/DocumentationTests/JournalExamples.swift"]
        ),
        (
            "Documentation/NewDomain.md",
            [
                "Sources/Domains/Journals/Model/JournalThread.swift",
                "Sources/Domains/Journals/Model/JournalEntry.swift",
                "Sources/Domains/Journals/Model/JournalDraft.swift",
                "Sources/Domains/Journals/Operations/JournalTransaction.swift",
                "Sources/Domains/Journals/Operations/JournalTransaction+Entries.swift",
                "Sources/Domains/Journals/Views/JournalReading.swift", "Sources/Daybook/Daybook/DaybookStore.swift",
                "Sources/Testing/DomainPacks/Journals/JournalPack.swift",
            ]
        ),
        ("Documentation/Backup.md", ["Tests/DocumentationTests/GuideExamples.swift"]),
        ("Documentation/Testing.md", ["Tests/DocumentationTests/GuideExamples.swift"]),
        (
            "Documentation/CrashTesting.md",
            [
                "Tests/DocumentationTests/GuideExamples.swift",
                // Compiled by Scripts/examples: `CrashTesting` is not for this target.
                "Examples/CrashTests/Tests/GreenhouseCrashTests/ReadingCrashTests.swift",
            ]
        ),
        (
            // Compiled and run by Scripts/examples and by PerformanceTestingTests.
            "Documentation/PerformanceTesting.md",
            ["Examples/Sources/GreenhouseGate/main.swift", "Tests/Processes/GateProcess/main.swift"]
        ),
        (
            "Documentation/Sync.md",
            [
                "Tests/DocumentationTests/SyncExamples.swift",
                // Compiled and run by Scripts/hub --test: networking is not for this target.
                "Hub/Tests/HubClientTests/StoreSyncExample.swift",
            ]
        ),
        (
            // Compiled and run by Scripts/examples.
            "Documentation/Applications.md",
            [
                "Examples/Apps/TaskManager/TasksApp.swift", "Examples/Apps/TaskManager/main.swift",
                "Examples/Tests/TaskManagerTests/TaskManagerStories.swift",
            ]
        ),
        ("\(catalogue)/Daybook.md", ["Tests/DocumentationTests/ReadmeExample.swift"]),
        ("\(catalogue)/Storing-your-own-records.md", ["Tests/DocumentationTests/LibraryExamples.swift"]),
    ]

    static func text(of path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The fenced blocks of a page in one language.
    static func blocks(_ language: String = "swift", in page: String) -> [String] {
        page.components(separatedBy: "```\(language)\n").dropFirst().map { $0.components(separatedBy: "\n```")[0] }
    }

    /// Code without white space, in which swift-format may differ, and without imports, which are at the top of a file.
    static func normalized(_ code: String) -> String {
        code.split(separator: "\n").filter { !$0.hasPrefix("import ") }.joined().filter { !$0.isWhitespace }
    }

    @Test("Every Swift block of a page is compiled and run by a test", arguments: pages)
    func blocksAreCompiled(page: String, sources: [String]) throws {
        let code = try sources.map { Self.normalized(try Self.text(of: $0)) }.joined()
        let blocks = Self.blocks(in: try Self.text(of: page))
        #expect(!blocks.isEmpty)
        for block in blocks {
            #expect(code.contains(Self.normalized(block)), "\(page): a block is not compiled:\n\(block)")
        }
    }

    @Test("Every page with Swift code is in the list of pages")
    func pagesAreListed() throws {
        let listed = Set(Self.pages.map(\.0))
        for page in try Self.markdownFiles() where !Self.blocks(in: try Self.text(of: page)).isEmpty {
            #expect(listed.contains(page), "\(page)")
        }
    }

    @Test("Every relative link of every page leads to a file, and to a heading if it names one")
    func linksLead() throws {
        for page in try Self.markdownFiles() {
            let folder = Self.root.appending(path: page).deletingLastPathComponent()
            let text = try Self.text(of: page).replacing(/`[^`\n]*`/, with: "")
            for match in text.matches(of: /\]\(([^)\s]+)\)/) {
                let parts = match.1.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                guard !match.1.contains("://"), match.1 != "…" else { continue }
                let target =
                    parts[0].isEmpty
                    ? Self.root.appending(path: page) : folder.appending(path: String(parts[0])).standardized
                #expect(FileManager.default.fileExists(atPath: target.path), "\(page) links to \(match.1)")
                guard parts.count == 2, let linked = try? String(contentsOf: target, encoding: .utf8) else { continue }
                #expect(Self.anchors(in: linked).contains(String(parts[1])), "\(page) links to \(match.1)")
            }
        }
    }

    @Test("Every page is in the documentation's index")
    func pagesAreIndexed() throws {
        let index = try Self.text(of: "Documentation/README.md")
        for page in try Self.markdownFiles() where page.hasPrefix("Documentation/") && page != "Documentation/README.md"
        {
            #expect(index.contains("(\(page.dropFirst("Documentation/".count)))"), "\(page)")
        }
    }

    @Test("Each generated table of RESULTS.md names a command that exists, and says when it was measured")
    func resultsAreMeasured() throws {
        let page = try Self.text(of: "Benchmarks/RESULTS.md")
        let lab = try Self.text(of: "Sources/Programs/daybook-lab/LabProgram.swift")
        let block = /<!-- ([a-z-]+): (\S+)(?: ([a-z-]+))?.* -->\n\nMeasured on .*\n\n(?:\|.*\n)+\n<!-- end -->\n/
        let blocks = page.matches(of: block)
        #expect(blocks.count > 4 && blocks.count * 2 == page.matches(of: /<!--/).count)
        #expect(Set(blocks.map(\.1)).count == blocks.count)
        for block in blocks {
            let script = Self.root.appending(path: String(block.2)).path
            let exists =
                block.2 == "daybook-lab"
                ? lab.contains("\"\(block.3 ?? "")\": ") : FileManager.default.isExecutableFile(atPath: script)
            #expect(exists, "\(block.1): \(block.2)")
        }
    }

    @Test("CommandLine.md names every command of the program, and no other")
    func commandsAreListed() throws {
        let program = try Self.text(of: "Sources/Programs/daybook/DaybookProgram.swift")
        let commands = Set(program.matches(of: /"([a-z-]+)": \w+\.self/).map { String($0.1) })
        let page = try Self.text(of: "Documentation/CommandLine.md")
        let table = try #require(
            page.components(separatedBy: "\n## Commands\n").last?.components(separatedBy: "\n## ").first)
        let rows = table.split(separator: "\n").filter { $0.hasPrefix("| `") }
        // The first column has the commands, some with their subcommands: `snapshot create\|list`.
        let named = rows.flatMap { row in
            row.split(separator: " | ")[0].matches(of: /`([a-z-]+)/).map { String($0.1) }
        }
        #expect(commands.count > 20)
        #expect(Set(named) == commands)
        #expect(named.count == Set(named).count)
    }

    /// The pages of the project: README.md, Documentation and its decisions, and the results of benchmarks.
    static func markdownFiles() throws -> [String] {
        let folders = ["Documentation", "Documentation/Decisions", "Benchmarks"]
        return try ["README.md", "CHANGELOG.md"]
            + folders.flatMap { folder in
                try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path).sorted()
                    .filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
            }
    }

    /// The anchors of a page's headings, as GitHub makes them.
    static func anchors(in page: String) -> Set<String> {
        Set(
            page.split(separator: "\n").filter { $0.hasPrefix("#") }.map { line in
                line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces).lowercased()
                    .filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
                    .replacing(" ", with: "-")
            })
    }
}
