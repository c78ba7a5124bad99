import FoundationEssentials
import Testing

@testable import WebServer

struct AnswerTests {
    @Test("A body that is not JSON of the expected shape is refused in one sentence")
    func decoding() throws {
        #expect(throws: InvalidRequest.self) { try WebRequest(body: Data("{".utf8)).decoded([String: Int].self) }
        #expect(try WebRequest(body: Data(#"{"a": 1}"#.utf8)).decoded([String: Int].self) == ["a": 1])
    }
}

struct PageFilesTests {
    @Test("The program serves every file of the pages' folder, and nothing else of it")
    func files() throws {
        let folder = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let names = try FileManager.default.contentsOfDirectory(atPath: "/\(folder)/Sources/WebServer/Pages")
        let files = PageFiles(folder: nil)
        for name in names {
            let wanted = FileManager.default.contents(atPath: "/\(folder)/Sources/WebServer/Pages/\(name)")
            #expect(files.answer(name)?.body == wanted, "\(name)")
        }
        for name in ["../Package.swift", "nothing.js", "", "index.html.swift"] { #expect(files.answer(name) == nil) }
        let sources = PageFiles(folder: "/\(folder)/Sources/WebServer/Pages")
        for name in ["../Server/Access.swift", "../../../README.md", ".hidden"] { #expect(sources.answer(name) == nil) }
    }
}
