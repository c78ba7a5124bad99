import Foundation
import TestSupport
import Testing

/// What SwiftPM needs to know to compile every target again that a change reaches.
@Suite struct ManifestTests {
    @Test(
        "A target and a library name everything that they are built from, so that no change of a layout leaves one as it was",
        arguments: ["", "Hub"])
    func dependencies(package: String) throws {
        let manifest = try JSONDecoder().decode(Manifest.self, from: Self.dump(package))
        let targets = Dictionary(uniqueKeysWithValues: manifest.targets.map { ($0.name, $0) })
        #expect(targets.count > 10)
        for target in manifest.targets {
            let named = Set(target.dependencies.map(\.name))
            for below in named {
                let missing = Set(targets[below]?.dependencies.map(\.name) ?? []).subtracting(named)
                #expect(missing.isEmpty, "\(target.name) names \(below), but not what that is built from: \(missing)")
            }
        }
        for product in manifest.products where product.type.keys.contains("library") {
            let built = product.targets.flatMap { targets[$0]?.dependencies.map(\.name) ?? [] }
            // A library of several targets cannot have one of the system, which has no layout of Swift.
            let own = built.filter { targets[$0].map { $0.type != "system" } ?? false }
            let missing = Set(own).subtracting(product.targets)
            #expect(missing.isEmpty, "\(product.name) leaves out \(missing)")
        }
    }

    @Test("The library is built from few packages of others, each of them reviewed [L-NFR12]")
    func packages() throws {
        let manifest = try JSONDecoder().decode(Manifest.self, from: Self.dump(""))
        let targets = Dictionary(uniqueKeysWithValues: manifest.targets.map { ($0.name, $0) })
        let product = try #require(manifest.products.first { $0.name == "Daybook" })
        let below = product.targets + product.targets.flatMap { targets[$0]?.dependencies.map(\.name) ?? [] }
        let foreign = Set(below.flatMap { targets[$0]?.dependencies.map(\.name) ?? [] }).subtracting(targets.keys)
        // Apple's and the Swift project's. LMDB and zstd are the system's, as targets of type `system`.
        #expect(foreign == ["Crypto", "CryptoExtras", "Logging"])
        let system = Set(below.filter { targets[$0]?.type == "system" })
        // The last one is a header of this project for calls of Linux.
        #expect(system.isSubset(of: ["CLMDB", "CZstd", "CSystemCalls"]))
    }

    @Test(
        "A package names no platform on which it does not build",
        arguments: ["", "Hub", "Web", "Examples", "Benchmarks"])
    func platforms(package: String) throws {
        let manifest = try JSONDecoder().decode(Manifest.self, from: Self.dump(package))
        #expect(manifest.platforms.map(\.platformName) == [])
        let guide = try String(contentsOf: SourceTree.root.appending(path: "Documentation/Library.md"), encoding: .utf8)
        #expect(
            guide.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains("runs on Linux with glibc."))
    }

    private struct Manifest: Decodable {
        struct Platform: Decodable { var platformName: String }
        struct Target: Decodable {
            var name: String
            var type: String
            var dependencies: [Dependency]
        }
        /// One of `{"byName": [name, condition]}` and `{"product": [name, package, …]}`.
        struct Dependency: Decodable {
            let name: String

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                let value = try container.decode([String: [Part]].self).values.first
                name = try #require(value?.first?.text)
            }
        }
        /// A string, or something else that is of no interest here.
        struct Part: Decodable {
            let text: String?

            init(from decoder: any Decoder) throws {
                text = try? decoder.singleValueContainer().decode(String.self)
            }
        }
        /// A product's `type` is an object with one key.
        struct Product: Decodable {
            var name: String
            var targets: [String]
            var type: [String: Part]
        }
        var platforms: [Platform]
        var targets: [Target]
        var products: [Product]
    }

    private static func dump(_ package: String) throws -> Data {
        let process = SpawnedProcess()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            // The tests are run by SwiftPM, which locks its folder.
            "swift", "package", "--ignore-lock", "--package-path", SourceTree.root.appending(path: package).path,
            "dump-package",
        ]
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return bytes
    }
}
