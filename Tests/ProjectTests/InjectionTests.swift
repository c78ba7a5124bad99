import Testing

@Suite struct InjectionTests {
    /// The users of fault injection points: targets that keep a promise, the labs, and the commands that start them.
    static let places = [
        "Sources/System/Injection/", "Sources/Engine/", "Sources/Domains/Tasks/", "Sources/Domains/Sync/",
        "Sources/Files/", "Sources/Daybook/",
        "Sources/Testing/", "Sources/Programs/",
    ]

    @Test("Only targets that keep a promise, and the labs, name fault injection points [D15]")
    func mentions() throws {
        var mentions = 0
        for (path, text) in try SourceTree.swiftFiles(below: "Sources")
        where SourceTree.code(of: text).lowercased().contains("injectionpoint") {
            mentions += 1
            #expect(Self.places.contains { path.hasPrefix($0) }, "\(path)")
        }
        #expect(mentions > 0)
    }

    @Test("Users of the library cannot see or arm a fault injection point")
    func isNotPublic() throws {
        for folder in ["Sources/System", "Sources/Engine", "Sources/Domains", "Sources/Files", "Sources/Daybook"] {
            for (path, text) in try SourceTree.swiftFiles(below: folder) {
                for line in SourceTree.code(of: text).split(separator: "\n")
                where line.lowercased().contains("injectionpoint") {
                    #expect(!line.contains("public") && !line.contains("open "), "\(path): \(line)")
                }
            }
        }
        let text = try SourceTree.swiftFiles(below: "Sources/System/Injection").map(\.1).joined()
        let declarations = SourceTree.code(of: text).split(separator: "\n").filter {
            $0.contains("enum InjectionPoint") || $0.contains("struct ArmedInjectionPoints")
        }
        #expect(declarations.count == 2)
        #expect(declarations.allSatisfy { $0.hasPrefix("package ") })
    }

    @Test("Each fault injection point belongs to exactly one kind [D15]")
    func kindsAreComplete() throws {
        let text = try SourceTree.swiftFiles(below: "Sources/System/Injection").map(\.1).joined()
        let cases = text.split(separator: "\n").filter { $0.hasPrefix("    case ") }.map { $0.dropFirst(9) }
        let after = try #require(text.split(separator: "static let harmful").last)
        let kinds = try #require(after.split(separator: "init?(named").first)
        #expect(cases.count == 65)
        for name in cases {
            #expect(kinds.matches(of: try Regex("\\.\(name)\\b")).count == 1, "\(name)")
        }
    }
}
