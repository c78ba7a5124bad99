import Foundation
import Testing

/// The public types of `import Daybook`: those of the front door and of the modules that it exports.
@Suite struct PublicInterfaceTests {
    /// The modules whose public types are visible to users of the library.
    private static let exported = [
        "Sources/Daybook/Daybook", "Sources/Domains/Tasks", "Sources/Domains/Journals", "Sources/Files/ByteStreams",
        "Sources/Files/Exchange",
        "Sources/Files/Snapshots", "Sources/Engine/CivilTime", "Sources/Engine/Records",
    ]

    /// The most common names of the standard library.
    private static let taken: Set<String> = [
        "Array", "Clock", "Collection", "Comparable", "Data", "Date", "Dictionary", "Duration", "Equatable", "Error",
        "Hashable", "Identifiable", "Instance", "Iterator", "Locale", "Never", "Optional", "Result", "Sequence", "Set",
        "String", "Substring", "Task", "TimeZone", "URL", "UUID", "Calendar",
    ]

    private func declarations() throws -> [String] {
        let pattern = /^public (?:indirect |final )*(?:struct|enum|class|protocol|actor|typealias|func|let|var) (\w+)/
            .anchorsMatchLineEndings()
        var names: [String] = []
        for path in Self.exported {
            let module = path.split(separator: "/").last ?? ""
            for (_, text) in try SourceTree.swiftFiles(below: path) {
                names += SourceTree.code(of: text).matches(of: pattern).map { "\(module) \($0.1)" }
            }
        }
        let exports = try #require(
            try SourceTree.swiftFiles(below: "Sources/Daybook/Daybook").first { $0.path.hasSuffix("/Exports.swift") })
        let scoped = exports.text.matches(of: /@_exported import \w+ (\w+)\.(\w+)/)
        return (names + scoped.map { "\($0.1) \($0.2)" }).sorted()
    }

    @Test("The public types are those of the reviewed list PublicInterface.txt [D14]")
    func reviewed() throws {
        let list = try String(
            contentsOf: SourceTree.root.appending(path: "Tests/ProjectTests/PublicInterface.txt"), encoding: .utf8)
        let reviewed = Set(list.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init))
        let declared = Set(try declarations())
        #expect(
            declared.subtracting(reviewed).sorted() == [], "public, but not in the list: make it package, or review it")
        #expect(reviewed.subtracting(declared).sorted() == [], "in the list, but not public")
    }

    @Test("The front door exports whole modules and single types, and each exported module is checked [D14]")
    func exports() throws {
        let exports = try #require(
            try SourceTree.swiftFiles(below: "Sources/Daybook/Daybook").first { $0.path.hasSuffix("/Exports.swift") })
        let whole = exports.text.matches(of: /@_exported import (\w+)\n/).map { String($0.1) }
        let checked = Set(Self.exported.compactMap { $0.split(separator: "/").last.map(String.init) })
        #expect(Set(whole).union(["Daybook"]) == checked)
    }

    @Test("No public type has the name of a standard library type, or of its module [D14]")
    func collisions() throws {
        for line in try declarations() {
            let words = line.split(separator: " ").map(String.init)
            if words[0] == "FoundationEssentials" { continue }
            #expect(!Self.taken.contains(words[1]), "\(line)")
            #expect(words[0] != words[1], "\(line)")
        }
    }
}
