import Foundation
import Testing

@Suite struct ScriptsTests {
    @Test("Every script is plain bash, is executable, and states its purpose")
    func scripts() throws {
        let folder = SourceTree.root.appending(path: "Scripts")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() where name != "prepare" {
            let file = folder.appending(path: name)
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            #expect(lines.first == "#!/usr/bin/env bash", "\(name)")
            #expect(lines.dropFirst().first?.hasPrefix("# ") == true, "\(name) does not state its purpose")
            #expect(FileManager.default.isExecutableFile(atPath: file.path), "\(name)")
        }
    }

    @Test("The top level has the package's folders, and nothing but LMDB and zstd is installed to build [S-54]")
    func topLevel() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: SourceTree.root.path)
        #expect(
            Set(names).isSuperset(of: ["Package.swift", "Sources", "Tests", "Benchmarks", "Simulations", "README.md"]))
        let prepare = try text(of: "Scripts/prepare")
        let installed = prepare.matches(of: /missing\+=\(([a-z-]+)\)/).map { String($0.1) }
        // pkg-config finds the two, and zones are data.
        #expect(Set(installed) == ["liblmdb-dev", "libzstd-dev", "pkg-config", "tzdata"])
    }

    @Test("Contributing.md names every script, README the two that show that Daybook works, and each named one exists")
    func pagesNameScripts() throws {
        let contributing = try text(of: "Documentation/Contributing.md")
        let readme = try text(of: "README.md")
        let folder = SourceTree.root.appending(path: "Scripts")
        let scripts = Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
        for name in scripts where name != "prepare" {
            #expect(contributing.contains("| `Scripts/\(name)` |"), "Contributing.md has no row for Scripts/\(name)")
        }
        #expect(readme.contains("Scripts/demo ") && readme.contains("Scripts/test "))
        for match in (contributing + readme).matches(of: /Scripts\/([a-z]+)/) {
            #expect(scripts.contains(String(match.1)), "Scripts/\(match.1) does not exist")
        }
    }

    @Test(
        "The report of coverage fails below 80 % of the engine and the services, and 70 % of the models [S-55, P-TS1]")
    func coverageThresholds() throws {
        func judged(_ reached: KeyValuePairs<String, Int>) throws -> (isGood: Bool, report: String) {
            let lines = reached.map { "SF:/x/Sources/\($0.key)/A.swift\nLF:1000\nLH:\($0.value)\nend_of_record\n" }
            let process = Process()
            process.executableURL = SourceTree.root.appending(path: "Scripts/coverage")
            process.arguments = ["--judge"]
            let (input, output) = (Pipe(), Pipe())
            (process.standardInput, process.standardOutput) = (input, output)
            try process.run()
            try input.fileHandleForWriting.write(contentsOf: Data(lines.joined().utf8))
            try input.fileHandleForWriting.close()
            let report = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            return (process.terminationStatus == 0, String(decoding: report, as: UTF8.self))
        }
        let enough: KeyValuePairs = [
            "Engine/Records": 800, "Domains/Tasks": 800, "Files/Exchange": 800, "Daybook/DaybookModels": 700,
            "Programs/daybook": 0,
        ]
        #expect(try judged(enough).isGood)
        for (target, share) in [("Engine/Records", 799), ("Domains/Tasks", 799), ("Daybook/DaybookModels", 699)] {
            let (isGood, report) = try judged([target: share])
            #expect(!isGood && report.contains("\(target) ") && report.contains("BELOW"), "\(target)")
        }
        // A report without lines is a failed measurement.
        #expect(try !judged([:]).isGood)
    }

    private func text(of path: String) throws -> String {
        try String(contentsOf: SourceTree.root.appending(path: path), encoding: .utf8)
    }
}
