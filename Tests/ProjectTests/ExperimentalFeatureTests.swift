import Testing

@Suite struct ExperimentalFeatureTests {
    /// The files that decision 0004 allows: those that hand out bytes of LMDB's map without a copy.
    static let allowed: Set<String> = [
        "Sources/Engine/Records/Codec/FieldDecoder.swift", "Sources/Engine/Records/Codec/KeyBytes.swift",
        "Sources/Engine/Records/Codec/OrderedKey.swift",
    ]

    @Test("Only the three files of decision 0004 use the experimental feature Lifetimes")
    func lifetimes() throws {
        let files = try SourceTree.swiftFiles(below: "Sources").filter { _, text in
            SourceTree.code(of: text).contains("@_lifetime")
        }
        #expect(Set(files.map(\.0)) == Self.allowed)
    }

    @Test("Only the folding of text keys of decision 0029 uses what the standard library does not promise")
    func standardLibraryInternals() throws {
        let files = try SourceTree.swiftFiles(below: "Sources").filter { _, text in
            SourceTree.code(of: text).contains("@_spi(")
        }
        #expect(files.map(\.0) == ["Sources/Engine/Records/Codec/TextFolding.swift"])
    }
}
