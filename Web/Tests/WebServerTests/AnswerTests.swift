import FoundationEssentials
import Testing

@testable import WebServer

struct AnswerTests {
    @Test("A body that is not JSON of the expected shape is refused in one sentence")
    func decoding() throws {
        #expect(throws: BadQuestion.self) { try Question(body: Data("{".utf8)).decoded([String: Int].self) }
        #expect(try Question(body: Data(#"{"a": 1}"#.utf8)).decoded([String: Int].self) == ["a": 1])
    }
}
