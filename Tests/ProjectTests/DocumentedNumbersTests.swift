import DeviceSimulation
import Foundation
import Injection
import Records
import Simulation
import Testing

/// Numbers and names of the code that stand elsewhere as well.
@Suite struct DocumentedNumbersTests {
    /// README and the guides. Decisions and results state what held when they were written.
    private static let pages: [(name: String, text: String)] = {
        let folder = SourceTree.root.appending(path: "Documentation")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return (names.filter { $0.hasSuffix(".md") }.map { "Documentation/\($0)" } + ["README.md"]).compactMap { name in
            (try? String(contentsOf: SourceTree.root.appending(path: name), encoding: .utf8)).map { (name, $0) }
        }
    }()

    @Test("Examples in the documentation show the present version")
    func version() {
        var count = 0
        for (name, text) in Self.pages {
            for match in text.matches(of: /"(?:program|library)": "([^"]*)"|version of the library: `"([^"]*)"`/) {
                #expect(match.1 ?? match.2 ?? "" == LibraryVersion.current, "\(name): \(match.0)")
                count += 1
            }
        }
        #expect(count > 2)
    }

    @Test("CHANGELOG.md begins with what is unreleased, and each of its sections has entries [S-64]")
    func changes() throws {
        let text = try String(contentsOf: SourceTree.root.appending(path: "CHANGELOG.md"), encoding: .utf8)
        let versions = text.split(separator: "\n").filter { $0.hasPrefix("## ") }
        #expect(versions.first == "## Unreleased" && Set(versions).count == versions.count)
        for section in text.components(separatedBy: "\n### ").dropFirst() {
            let lines = section.split(separator: "\n")
            #expect(["Added", "Changed", "Removed", "Fixed", "Security"].contains(lines.first ?? ""), "\(lines[0])")
            #expect(lines.dropFirst().first?.hasPrefix("- ") == true, "\(lines[0]) is empty")
        }
    }

    @Test("No guide states how many negative controls there are, except in results of their time")
    func counts() throws {
        #expect(Self.pages.count > 20)
        let number =
            "[0-9]+|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]+teen|(?:twenty|thirty|forty|fifty)[a-z-]*"
        let things =
            "(?:negative )?controls|(?:fault )?injection points|such places|(?:broken )?rules of (?:time|tasks|sync)"
        let pattern = try Regex("\\b(?:\(number))\\s+(?:\(things))\\b(?!\\s+of\\s+then)").ignoresCase()
        for (name, text) in Self.pages {
            for match in text.matches(of: pattern) {
                Issue.record("\(name) states a count that can go stale: \(text[match.range])")
            }
        }
        // What it must find, and what it must not.
        #expect("all forty\nnegative controls".firstMatch(of: pattern) != nil)
        #expect("the code has 58 such places".firstMatch(of: pattern) != nil)
        #expect("all 14 negative controls of then".firstMatch(of: pattern) == nil)
    }

    @Test("Scripts/simulate breaks every rule that random simulations can show")
    func simulatedControls() throws {
        let script = try String(contentsOf: SourceTree.root.appending(path: "Scripts/simulate"), encoding: .utf8)
        let words = Set(script.split { !$0.isLetter && !$0.isNumber }.map(String.init))
        let points = InjectionPoint.ofTime + InjectionPoint.ofDeclarations + InjectionPoint.ofSplitOperations
        for point in points + InjectionPoint.ofSync {
            #expect(words.contains(point.name), "\(point)")
        }
    }
}
