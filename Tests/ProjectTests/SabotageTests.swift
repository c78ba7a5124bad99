import Testing

@Suite struct SabotageTests {
    /// Where promises are kept, and who checks that they are: the lab, and the command that starts it.
    static let initiated = [
        "Sources/Engine/KeyValue/", "Sources/Engine/Records/", "Sources/Testing/CrashTesting/",
        "Sources/Programs/daybook-lab/CrashTest/",
        "Sources/Domains/Tasks/LiveView.swift", "Sources/Programs/daybook-lab/Simulate",
        "Sources/Programs/daybook-lab/Bench/Measuring/CountRun.swift", "Sources/Files/Archive/Files/AtomicFile.swift",
        "Sources/Files/Archive/Files/FileSabotage.swift",
    ]

    @Test("Only the modules that keep a promise, and the lab, name the sabotage that breaks it")
    func mentions() throws {
        var mentions = 0
        for (path, text) in try SourceTree.swiftFiles(below: "Sources")
        where SourceTree.code(of: text).lowercased().contains("sabotage") {
            mentions += 1
            #expect(Self.initiated.contains { path.hasPrefix($0) }, "\(path)")
        }
        #expect(mentions > 0)
    }

    @Test("No user of the library can see it")
    func isNotPublic() throws {
        for folder in ["Sources", "Benchmarks", "Examples"] {
            for (path, text) in try SourceTree.swiftFiles(below: folder) {
                for line in SourceTree.code(of: text).split(separator: "\n")
                where line.lowercased().contains("sabotage") {
                    #expect(!line.contains("public") && !line.contains("open "), "\(path): \(line)")
                }
            }
        }
        let files = try ["Sources/Engine/KeyValue", "Sources/Engine/Records", "Sources/Files/Archive"].flatMap(
            SourceTree.swiftFiles)
        let declarations = files.flatMap { _, text in
            SourceTree.code(of: text).split(separator: "\n").filter {
                $0.contains("Sabotage: String") || $0.contains("var sabotage:") || $0.contains("imeSabotage:")
            }
        }
        #expect(declarations.count == 7)
        #expect(declarations.allSatisfy { $0.trimmingPrefix(while: { $0 == " " }).hasPrefix("package ") })
    }
}
