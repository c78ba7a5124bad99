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
            $0.contains("struct InjectionPoint") || $0.contains("struct ArmedInjectionPoints")
        }
        #expect(declarations.count == 2)
        #expect(declarations.allSatisfy { $0.hasPrefix("package ") })
    }

    @Test("Each fault injection point is asked for where its promise is kept, and armed by a lab or a test [D15]")
    func pointsAreUsed() throws {
        let declared = try SourceTree.swiftFiles(below: "Sources").filter { $0.0.contains("InjectionPoint+") }
            .flatMap { path, text in
                text.matches(of: /static var (\w+): Self \{ Self\(\) \}/).map { (path, String($0.1)) }
            }
        #expect(Set(declared.map(\.1)).count == declared.count)
        #expect(declared.count > 60)
        let sources = try SourceTree.swiftFiles(below: "Sources")
        let armed = try SourceTree.swiftFiles(below: "Tests") + sources.filter { $0.0.hasPrefix("Sources/Testing/") }
        for (path, name) in declared {
            let mention = try Regex("\\.\(name)\\b")
            // Declared in the module's folder, for example `Sources/Engine/Records/`.
            let module = path.split(separator: "/").prefix(3).joined(separator: "/") + "/"
            #expect(sources.contains { $0.0.hasPrefix(module) && $0.1.contains(mention) }, "\(name) breaks nothing")
            #expect(armed.contains { $0.1.contains(mention) }, "Nothing arms \(name)")
        }
    }
}
