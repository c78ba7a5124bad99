import Foundation
import Testing

@Suite struct ScriptsTests {
    @Test("Every script is plain bash, can be run, and says what it is for")
    func scripts() throws {
        let folder = SourceTree.root.appending(path: "Scripts")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() where name != "prepare" {
            let file = folder.appending(path: name)
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            #expect(lines.first == "#!/usr/bin/env bash", "\(name)")
            #expect(lines.dropFirst().first?.hasPrefix("# ") == true, "\(name) does not say what it is for")
            #expect(FileManager.default.isExecutableFile(atPath: file.path), "\(name)")
        }
    }

    @Test("The scripts that README names are there, and it names all of them")
    func readmeNamesScripts() throws {
        let readme = try String(contentsOf: SourceTree.root.appending(path: "README.md"), encoding: .utf8)
        let folder = SourceTree.root.appending(path: "Scripts")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name != "prepare" {
            #expect(readme.contains("Scripts/\(name)"), "README does not name Scripts/\(name)")
        }
    }
}
